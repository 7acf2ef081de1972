package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/problemtracking/problems/domain/predicate"
	"github.com/problemtracking/problems/domain/predicate/check"
)

// newStage returns a stage with a server that answers as the handler does. The attack
// ends when the returned function is called.
func newStage(t *testing.T, handler http.HandlerFunc) (*stage, func()) {
	server := httptest.NewUnstartedServer(handler)
	server.EnableHTTP2 = true
	server.StartTLS()
	t.Cleanup(server.Close)
	return stageAt(t, server.URL)
}

func newPlainStage(t *testing.T, handler http.HandlerFunc) (*stage, func()) {
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return stageAt(t, server.URL)
}

func stageAt(t *testing.T, url string) (*stage, func()) {
	ctx, cancel := context.WithCancel(t.Context())
	t.Cleanup(cancel)
	return &stage{ctx: ctx, last: ctx, place: newPlace(inMemory, "memory:"), sizes: small, attacker: newClient(url, "token", 0)}, cancel
}

func TestStorm(t *testing.T) {
	t.Parallel()
	var n atomic.Int64
	answers := []struct {
		status int
		body   string
	}{{200, "[]"}, {200, "{} \n"}, {503, ""}, {429, "{}"}, {422, "{}"}, {500, "{}"}, {200, `[{"cut"`}}
	s, end := newPlainStage(t, func(w http.ResponseWriter, r *http.Request) {
		i := int(n.Add(1)) - 1
		if i >= len(answers) {
			panic(http.ErrAbortHandler)
		}
		w.WriteHeader(answers[i].status)
		fmt.Fprint(w, answers[i].body)
	})
	s.attack.right = []int{422}
	s.storm(1, func(_, n int) request {
		if n == len(answers)+1 {
			end()
		}
		return get("/problems/1")
	})
	counts, wrong := s.tally.all()
	if counts["200"] != 2 || counts["503"] != 1 || counts["429"] != 1 || counts["422"] != 1 || counts["500"] != 1 || counts[broken] != 1 || counts[cut] != 1 || counts[atEnd] != 1 {
		t.Errorf("counted %v", counts)
	}
	if len(wrong) != 2 || !strings.Contains(wrong[0], "500") || !strings.Contains(wrong[1], "whole") {
		t.Errorf("wrong are %q; want the status 500 and the answer that breaks off", wrong)
	}
}

func TestPreparationTakesWhatIsAllowed(t *testing.T) {
	t.Parallel()
	asked := 0
	s, _ := newPlainStage(t, func(w http.ResponseWriter, r *http.Request) {
		asked++
		if asked > 11 {
			w.WriteHeader(http.StatusUnprocessableEntity)
			fmt.Fprint(w, `{"detail":"the problem is large enough"}`)
			return
		}
		w.WriteHeader(http.StatusCreated)
		fmt.Fprint(w, `{"identifier":5}`)
	})
	if err := prepareKeywords(s); err != nil || s.id(manyKeywords) != 5 {
		t.Fatalf("the problem is %d, %v; want 5", s.id(manyKeywords), err)
	}
	notes := strings.Join(s.notes, "; ")
	if !strings.Contains(notes, "422 the problem is large enough") || !strings.Contains(notes, "prepared 10 of 99") {
		t.Errorf("the notes are %q; want how far it came, and why no further", notes)
	}
	s.notes = nil
	before := asked
	if err := prepareKeywords(s); err != nil || asked != before || len(s.notes) != 2 {
		t.Errorf("preparing again asks %d times, and notes %q, %v; want nothing, and the same notes", asked-before, s.notes, err)
	}
	if err := s.make("asking", get("/nothing"), nil); !errors.Is(err, errEnough) {
		t.Errorf("a refusal is %v", err)
	}
}

// What a preparation leaves is attacked where it exists, wherever the server ended it.
func TestAttacksOfAPreparationThatIsCutShort(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		attack  string
		allowed int    // changes, after which the server refuses
		want    string // what the attack then asks
	}{
		{"rewritten-as-of", 1 + 0, "GET /problems/1?asOf=1 "},
		{"rewritten-as-of", 1 + 5, "GET /problems/1?asOf=3 "},
		{"rewritten-as-of", 1 + small.rewrites, "GET /problems/1?asOf=31 "},
		{"comments-as-of", 1 + 0, "GET /problems/1/comments?asOf=1 "},
		{"comments-as-of", 1 + 3, "GET /problems/1/comments?asOf=3 "},
		// A family of four layers of four, of which 1 is the oldest one.
		{"relationships-cycle", 16 + 1, `PUT /problems/5/relationships {"problemIdentifier":1,`},
		{"relationships-cycle", 16 + 16 + 2, `PUT /problems/10/relationships {"problemIdentifier":1,`},
		{"relationships-cycle", 16 + 3*16, `PUT /problems/16/relationships {"problemIdentifier":1,`},
	} {
		attack := attacks[slices.IndexFunc(attacks, func(a attack) bool { return a.name == c.attack })]
		var mu sync.Mutex
		changes, prepared, asked := 0, false, map[string]bool{}
		s, end := newPlainStage(t, func(w http.ResponseWriter, r *http.Request) {
			mu.Lock()
			defer mu.Unlock()
			body, _ := io.ReadAll(r.Body) // what is missing shows in the text
			if prepared {
				asked[fmt.Sprintf("%s %s %s", r.Method, strings.TrimPrefix(r.URL.String(), api), body)] = true
				fmt.Fprint(w, "{}")
				return
			}
			if changes == c.allowed {
				w.WriteHeader(http.StatusUnprocessableEntity)
				return
			}
			changes++
			w.WriteHeader(http.StatusCreated)
			fmt.Fprintf(w, `{"identifier":%d}`, changes)
		})
		if err := attack.prepare(s); err != nil {
			t.Errorf("%s after %d changes: %v", c.attack, c.allowed, err)
			continue
		}
		mu.Lock()
		prepared = true
		mu.Unlock()
		done := make(chan struct{})
		go func() {
			defer close(done)
			attack.run(s)
		}()
		counted(t, s, "200", 1)
		end()
		<-done
		mu.Lock() // the server may still answer a request whose client is gone
		for text := range asked {
			if !strings.HasPrefix(text, c.want) {
				t.Errorf("%s after %d changes asks %.100s; want %s", c.attack, c.allowed, text, c.want)
			}
		}
		mu.Unlock()
	}
	s, _ := newPlainStage(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPut {
			w.WriteHeader(http.StatusUnprocessableEntity)
		}
		fmt.Fprint(w, `{"identifier":1}`)
	})
	if err := prepareFamily(s); !errors.Is(err, errEnough) {
		t.Errorf("a family without relationships is %v; want %v", err, errEnough)
	}
}

