package main

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/problemtracking/problems/tools/bench/internal/load"
	"github.com/problemtracking/problems/tools/launch"
)

func ptr[T any](v T) *T { return &v }

// lasting returns an outcome of so many requests in so many seconds.
func lasting(requests int, seconds float64) load.Outcome {
	return load.Outcome{Requests: requests, Seconds: seconds}
}

func TestCellSumsItsRounds(t *testing.T) {
	t.Parallel()
	round := func(requests int, cpu, commits, transactions float64, peak int64, failed int) load.Outcome {
		o := lasting(requests, 2)
		o.Latencies = make(load.Latencies, requests)
		for i := range o.Latencies {
			o.Latencies[i] = time.Duration(i+1) * time.Millisecond
		}
		o.CPU = &load.Processors{Server: cpu, Database: ptr(cpu / 2), Client: cpu / 4}
		o.Memory = &launch.Memory{Peak: peak}
		o.Metrics = &load.Measurements{Commits: ptr(commits), Transactions: ptr(transactions), Retries: ptr(0.), Allocations: ptr(float64(requests) * 50)}
		if failed > 0 {
			o.Failures = []load.Failures{{Kind: "GET: 500", Count: failed, First: "first"}}
		}
		return o
	}
	c := cell{Rounds: []load.Outcome{round(100, 1, 100, 20, 7, 0), round(400, 2, 400, 30, 9, 2), round(300, 1, 300, 30, 8, 1)}}
	c.sum()
	near := func(what string, got *float64, want float64) {
		t.Helper()
		if got == nil || math.Abs(*got-want) > 1e-9 {
			t.Errorf("%s: %v; want %v", what, figure("%v", got), want)
		}
	}
	near("the median rate", &c.PerSecond, 150)
	near("the least", &c.Least, 50)
	near("the most", &c.Most, 200)
	// Of 1 … 100, 1 … 400 and 1 … 300 ms, 400 are within 150 ms and 792 within 392.
	near("p50", c.P50, 150)
	near("p99", c.P99, 392)
	near("p99.9", c.P999, 400)
	near("CPU of the server", c.ServerCPU, 4/.8)
	near("CPU of the database", c.DatabaseCPU, 2/.8)
	near("CPU of the client", c.ClientCPU, 1/.8)
	near("syncs per write", c.Transactions, .1)
	near("retries", c.Retries, 0)
	near("allocations", c.Allocations, 50)
	if c.Errors != 3 || c.Peak == nil || *c.Peak != 9 {
		t.Errorf("%d errors, peak %v; want 3, 9", c.Errors, c.Peak)
	}
}

// What is not known in one round is not known of all.
func TestCellWithoutFigures(t *testing.T) {
	t.Parallel()
	known := lasting(10, 1)
	known.CPU = &load.Processors{Server: 1}
	c := cell{Rounds: []load.Outcome{known, lasting(10, 1)}}
	c.sum()
	if c.ServerCPU != nil || c.DatabaseCPU != nil || c.Peak != nil || c.Transactions != nil || c.P50 != nil {
		t.Errorf("the cell is %+v; want no figures but rates", c)
	}
	reading := lasting(10, 1)
	reading.Metrics = &load.Measurements{Commits: ptr(0.), Transactions: ptr(0.)}
	c = cell{Rounds: []load.Outcome{reading}}
	if c.sum(); c.Transactions != nil {
		t.Errorf("%v syncs per write without a write", *c.Transactions)
	}
}

// find returns the target whose text begins so.
func find(t *testing.T, r *report, begin string) target {
	t.Helper()
	for _, target := range r.Targets {
		if strings.HasPrefix(target.What, begin) {
			return target
		}
	}
	t.Fatalf("there is no target %q", begin)
	return target{}
}

func TestTargets(t *testing.T) {
	t.Parallel()
	of := func(mix string, connections int, kind string, rates ...float64) cell {
		c := cell{Mix: mix, Connections: connections, Kind: kind}
		for _, rate := range rates {
			c.Rounds = append(c.Rounds, lasting(int(2*rate), 2))
		}
		return c
	}
	memory := of("load", 8, inMemory, 70, 140, 300)
	memory.Allocations = ptr(41.)
	memory.ServerCPU = ptr(.2)
	memory64 := of("state", 64, onSQLite, 1)
	memory64.Transactions, memory64.Peak = ptr(.2), ptr(int64(151*megabyte))
	bare := of("load", 8, sameBytes, 100, 200, 300)
	bare.ServerCPU, bare.DatabaseCPU = ptr(.06), ptr(.04)
	small, large := of("search", 8, onSQLite, 1), of("search", 8, onSQLite, 1)
	small.P50, large.P50, large.Large = ptr(2.), ptr(3.), true
	r := &report{
		Cells: []cell{memory, bare, memory64, small, large,
			of("one", 64, onPostgres, 49), of("many", 64, onPostgres, 100)},
		Loaded: []loaded{{Contender: onSQLite, Problems: 1000, Begins: []load.Begin{
			{FirstAnswer: .1, Idle: 30 * megabyte}, {FirstAnswer: .3, Idle: 40 * megabyte}, {FirstAnswer: .2, Idle: 50 * megabyte}}}},
	}
	r.setTargets(options{connections: []int{8}, stores: []string{onSQLite}, problems: 1000, large: 10_000})
	for begin, want := range map[string]struct {
		got float64
		met bool
	}{
		// In the middle of the rounds' ratios: .7, .7, 1.
		"load one problem, memory: of the bare handler with the same bytes": {.7, true},
		"patch a state, SQLite":                 {5, true},
		"64 writers on one problem":             {.49, false},
		"search, sqlite":                        {1.5, true},
		"load one problem, memory: allocations": {41, false},
		"sqlite: idle memory":                   {40, true},
		"sqlite: most memory":                   {151, false},
		"sqlite: start":                         {200, true},
	} {
		got := find(t, r, begin)
		if got.Got == nil || math.Abs(*got.Got-want.got) > 1e-9 || got.Met != want.met {
			t.Errorf("%s: %s, met: %t; want %v, %t", got.What, figure("%v", got.Got), got.Met, want.got, want.met)
		}
	}
	if got := find(t, r, "load one problem, memory: of the bare handler"); got.CPU == nil || math.Abs(*got.CPU-.5) > 1e-9 {
		t.Errorf("by CPU seconds it is %s; want 0.5", figure("%v", got.CPU))
	}
	for _, begin := range []string{"search, postgres", "load-any, sqlite"} {
		if got := find(t, r, begin); got.Got != nil || got.Met {
			t.Errorf("%s: %v, though it was not measured", got.What, *got.Got)
		}
	}
}

