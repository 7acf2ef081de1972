package main

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// newHonest returns an honest user of a server that answers as the handler does.
func newHonest(t *testing.T, handler http.HandlerFunc) *honest {
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return &honest{client: newClient(server.URL, "token", honestConnections), problems: []int64{7, 8}, rate: 200, patience: honestPatience}
}

// A server that stands still keeps more requests waiting than there are connections. All
// of them count, from the moment at which they were due.
func TestWaitingForAConnectionCounts(t *testing.T) {
	t.Parallel()
	const pause = 400 * time.Millisecond
	ctx, cancel := context.WithTimeout(t.Context(), pause)
	defer cancel()
	h := newHonest(t, func(w http.ResponseWriter, r *http.Request) {
		<-ctx.Done()
		fmt.Fprint(w, "{}")
	})
	w := h.run(t.Context(), pause)
	if w.Requests <= honestConnections || w.Failures > 0 || w.Requests != h.n {
		t.Fatalf("%d requests of %d count, with %v; want all, without a failure", w.Requests, h.n, w.Outcomes)
	}
	// Half of the requests were due in the first half of the pause.
	if least := float64(pause.Milliseconds()) / 3; w.P50 < least || w.Max < w.P99 || w.P99 < w.P50 {
		t.Errorf("p50 %.0f, p99 %.0f, max %.0f; want at least %.0f", w.P50, w.P99, w.Max, least)
	}
}

func TestHonestFailures(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		status int
		body   string
		what   string
		wrong  bool
	}{
		{503, "{}", "503", false},
		{429, "{}", "429", false},
		{500, "{}", "500", true},
		{404, "{}", "404", true},
		{200, `{"half`, broken, true},
	} {
		h := newHonest(t, func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(c.status)
			fmt.Fprint(w, c.body)
		})
		w := h.run(t.Context(), 50*time.Millisecond)
		if w.Failures != w.Requests || w.Outcomes[c.what] != w.Requests || (len(w.Wrong) > 0) != c.wrong {
			t.Errorf("%d %s: %d of %d failed, %v, wrong: %q", c.status, c.body, w.Failures, w.Requests, w.Outcomes, w.Wrong)
		}
	}
}

func TestHonestMix(t *testing.T) {
	t.Parallel()
	h := &honest{problems: []int64{7, 8}}
	var all []string
	for n := range 20 {
		r := h.request(n)
		all = append(all, fmt.Sprintf("%s %.12s %s", r.method, r.path, r.body))
	}
	text := strings.Join(all, "\n")
	for _, want := range []string{"GET /problems/7 ", "GET /problems/s", "GET /problems \n", `PATCH /problems/7 {"state":{"name":"Closed"}}`, `PATCH /problems/7 {"state":{"name":"Open"}}`, "POST /problems/8"} {
		if !strings.Contains(text, want) {
			t.Errorf("nobody asks %q in:\n%s", want, text)
		}
	}
}

func TestPercentile(t *testing.T) {
	t.Parallel()
	var times []time.Duration
	for n := 1; n <= 200; n++ {
		times = append(times, time.Duration(n)*time.Millisecond)
	}
	if p50, p99, most := percentile(times, 50), percentile(times, 99), percentile(times, 100); p50 != 100 || p99 != 198 || most != 200 {
		t.Errorf("%v, %v, %v; want 100, 198, 200", p50, p99, most)
	}
	if got := percentile(nil, 99); got != 0 {
		t.Errorf("the percentile of nothing is %v", got)
	}
}
