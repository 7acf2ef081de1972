package main

import (
	"math"
	"strings"
	"testing"

	"github.com/problemtracking/problems/tools/bench/internal/load"
	"github.com/problemtracking/problems/tools/launch"
)

// measuredFeed is a feed on two stores, measured in two rounds.
func measuredFeed() feed {
	writes := func(store string, listeners, rate int, elsewhere bool, p99 float64, first, second int) heard {
		return heard{Contender: store, Listeners: listeners, Rate: rate, Elsewhere: elsewhere, P50: ptr(1.), P99: &p99,
			Rounds: []load.Heard{{Written: load.Written{Writes: first, Seconds: 1, ServerCPU: ptr(1.)}}, {Written: load.Written{Writes: 2 * second, Seconds: 2, ServerCPU: ptr(2.)}}}}
	}
	return feed{
		CatchUps: []catchUp{
			{Contender: onSQLite, CaughtUp: load.CaughtUp{Events: 90_000, Seconds: 1, Memory: &launch.Memory{Peak: 77 * megabyte}}},
			{Contender: onSQLite, CaughtUp: load.CaughtUp{Events: 90_000, Seconds: 3}},
			{Contender: onSQLite, Streamed: true, CaughtUp: load.CaughtUp{Events: 90_000, Seconds: 2}},
		},
		Listening: []heard{
			writes(onSQLite, 0, 0, false, 0, 100, 1000), writes(onSQLite, 100, 0, false, 60, 50, 900), writes(onSQLite, 100, feedRate, false, 49, 100, 100),
			writes(onPostgres, 100, feedRate, true, 1001, 100, 100),
		},
		Idle: []idle{
			{onSQLite, load.Idle{Streams: 10, Seconds: 30, Before: 10 * megabyte, Open: 41 * megabyte, CPU: ptr(1.)}},
			{onPostgres, load.Idle{Streams: 10, Seconds: 30, Before: 10 * megabyte, Open: 40 * megabyte, Queries: ptr(150.)}},
		},
	}
}

func TestFeedTargets(t *testing.T) {
	t.Parallel()
	f := measuredFeed()
	r := &report{Targets: f.targets(options{stores: []string{onSQLite, onPostgres}, history: 90_000})}
	for begin, want := range map[string]struct {
		got float64
		met bool
	}{
		"sqlite: catch up on 90000 events, in pages": {60_000, true}, // in the middle
		"sqlite: catch up on 90000 events, as a":     {45_000, false},
		"sqlite: writes with 100":                    {.7, false}, // .5 and .9
		"sqlite: answer to arrival, 100 listeners":   {49, true},
		"sqlite: memory of 10":                       {31, false},
		"postgres: the same at another server":       {1001, false},
		"postgres: memory of 10":                     {30, true},
		"postgres: queries of 10":                    {5, true},
	} {
		got := find(t, r, begin)
		if got.Got == nil || math.Abs(*got.Got-want.got) > 1e-9 || got.Met != want.met {
			t.Errorf("%s: %s, met: %t; want %v, %t", got.What, figure("%v", got.Got), got.Met, want.got, want.met)
		}
	}
	for _, begin := range []string{"postgres: catch up", "postgres: writes with 100", "postgres: answer to arrival"} {
		if got := find(t, r, begin); got.Got != nil || got.Met {
			t.Errorf("%s: %v, though it was not measured", got.What, *got.Got)
		}
	}
}

func TestPrintedFeed(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	f := measuredFeed()
	f.print(&out)
	for _, row := range []string{
		"| in pages of 1,000   | sqlite    | 90000  | 90000    |                     | 77      |",
		"| 100       | sqlite                                | all             | 475      | 1.0                       | 60.0   | 1.62 ",
		"| 100       | postgres, listeners at another server | 100 ",
		"| 10           | postgres  | 10        | 40           |                  | 5.00 ",
	} {
		if !strings.Contains(out.String(), row) {
			t.Errorf("there is no row %q in\n%s", row, out.String())
		}
	}
	if (&feed{}).print(&out); !new(feed).empty() || f.empty() {
		t.Error("a feed without measurements is not empty, or one with them is")
	}
}