func TestOthers(t *testing.T) {
	t.Parallel()
	busy, quiet := lasting(1, 3), lasting(1, 1)
	busy.CPU, quiet.CPU = &load.Processors{Others: 2}, &load.Processors{}
	r := &report{Machine: machine{CPUs: 2}, Cells: []cell{{Rounds: []load.Outcome{busy, lasting(1, 9)}}, {Rounds: []load.Outcome{quiet}}}}
	if share, known := r.others(); share != .25 || !known {
		t.Errorf("others have %v, %t; want 0.25", share, known)
	}
	if share, known := new(report).others(); known {
		t.Errorf("of nothing others have %v", share)
	}
}

func TestPrintedReport(t *testing.T) {
	t.Parallel()
	r := &report{
		Machine: machine{Version: "problems v1", Go: "go1", Commit: "abc", CPUs: 2, CPU: "some CPU", Kernel: "linux 6",
			Began: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), Ended: time.Date(2026, 1, 2, 3, 5, 6, 0, time.UTC), Flags: map[string]string{"rounds": "3", "json": ""}},
		Notes: []string{"A note."},
		Cells: []cell{{Title: "größer", Connections: 8, Contender: "memory", PerSecond: 1234.5, Least: 1000, Most: 2000, P50: ptr(.5), P99: ptr(1.), P999: ptr(12.345),
			ServerCPU: ptr(.1), ClientCPU: ptr(.05), Peak: ptr(int64(3 * megabyte))}},
		Loaded:  []loaded{{Contender: "memory", Problems: 10, Seconds: 1, Begins: []load.Begin{{FirstAnswer: .05}}}},
		Targets: []target{{What: "a", Want: "≥ 1", Got: ptr(1.), Met: true, CPU: ptr(.5)}, {What: "b", Want: "≤ 2 MB", Got: ptr(3.), Unit: "MB"}, {What: "c", Want: "≤ 2", Why: "no"}, {What: "d", Want: "≤ 2"}},
	}
	var out strings.Builder
	r.print(&out)
	const want = `problems v1, built by go1 from abc. 2 cores of some CPU, linux 6. From 2026-01-02 03:04:05 to 03:05:06 UTC.

Flags: -rounds=3

A note.

| mix    | conns | contender | requests/s | least–most | p50 ms | p99 ms | p99.9 ms | errors | CPU s per 1,000: server | database | client | most MB | syncs per write |
|--------|-------|-----------|------------|------------|--------|--------|----------|--------|-------------------------|----------|--------|---------|-----------------|
| größer | 8     | memory    | 1234       | 1000–2000  | 0.50   | 1.00   | 12.35    | 0      | 0.100                   |          | 0.050  | 3       |                 |

| contender | problems | loaded in s | start to first answer, ms | idle MB |
|-----------|----------|-------------|---------------------------|---------|
| memory    | 10       | 1.0         | 50                        |         |

| what | target | measured | by CPU seconds |                  |
|------|--------|----------|----------------|------------------|
| a    | ≥ 1    | 1.00     | 0.50           | met              |
| b    | ≤ 2 MB | 3.00 MB  |                | **not met**      |
| c    | ≤ 2    |          |                | not measured: no |
| d    | ≤ 2    |          |                | not measured     |
`
	if got := out.String(); got != want {
		t.Errorf("printed is\n%s\nwant\n%s", got, want)
	}
	path := filepath.Join(t.TempDir(), "report.json")
	if err := r.write(path); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var read report
	if err := json.Unmarshal(text, &read); err != nil {
		t.Fatal(err)
	}
	if len(read.Cells) != 1 || *read.Cells[0].P999 != 12.345 || read.Cells[0].DatabaseCPU != nil || read.Machine.Commit != "abc" || len(read.Targets) != 4 {
		t.Errorf("the JSON is read as %+v", read)
	}
}
