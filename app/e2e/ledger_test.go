package e2e

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"
)

// outcome is what a client knows of its write.
type outcome int

const (
	unknown      outcome = iota // the exchange broke off, or the answer says that nobody knows
	acknowledged                // answered with 2xx
	rejected                    // answered with 4xx, or that nothing was done
)

// write is one attempt.
type write struct {
	mark    string // unique
	kind    string // create, title, comment, keyword, relate, stale
	problem int64  // of which; 0 for create
	other   int64  // the other problem, for relate
	by      int    // the server that was asked, where there are several
	outcome outcome
	code    int // of the answer; 0 without one

	began, ended time.Time // of the last attempt; ended only if it was acknowledged
}

// trace is by what the write is recognised in the data: its mark, or the pair that
// it relates, which others may relate too.
func (w write) trace() string {
	if w.kind == "relate" {
		return fmt.Sprintf("%d>%d", w.problem, w.other)
	}
	return w.mark
}

// ledger holds every attempt of a test, by mark.
type ledger struct {
	mu     sync.Mutex
	writes map[string]write
}

// attempt sends a write and enters its outcome. It returns the answer's body and
// whether the server is still there.
func (l *ledger) attempt(c *client, w write) ([]byte, bool) {
	w.began = time.Now()
	l.enter(w) // as unknown: the server may act on it from now on
	code, body := c.send(w)
	w.code = code
	switch {
	case code/100 == 2:
		w.outcome, w.ended = acknowledged, time.Now()
	case code/100 == 4, saysUnavailable(code, body):
		w.outcome = rejected
	}
	l.enter(w)
	return body, code != 0
}

// saysUnavailable reports whether the answer says that nothing was done (D18). A 503 of
// any other type, such as outcome-unknown, leaves it open.
func saysUnavailable(code int, body []byte) bool {
	var problem struct{ Type string }
	return code == http.StatusServiceUnavailable && json.Unmarshal(body, &problem) == nil && problem.Type == "/errors/unavailable"
}

func (l *ledger) enter(w write) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.writes[w.mark] = w
}

// send makes the request of a write.
func (c *client) send(w write) (int, []byte) {
	path := fmt.Sprintf("/problems/%d", w.problem)
	key := []string{"Idempotency-Key", w.mark}
	switch w.kind {
	case "create":
		return c.do(http.MethodPost, "/problems", fmt.Sprintf(`{"title":%q}`, w.mark), key...)
	case "title":
		return c.do(http.MethodPatch, path, fmt.Sprintf(`{"title":%q}`, w.mark))
	case "comment":
		return c.do(http.MethodPost, path+"/comments", w.mark, append(key, "Content-Type", "text/plain")...)
	case "keyword":
		return c.do(http.MethodPut, path+"/keywords/"+w.mark, fmt.Sprintf("%q", w.mark))
	case "relate":
		return c.do(http.MethodPut, path+"/relationships", fmt.Sprintf(`{"type":"BlockerOf","problemIdentifier":%d}`, w.other))
	case "stale": // a comment that the problem's revision forbids
		return c.do(http.MethodPost, path+"/comments", w.mark, "Content-Type", "text/plain", "If-Match", `"0"`)
	default:
		panic("no such kind of write: " + w.kind)
	}
}

// verdict compares what is stored with what was attempted: all four counts have
// to be 0.
type verdict struct {
	lost        []string // acknowledged but absent, or only in part
	resurrected []string // rejected but present
	phantom     []string // present but never attempted
	duplicate   []string // present more than once
}

// judge compares the traces found, with how often each was, with the ledger.
func (l *ledger) judge(found map[string]int) verdict {
	l.mu.Lock()
	defer l.mu.Unlock()
	var v verdict
	// Several writes can have the same trace. One that was rejected is not present for
	// being there once, if another one may have put it there.
	attempted, possible := map[string]bool{}, map[string]bool{}
	for _, w := range l.writes {
		possible[w.trace()] = possible[w.trace()] || w.outcome != rejected
	}
	for _, mark := range slices.Sorted(maps.Keys(l.writes)) {
		w := l.writes[mark]
		attempted[w.trace()] = true
		switch n := found[w.trace()]; {
		case n > 1:
			v.duplicate = append(v.duplicate, mark)
		case n == 0 && w.outcome == acknowledged:
			v.lost = append(v.lost, mark)
		case n == 1 && w.outcome == rejected && !possible[w.trace()]:
			v.resurrected = append(v.resurrected, mark)
		}
	}
	for _, trace := range slices.Sorted(maps.Keys(found)) {
		if !attempted[trace] {
			v.phantom = append(v.phantom, trace)
		}
	}
	return v
}

func (v verdict) clean() bool {
	return len(v.lost)+len(v.resurrected)+len(v.phantom)+len(v.duplicate) == 0
}

func (v verdict) String() string {
	return fmt.Sprintf("LOST %d, RESURRECTED %d, PHANTOM %d, DUPLICATE %d %s", len(v.lost), len(v.resurrected), len(v.phantom), len(v.duplicate),
		strings.Join(slices.Concat(v.lost, v.resurrected, v.phantom, v.duplicate), " "))
}

// split counts the outcomes of the writes with the prefix, and how many of the
// unknown ones have turned out to be stored.
func (l *ledger) split(prefix string, found map[string]int) string {
	l.mu.Lock()
	defer l.mu.Unlock()
	var n [3]int
	stored := 0
	for mark, w := range l.writes {
		if strings.HasPrefix(mark, prefix) {
			n[w.outcome]++
			if w.outcome == unknown && found[w.trace()] > 0 {
				stored++
			}
		}
	}
	return fmt.Sprintf("%d acknowledged, %d rejected, %d unknown, of which %d stored", n[acknowledged], n[rejected], n[unknown], stored)
}
