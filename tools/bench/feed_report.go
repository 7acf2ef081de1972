package main

import (
	"fmt"
	"io"

	"github.com/problemtracking/problems/tools/bench/internal/load"
)

// empty reports whether nothing was measured.
func (f *feed) empty() bool { return len(f.CatchUps)+len(f.Listening)+len(f.Idle) == 0 }

// print prints the measurements of the feed, if there are any.
func (f *feed) print(out io.Writer) {
	if len(f.CatchUps) > 0 {
		rows := [][]string{{"read the whole feed", "contender", "events", "events/s", "CPU s of the server", "most MB"}}
		for _, c := range f.CatchUps {
			row := []string{c.way(), c.Contender, fmt.Sprint(c.Events), fmt.Sprintf("%.0f", c.perSecond()), figure("%.2f", c.CPU), ""}
			if c.Memory != nil {
				row[5] = megabytes(&c.Memory.Peak)
			}
			rows = append(rows, row)
		}
		table(out, rows)
		fmt.Fprintln(out)
	}
	if len(f.Listening) > 0 {
		rows := [][]string{{"listeners", "contender", "wanted writes/s", "writes/s", "answer to arrival: p50 ms", "p99 ms", "server: CPU s per 1,000 writes"}}
		for _, h := range f.Listening {
			name, rate := h.Contender, "all"
			if h.Elsewhere {
				name += ", listeners at another server"
			}
			if h.Rate > 0 {
				rate = fmt.Sprint(h.Rate)
			}
			rows = append(rows, []string{fmt.Sprint(h.Listeners), name, rate, fmt.Sprintf("%.0f", h.perSecond()), figure("%.1f", h.P50), figure("%.1f", h.P99), figure("%.2f", h.cost())})
		}
		table(out, rows)
		fmt.Fprintln(out)
	}
	if len(f.Idle) > 0 {
		rows := [][]string{{"idle streams", "contender", "MB before", "MB with them", "CPU s per minute", "database queries/s"}}
		for _, i := range f.Idle {
			rows = append(rows, []string{fmt.Sprint(i.Streams), i.Contender, megabytes(&i.Before), megabytes(&i.Open), figure("%.2f", per(i.CPU, i.Seconds/60)), figure("%.2f", per(i.Queries, i.Seconds))})
		}
		table(out, rows)
		fmt.Fprintln(out)
	}
}

func (c catchUp) way() string {
	if c.Streamed {
		return "as a stream"
	}
	return "in pages of 1,000"
}

func (c catchUp) perSecond() float64 { return float64(c.Events) / c.Seconds }

// perSecond returns the rate of writes, the median of the rounds.
func (h *heard) perSecond() float64 {
	rates := make([]float64, len(h.Rounds))
	for i, round := range h.Rounds {
		rates[i] = round.PerSecond()
	}
	return load.Median(rates)
}

// cost returns the CPU seconds of the server per 1,000 writes; nil: not known.
func (h *heard) cost() *float64 {
	written := make([]load.Written, len(h.Rounds))
	for i, round := range h.Rounds {
		written[i] = round.Written
	}
	return cost(written)
}

func cost(rounds []load.Written) *float64 {
	seconds, writes := 0., 0
	for _, round := range rounds {
		if round.ServerCPU == nil {
			return nil
		}
		seconds += *round.ServerCPU
		writes += round.Writes
	}
	return per(&seconds, float64(writes)/1000)
}

// per divides a number, if it is known.
func per(n *float64, by float64) *float64 {
	if n == nil || by == 0 {
		return nil
	}
	quotient := *n / by
	return &quotient
}

// targets compares the feed with its goals.
func (f *feed) targets(o options) (all []target) {
	add := func(what, want, unit string, got *float64, met func(float64) bool) {
		t := target{What: what, Want: want, Unit: unit}
		if got != nil {
			t.set(*got, met)
		}
		all = append(all, t)
	}
	for _, store := range o.stores {
		if store != inMemory {
			for _, streamed := range []bool{false, true} {
				c := catchUp{Streamed: streamed}
				add(fmt.Sprintf("%s: catch up on %d events, %s", store, o.history, c.way()), "≥ 50,000 events/s", "events/s", f.caughtUp(store, streamed),
					func(got float64) bool { return got >= 50_000 })
			}
		}
		add(store+": writes with 100 listeners, of those with none", "≥ 0.90", "", f.share(store, 100), func(got float64) bool { return got >= .9 })
		add(fmt.Sprintf("%s: answer to arrival, 100 listeners, %d writes/s, p99", store, feedRate), "≤ 50 ms", "ms", f.arrival(store, false),
			func(got float64) bool { return got <= 50 })
		if store == onPostgres {
			add(fmt.Sprintf("%s: the same at another server", store), "≤ 1,000 ms", "ms", f.arrival(store, true), func(got float64) bool { return got <= 1000 })
		}
		for _, i := range f.Idle {
			if i.Contender != store {
				continue
			}
			more := float64(i.Open-i.Before) / megabyte
			add(fmt.Sprintf("%s: memory of %d idle streams", store, i.Streams), "≤ 30 MB", "MB", &more, func(got float64) bool { return got <= 30 })
			if store == onPostgres {
				add(fmt.Sprintf("%s: queries of %d idle streams", store, i.Streams), "≤ 5 /s", "/s", per(i.Queries, i.Seconds), func(got float64) bool { return got <= 5 })
			}
		}
	}
	return all
}

// caughtUp returns the median of the rates.
func (f *feed) caughtUp(store string, streamed bool) *float64 {
	var rates []float64
	for _, c := range f.CatchUps {
		if c.Contender == store && c.Streamed == streamed {
			rates = append(rates, c.perSecond())
		}
	}
	if len(rates) == 0 {
		return nil
	}
	rate := load.Median(rates)
	return &rate
}

// find returns the writes with a number of listeners; nil: there are none.
func (f *feed) find(store string, listeners, rate int, elsewhere bool) *heard {
	for i := range f.Listening {
		if h := &f.Listening[i]; h.Contender == store && h.Listeners == listeners && h.Rate == rate && h.Elsewhere == elsewhere {
			return h
		}
	}
	return nil
}

// share returns the rate of writes with listeners as a share of that without, the median
// of the rounds.
func (f *feed) share(store string, listeners int) *float64 {
	with, without := f.find(store, listeners, 0, false), f.find(store, 0, 0, false)
	if with == nil || without == nil {
		return nil
	}
	shares := make([]float64, len(with.Rounds))
	for i := range shares {
		shares[i] = with.Rounds[i].PerSecond() / without.Rounds[i].PerSecond()
	}
	share := load.Median(shares)
	return &share
}

func (f *feed) arrival(store string, elsewhere bool) *float64 {
	if h := f.find(store, 100, feedRate, elsewhere); h != nil {
		return h.P99
	}
	return nil
}
