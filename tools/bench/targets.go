package main

import (
	"fmt"
	"strings"

	"github.com/problemtracking/problems/tools/bench/internal/load"
)

// target is a goal of the service, with its value in one run.
type target struct {
	What string   `json:"what"`
	Want string   `json:"want"`
	Got  *float64 `json:"got,omitempty"` // nil: it was not measured
	Unit string   `json:"unit,omitempty"`
	Met  bool     `json:"met"`
	// CPU is the same ratio by the CPU seconds of server and database per request. They
	// depend less on other users of the machine.
	CPU *float64 `json:"cpu,omitempty"`
	Why string   `json:"why,omitempty"` // it was not measured
}

// setTargets compares the measurements with the goals.
func (r *report) setTargets(o options) {
	r.Targets = nil
	largest := 0
	for _, n := range o.connections {
		r.ratio(fmt.Sprintf("load one problem, memory: of the bare handler with the same bytes, %d connections", n), 0.70,
			r.find("load", n, inMemory, false), r.find("load", n, sameBytes, false))
		largest = max(largest, n)
	}
	r.perSync(r.find("state", 64, onSQLite, false))
	r.ratio("64 writers on one problem, Postgres: of the rate on a problem each", 0.5,
		r.find("one", load.MostWorkers, onPostgres, false), r.find("many", load.MostWorkers, onPostgres, false))
	for _, mix := range []string{"load-any", "state", "search", "page"} {
		for _, store := range []string{onSQLite, onPostgres} {
			r.growth(mix, store, o)
		}
	}
	for _, p := range pageTargets {
		r.pageTime(p, o)
	}
	r.tracing(o)
	r.allocations(r.find("load", largest, inMemory, false))
	r.memory(o)
	r.starts()
	if o.webhooks > 0 {
		r.webhookTargets(o)
	}
	if o.feed {
		r.Targets = append(r.Targets, r.Feed.targets(o)...)
	}
}

// rounds returns the ratios of the rates of two cells, round by round.
func rounds(a, b *cell) []float64 {
	ratios := make([]float64, min(len(a.Rounds), len(b.Rounds)))
	for i := range ratios {
		ratios[i] = a.Rounds[i].PerSecond() / b.Rounds[i].PerSecond()
	}
	return ratios
}

// ratio adds a target for the ratio of two cells' rates: the median of the rounds.
func (r *report) ratio(what string, want float64, a, b *cell) {
	t := target{What: what, Want: fmt.Sprintf("≥ %.2f", want)}
	if a != nil && b != nil {
		t.set(load.Median(rounds(a, b)), func(got float64) bool { return got >= want })
		if a.cost() > 0 && b.cost() > 0 {
			cpu := b.cost() / a.cost()
			t.CPU = &cpu
		}
	}
	r.Targets = append(r.Targets, t)
}

// cost returns the CPU seconds of server and database for 1,000 requests; 0: they are
// not known.
func (c *cell) cost() (seconds float64) {
	if c.ServerCPU != nil {
		seconds = *c.ServerCPU
	}
	if c.DatabaseCPU != nil {
		seconds += *c.DatabaseCPU
	}
	return seconds
}

// set sets the measured value.
func (t *target) set(got float64, met func(float64) bool) {
	t.Got, t.Met = &got, met(got)
}

// perSync adds the target for group commit.
func (r *report) perSync(c *cell) {
	t := target{What: "patch a state, SQLite, 64 connections: acknowledged writes per fsync", Want: "≥ 5"}
	if c != nil && c.Transactions != nil && *c.Transactions > 0 {
		t.set(1 / *c.Transactions, func(got float64) bool { return got >= 5 })
	}
	r.Targets = append(r.Targets, t)
}

// growth adds the target for a larger data set: by the latency of one connection, or of
// the fewest.
func (r *report) growth(mix, store string, o options) {
	n := o.connections[0]
	small, large := r.find(mix, n, store, false), r.find(mix, n, store, true)
	t := target{What: fmt.Sprintf("%s, %s: time (p50, %d connections) with the large data set, of that with the first", mix, store, n), Want: "≤ 1.50"}
	switch {
	case o.large == 0:
		t.Why = "run with -large 1000000"
	case small != nil && large != nil && small.P50 != nil && large.P50 != nil:
		t.What = fmt.Sprintf("%s, %s: time (p50, %d connections) with %d problems, of that with %d", mix, store, n, o.large, o.problems)
		t.set(*large.P50 / *small.P50, func(got float64) bool { return got <= 1.5 })
	}
	r.Targets = append(r.Targets, t)
}

