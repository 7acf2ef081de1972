package main

import (
	"context"
	"fmt"
	"math"
	"net/http"
	"net/url"
	"slices"
	"sync"
	"time"
)

// honest is a user with everyday requests, beside an attack.
type honest struct {
	*client
	problems []int64
	rate     int
	n        int // requests so far, of all attacks
	patience time.Duration
}

const (
	honestConnections = 4
	// honestPatience is how long an honest client waits for an answer.
	honestPatience = 10 * time.Second
)

// waited has the waits of the honest requests of one attack. Times begin when a request
// was due, not when a connection was free for it: the wait for the answer before counts.
type waited struct {
	Requests int            `json:"requests"`
	P50      float64        `json:"p50"` // milliseconds
	P99      float64        `json:"p99"`
	Max      float64        `json:"max"`
	Failures int            `json:"failures"`
	Outcomes map[string]int `json:"outcomes"`

	Wrong []string `json:"wrong,omitempty"`
}

// due is a request with its time.
type due struct {
	n  int
	at time.Time
}

// run asks at a steady rate for a while. It returns when all due requests are answered or
// given up, or soon after ctx has ended.
func (h *honest) run(ctx context.Context, duration time.Duration) waited {
	var (
		mu    sync.Mutex
		times []time.Duration
		count tally
		group sync.WaitGroup
		queue = make(chan due, 1<<16)
		w     waited
	)
	for range honestConnections {
		group.Go(func() {
			for d := range queue {
				right, what := h.once(ctx, d)
				mu.Lock()
				times = append(times, time.Since(d.at))
				if !right {
					w.Failures++
				}
				mu.Unlock()
				count.add(what)
				if what == broken {
					count.addWrong("honest: the answer to %s is no whole JSON value", h.request(d.n).path)
				}
			}
		})
	}
	interval := time.Second / time.Duration(h.rate)
	began := time.Now()
	for at := began; at.Before(began.Add(duration)); at = at.Add(interval) {
		if wait(ctx, time.Until(at)); ctx.Err() != nil {
			break
		}
		queue <- due{h.n, at}
		h.n++
	}
	close(queue)
	group.Wait()
	slices.Sort(times)
	w.Requests = len(times)
	w.P50, w.P99, w.Max = percentile(times, 50), percentile(times, 99), percentile(times, 100)
	w.Outcomes, w.Wrong = count.all()
	for what := range w.Outcomes {
		if !rightForHonest[what] && !unfortunate[what] {
			w.Wrong = append(w.Wrong, "honest requests were answered with "+what)
		}
	}
	return w
}

var (
	rightForHonest = map[string]bool{"200": true, "201": true}
	// unfortunate are failures without a wrong answer.
	unfortunate = map[string]bool{"429": true, "503": true, refused: true, late: true, cut: true, broken: true}
)

// once sends a request. A request long overdue is given up unsent.
func (h *honest) once(ctx context.Context, d due) (right bool, what string) {
	ctx, cancel := context.WithDeadline(ctx, d.at.Add(h.patience))
	defer cancel()
	if ctx.Err() != nil {
		return false, late
	}
	status, err := h.drain(ctx, h.request(d.n))
	what = outcome(context.Background(), status, err)
	return rightForHonest[what], what
}

// request returns the n-th request of the mix.
func (h *honest) request(n int) request {
	id := h.problems[n/5%len(h.problems)]
	switch n % 5 {
	case 0:
		return get("/problems/%d", id)
	case 1:
		return get("/problems/search?limit=50&predicate=%s", url.QueryEscape("assignee.identifier = $ApiUser AND state.resolved = NO"))
	case 2:
		state := "Closed"
		if n/5/len(h.problems)%2 == 1 {
			state = "Open"
		}
		return sendJSON(http.MethodPatch, fmt.Sprintf("/problems/%d", id), map[string]any{"state": map[string]string{"name": state}})
	case 3:
		return send(http.MethodPost, fmt.Sprintf("/problems/%d/comments", id), asText, fmt.Appendf(nil, "Comment %d says in a sentence or two how far it is.", n))
	default:
		return get("/problems")
	}
}

// percentile returns a percentile of sorted times by the nearest rank, in milliseconds.
func percentile(times []time.Duration, percent float64) float64 {
	if len(times) == 0 {
		return 0
	}
	rank := int(math.Ceil(percent * float64(len(times)) / 100))
	return float64(times[max(rank, 1)-1]) / float64(time.Millisecond)
}
