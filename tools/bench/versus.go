package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"

	"github.com/problemtracking/problems/tools/bench/internal/load"
)

// leastOfOther is the smallest rate of this build, of that of the other one, that counts as
// no slower.
const leastOfOther = 0.9

// leastRounds is how many rounds an interval with 95 % confidence needs.
const leastRounds = 6

// otherKind names a server of the other build.
func otherKind(store string) string { return store + ", the other build" }

// comparison has the rates of both builds in one mix on one store.
type comparison struct {
	Mix         string   `json:"mix"`
	Title       string   `json:"title"`
	Connections int      `json:"connections"`
	Store       string   `json:"store"`
	Other       float64  `json:"other"` // requests per second
	This        float64  `json:"this"`
	Ratio       float64  `json:"ratio"` // this of the other: the median of the rounds
	Low         float64  `json:"low"`   // the ends of its interval
	High        float64  `json:"high"`
	CPU         *float64 `json:"cpu,omitempty"` // the same by CPU seconds of server and database
	Repeated    bool     `json:"repeated,omitempty"`
}

// slower reports whether even the upper end of the interval is below the least.
func (c comparison) slower() bool { return c.High < leastOfOther }

// compare compares both builds in a mix on every store on which both were measured.
func (r *report) compare(m load.Mix, connections int, stores []string) (all []comparison) {
	for _, store := range stores {
		this, other := r.find(m.Name, connections, store, false), r.find(m.Name, connections, otherKind(store), false)
		if this == nil || other == nil || other.PerSecond == 0 {
			continue // one of them was not measured, or does not know the requests
		}
		ratios := rounds(this, other)
		c := comparison{Mix: m.Name, Title: m.Title, Connections: connections, Store: store, Other: other.PerSecond, This: this.PerSecond, Ratio: load.Median(ratios)}
		c.Low, c.High = interval(ratios)
		if this.cost() > 0 && other.cost() > 0 {
			cpu := other.cost() / this.cost()
			c.CPU = &cpu
		}
		all = append(all, c)
	}
	return all
}

// interval returns the ends of the interval in which the median lies with a confidence of
// at least 95 %. It takes no shape of the distribution for granted: each measurement is
// above or below the median, as a coin falls. With less than leastRounds values, it is that
// from the least to the most.
func interval(values []float64) (low, high float64) {
	sorted := slices.SortedFunc(slices.Values(values), cmp.Compare[float64])
	n, skipped := len(sorted), 0
	// outside is the chance that at most that many of n coins fall on one side, and the next
	// one's share.
	outside, next := 0., 1.
	for range n {
		next /= 2
	}
	for {
		if outside += next; 2*outside > 0.05 {
			break
		}
		skipped++
		next *= float64(n-skipped+1) / float64(skipped)
	}
	skipped = max(skipped-1, 0)
	return sorted[skipped], sorted[n-1-skipped]
}

// measureVersus compares both builds in all mixes that were measured. It measures those in
// which this build seems slower once more, with new servers: then the second comparison counts.
func (b *bench) measureVersus(ctx context.Context) error {
	for _, m := range b.mixes {
		for _, n := range m.At(b.connections) {
			compared := b.report.compare(m, n, b.stores)
			if slices.ContainsFunc(compared, comparison.slower) {
				b.say("once more with new servers, since it seems slower:")
				b.report.forget(m.Name, n)
				if err := b.again(ctx); err != nil {
					return err
				}
				if err := b.measureMix(ctx, m, n); err != nil {
					return err
				}
				compared = b.report.compare(m, n, b.stores)
				for i := range compared {
					compared[i].Repeated = true
				}
			}
			b.report.Versus = append(b.report.Versus, compared...)
		}
	}
	return nil
}

// forget drops the cells of a mix.
func (r *report) forget(mix string, connections int) {
	r.Cells = slices.DeleteFunc(r.Cells, func(c cell) bool { return c.Mix == mix && c.Connections == connections })
}

// slower returns an error for each comparison in which this build is slower.
func (r *report) slower() (errs []error) {
	for _, c := range r.Versus {
		if c.slower() {
			errs = append(errs, fmt.Errorf("%s, %s, %d connections: %.2f of the other build, at most %.2f, where %.2f is the least. Find out why, or name a later commit as the other build and say in its message why the price is right",
				c.Store, c.Title, c.Connections, c.Ratio, c.High, leastOfOther))
		}
	}
	return errs
}

// printVersus prints the comparisons.
func (r *report) printVersus(out io.Writer) {
	if len(r.Versus) == 0 {
		return
	}
	rows := [][]string{{"mix", "conns", "store", "other build, requests/s", "this build", "ratio", "95 % interval", "by CPU seconds", ""}}
	for _, c := range r.Versus {
		note := ""
		if c.Repeated {
			note = "measured again"
		}
		if c.slower() {
			note = "**slower**"
		}
		rows = append(rows, []string{c.Title, fmt.Sprint(c.Connections), c.Store, fmt.Sprintf("%.0f", c.Other), fmt.Sprintf("%.0f", c.This),
			fmt.Sprintf("%.2f", c.Ratio), fmt.Sprintf("%.2f–%.2f", c.Low, c.High), figure("%.2f", c.CPU), note})
	}
	table(out, rows)
	fmt.Fprintln(out)
}