// pageTarget is the goal for a page of the client application.
type pageTarget struct {
	mix, what string
	most      float64 // milliseconds
}

var pageTargets = []pageTarget{
	{"web-problem", "page of a problem with 100 log entries", 5},
	{"web-open", "page of all open problems", 10},
	{"web-mine", "page of the problems assigned to the reader", 10},
}

// pageTime adds the target for a page of the client application on SQLite, with the most
// problems: by the latency of the fewest connections, in milliseconds.
func (r *report) pageTime(p pageTarget, o options) {
	n, problems := o.connections[0], max(o.problems, o.large)
	t := target{What: fmt.Sprintf("%s, SQLite with %d problems: time (p50, %d connections)", p.what, problems, n), Want: fmt.Sprintf("≤ %.0f ms", p.most), Unit: "ms"}
	if c := r.find(p.mix, n, onSQLite, o.large > 0); c != nil && c.P50 != nil {
		t.set(*c.P50, func(got float64) bool { return got <= p.most })
	}
	r.Targets = append(r.Targets, t)
}

func (r *report) allocations(c *cell) {
	t := target{What: "load one problem, memory: allocations per request, of the whole server", Want: "≤ 40"}
	if c != nil && c.Allocations != nil {
		t.set(*c.Allocations, func(got float64) bool { return got <= 40 })
	}
	r.Targets = append(r.Targets, t)
}

const megabyte = 1 << 20

// memory adds the targets for resident memory: after the start, and the most with 64
// connections. The memory store's data is part of it, including the writes of the run.
func (r *report) memory(o options) {
	for _, l := range r.Loaded {
		t := target{What: l.Contender + ": idle memory", Want: "≤ 40 MB", Unit: "MB"}
		if idle := l.idle(); idle > 0 {
			t.set(idle/megabyte, func(got float64) bool { return got <= 40 })
		}
		r.Targets = append(r.Targets, t)
	}
	for _, store := range o.stores {
		t := target{What: store + ": most memory at 64 connections", Want: "≤ 150 MB", Unit: "MB"}
		if store == inMemory {
			t.What += fmt.Sprintf(" that only read, with the %d problems", o.problems)
		}
		most := int64(0)
		for _, c := range r.Cells {
			if c.Kind == store && !c.Large && c.Connections == 64 && c.Peak != nil && (store != inMemory || reads(c.Mix)) {
				most = max(most, *c.Peak)
			}
		}
		if most > 0 {
			t.set(float64(most)/megabyte, func(got float64) bool { return got <= 150 })
		}
		r.Targets = append(r.Targets, t)
	}
}

// reads reports whether a mix only reads.
func reads(mix string) bool {
	return mix == "load" || mix == "load-any" || mix == "search" || mix == "page" || strings.HasPrefix(mix, "web-")
}

// starts adds the targets for starts on existing stores.
func (r *report) starts() {
	for _, l := range r.Loaded {
		if l.Contender == inMemory {
			continue // nothing exists
		}
		store, _, _ := strings.Cut(l.Contender, ",")
		t := target{What: fmt.Sprintf("%s: start to first answer, on %d problems", store, l.Problems), Want: "≤ 200 ms", Unit: "ms"}
		t.set(l.firstAnswer()*1000, func(got float64) bool { return got <= 200 })
		r.Targets = append(r.Targets, t)
	}
}

// firstAnswer returns the seconds from a start to the first answer, in the middle of
// all starts.
func (l loaded) firstAnswer() float64 {
	var all []float64
	for _, b := range l.Begins {
		all = append(all, b.FirstAnswer)
	}
	return load.Median(all)
}

// idle returns the memory after a start, in the middle of all starts; 0: not known.
func (l loaded) idle() float64 {
	var all []float64
	for _, b := range l.Begins {
		all = append(all, float64(b.Idle))
	}
	return load.Median(all)
}