func TestPreparationWaitsForABusyServer(t *testing.T) {
	t.Parallel()
	asked := 0
	s, _ := newPlainStage(t, func(w http.ResponseWriter, r *http.Request) {
		asked++
		w.WriteHeader([]int{503, 429, 201, 503, 503}[min(asked, 5)-1])
		fmt.Fprint(w, `{"identifier":5}`)
	})
	s.patience = time.Hour
	if id, err := s.create("a title"); id != 5 || err != nil || asked != 3 {
		t.Errorf("created %d, %v, after %d requests; want 5 after 3", id, err, asked)
	}
	s.patience = 0
	if _, err := s.create("a title"); !errors.Is(err, errEnough) {
		t.Errorf("a server that stays busy is %v", err)
	}
}

// long answers until the client has gone.
func long(w http.ResponseWriter, r *http.Request) {
	for r.Context().Err() == nil {
		if _, err := w.Write(make([]byte, 1<<16)); err != nil {
			return
		}
	}
}

func counted(t *testing.T, s *stage, outcome string, least int) {
	for began := time.Now(); ; time.Sleep(time.Millisecond) {
		counts, wrong := s.tally.all()
		if counts[outcome] >= least && len(wrong) == 0 {
			return
		}
		if time.Since(began) > time.Minute || len(wrong) > 0 {
			t.Errorf("counted %v, wrong %q; want %d of %s", counts, wrong, least, outcome)
			return
		}
	}
}

func TestSlowReaders(t *testing.T) {
	t.Parallel()
	s, end := newPlainStage(t, long)
	done := make(chan struct{})
	go func() {
		defer close(done)
		s.connect(3, s.readSlowly("/problems/1"))
	}()
	counted(t, s, "200", 3)
	end()
	<-done
}

func TestTinyWindows(t *testing.T) {
	t.Parallel()
	s, end := newStage(t, long)
	done := make(chan struct{})
	go func() {
		defer close(done)
		s.connect(2, s.tinyWindows)
	}()
	counted(t, s, "200", 2*s.sizes.streams)
	end()
	<-done
}

func TestUpload(t *testing.T) {
	t.Parallel()
	s, end := newPlainStage(t, func(w http.ResponseWriter, r *http.Request) {
		// All but the last bytes come at once.
		if n, err := io.CopyN(io.Discard, r.Body, bodyBytes-1<<10); err != nil || r.ContentLength != bodyBytes {
			t.Errorf("%d bytes came of %d, %v", n, r.ContentLength, err)
		}
		// The server itself would wait for the rest before it answers.
		conn, out, err := w.(http.Hijacker).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		fmt.Fprint(out, "HTTP/1.1 408 Request Timeout\r\n\r\n")
		out.Flush()
		conn.Close()
	})
	s.attack.right = []int{408}
	done := make(chan struct{})
	go func() {
		defer close(done)
		s.connect(1, s.upload(1<<10))
	}()
	counted(t, s, "408", 1)
	end()
	<-done
}

func TestWhatIsSent(t *testing.T) {
	t.Parallel()
	for _, n := range []int{0, 9, 1199} {
		if v := value(n); len(v) != keywordBytes || v == value(n+1) {
			t.Errorf("value %d has %d bytes, or is the next one; want %d", n, len(v), keywordBytes)
		}
	}
	text := longPredicate(39<<16 + 1_000_000)
	if len(text) > predicate.MaxBytes {
		t.Errorf("the long predicate has %d bytes; at most %d are allowed", len(text), predicate.MaxBytes)
	}
	if _, err := check.Compile(text, predicate.Problem, predicate.Env{}); err != nil {
		t.Errorf("the long predicate is none: %v", err)
	}
	if r := largeProblem("x"); len(r.body) > bodyBytes || len(r.body) < bodyBytes*9/10 {
		t.Errorf("the large problem has %d bytes; want almost %d", len(r.body), bodyBytes)
	}
}
