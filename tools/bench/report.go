package main

import (
	"encoding/json"
	"fmt"
	"os"
	"time"

	"github.com/problemtracking/problems/tools/bench/internal/load"
)

// report has all measurements.
type report struct {
	Machine  machine      `json:"machine"`
	Loaded   []loaded     `json:"loaded"`
	Cells    []cell       `json:"cells"`
	Feed     feed         `json:"feed"`
	Webhooks []delivered  `json:"webhooks,omitempty"`
	Versus   []comparison `json:"versus,omitempty"`
	Targets  []target     `json:"targets"`
	Notes    []string     `json:"notes"`
}

// loaded is how a data set came into a store, and how servers begin on it.
type loaded struct {
	Contender string       `json:"contender"`
	Problems  int64        `json:"problems"`
	Seconds   float64      `json:"seconds"`
	Begins    []load.Begin `json:"begins"`
}

// cell has the results of one mix, one number of connections and one contender, in all
// rounds. Times are in milliseconds, memory is in bytes. Unknown values are nil.
type cell struct {
	Mix         string `json:"mix"`
	Title       string `json:"title"`
	Connections int    `json:"connections"`
	Contender   string `json:"contender"`
	Kind        string `json:"kind"`
	Large       bool   `json:"large,omitempty"`

	PerSecond float64  `json:"perSecond"` // the median of the rounds
	Least     float64  `json:"least"`
	Most      float64  `json:"most"`
	P50       *float64 `json:"p50,omitempty"` // of all requests of all rounds
	P99       *float64 `json:"p99,omitempty"`
	P999      *float64 `json:"p999,omitempty"`
	Errors    int      `json:"errors"`
	// CPU seconds per 1,000 requests.
	ServerCPU   *float64 `json:"serverCPU,omitempty"`
	DatabaseCPU *float64 `json:"databaseCPU,omitempty"`
	ClientCPU   *float64 `json:"clientCPU,omitempty"`
	Peak        *int64   `json:"peak,omitempty"` // the most memory of the server
	// Synced transactions and decisions made again, per write.
	Transactions *float64 `json:"transactions,omitempty"`
	Retries      *float64 `json:"retries,omitempty"`
	// Allocations per request, of the whole server.
	Allocations *float64 `json:"allocations,omitempty"`

	Rounds []load.Outcome `json:"rounds"`
}

// sum combines the rounds, and drops the single latencies.
func (c *cell) sum() {
	var rates []float64
	var all []load.Latencies
	requests := 0
	for i := range c.Rounds {
		o := &c.Rounds[i]
		rates = append(rates, o.PerSecond())
		all = append(all, o.Latencies)
		o.Latencies = nil
		requests += o.Requests
		for _, f := range o.Failures {
			c.Errors += f.Count
		}
		if o.Memory != nil && (c.Peak == nil || *c.Peak < o.Memory.Peak) {
			c.Peak = &o.Memory.Peak
		}
	}
	c.PerSecond = load.Median(rates)
	c.Least, c.Most = rates[0], rates[0]
	for _, rate := range rates {
		c.Least, c.Most = min(c.Least, rate), max(c.Most, rate)
	}
	if l := load.Gather(all...); len(l) > 0 {
		c.P50, c.P99, c.P999 = milliseconds(l.At(50)), milliseconds(l.At(99)), milliseconds(l.At(99.9))
	}
	per1000 := func(of func(load.Outcome) *float64) *float64 { return c.per(of, float64(requests)/1000) }
	c.ServerCPU = per1000(func(o load.Outcome) *float64 {
		return o.CPUTime(func(p *load.Processors) *float64 { return &p.Server })
	})
	c.DatabaseCPU = per1000(func(o load.Outcome) *float64 {
		return o.CPUTime(func(p *load.Processors) *float64 { return p.Database })
	})
	c.ClientCPU = per1000(func(o load.Outcome) *float64 {
		return o.CPUTime(func(p *load.Processors) *float64 { return &p.Client })
	})
	metric := func(of func(*load.Measurements) *float64) func(load.Outcome) *float64 {
		return func(o load.Outcome) *float64 {
			if o.Metrics == nil {
				return nil
			}
			return of(o.Metrics)
		}
	}
	c.Allocations = c.per(metric(func(m *load.Measurements) *float64 { return m.Allocations }), float64(requests))
	if commits := c.per(metric(func(m *load.Measurements) *float64 { return m.Commits }), 1); commits != nil {
		c.Transactions = c.per(metric(func(m *load.Measurements) *float64 { return m.Transactions }), *commits)
		c.Retries = c.per(metric(func(m *load.Measurements) *float64 { return m.Retries }), *commits)
	}
}

// per returns the sum over all rounds of a number, divided by another; nil if it is
// not known in every round, or there is nothing to divide it by.
func (c *cell) per(of func(load.Outcome) *float64, divisor float64) *float64 {
	sum := 0.
	for _, o := range c.Rounds {
		value := of(o)
		if value == nil {
			return nil
		}
		sum += *value
	}
	if divisor == 0 {
		return nil
	}
	sum /= divisor
	return &sum
}

func milliseconds(d time.Duration) *float64 {
	ms := float64(d) / float64(time.Millisecond)
	return &ms
}

// errors returns all failures.
func (r *report) errors() (all []load.Failures) {
	for _, c := range r.Cells {
		for _, o := range c.Rounds {
			for _, f := range o.Failures {
				f.Kind = c.Contender + ", " + c.Title + ": " + f.Kind
				all = load.Add(all, []load.Failures{f})
			}
		}
	}
	for _, d := range r.Webhooks {
		for _, round := range d.Rounds {
			for _, f := range round.Failures {
				f.Kind = fmt.Sprintf("%s, writes with %d webhooks: %s", d.Contender, d.Webhooks, f.Kind)
				all = load.Add(all, []load.Failures{f})
			}
		}
	}
	return all
}

// count returns how many requests over HTTP were answered as they have to be, warming
// up left aside, and how many were not.
func (r *report) count() (answered, wrong int) {
	for _, c := range r.Cells {
		for _, o := range c.Rounds {
			if c.P50 != nil { // mixes without HTTP have no latencies
				answered += o.Requests
			}
		}
		wrong += c.Errors
	}
	return answered, wrong
}

// others returns the share of the machine used by other processes during the mixes;
// false: unknown.
func (r *report) others() (share float64, known bool) {
	used, available := 0., 0.
	for _, c := range r.Cells {
		for _, o := range c.Rounds {
			if o.CPU != nil {
				used += o.CPU.Others
				available += o.Seconds * float64(r.Machine.CPUs)
			}
		}
	}
	return used / available, available > 0
}

// find returns the cell of a mix, a number of connections and a kind of contender; nil if
// there is none.
func (r *report) find(mix string, connections int, kind string, large bool) *cell {
	for i := range r.Cells {
		if c := &r.Cells[i]; c.Mix == mix && c.Connections == connections && c.Kind == kind && c.Large == large {
			return c
		}
	}
	return nil
}

// write writes the report as JSON.
func (r *report) write(path string) error {
	text, err := json.MarshalIndent(r, "", "\t")
	if err != nil {
		return err
	}
	return os.WriteFile(path, append(text, '\n'), 0o666)
}
