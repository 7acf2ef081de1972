package main

import (
	"math"
	"strings"
	"testing"

	"github.com/problemtracking/problems/tools/bench/internal/load"
)

// measuredWebhooks are the webhooks of two stores: the second one misses its goals.
func measuredWebhooks() *report {
	rounds := func(writes ...int) (all []load.Delivered) {
		for _, n := range writes {
			all = append(all, load.Delivered{Written: load.Written{Writes: n, Seconds: 1, ServerCPU: ptr(1.)}, Messages: n / 10, Memory: 50 * megabyte})
		}
		return all
	}
	return &report{Webhooks: []delivered{
		{Contender: onSQLite, Rounds: rounds(1000, 2000, 3000)},
		{Contender: onSQLite, Webhooks: 100, P50: ptr(30.), P99: ptr(40.), Rounds: rounds(500, 1900, 2850)}, // .5, .95, .95
		{Contender: onSQLite, Webhooks: 1000, Hanging: true, Rate: webhookRate, P50: ptr(60.), P99: ptr(2000.), Rounds: rounds(200)},
		{Contender: onPostgres, Rounds: rounds(1000)},
		{Contender: onPostgres, Webhooks: 100, Rounds: rounds(890)},
		{Contender: onPostgres, Webhooks: 1000, Hanging: true, Rate: webhookRate, P99: ptr(2001.), Rounds: rounds(200)},
	}}
}

func TestWebhookTargets(t *testing.T) {
	t.Parallel()
	r := measuredWebhooks()
	r.webhookTargets(options{stores: []string{inMemory, onSQLite, onPostgres}, webhooks: 1000, hang: leastHang})
	for begin, want := range map[string]struct {
		got float64
		met bool
	}{
		"sqlite: writes with 100":   {.95, true},
		"sqlite: answer to":         {2000, true},
		"postgres: writes with 100": {.89, false},
		"postgres: answer to":       {2001, false},
	} {
		got := find(t, r, begin)
		if got.Got == nil || math.Abs(*got.Got-want.got) > 1e-9 || got.Met != want.met {
			t.Errorf("%s: %s, met: %t; want %v, %t", got.What, figure("%v", got.Got), got.Met, want.got, want.met)
		}
	}
	if got := find(t, r, "memory: writes with"); got.Got != nil || got.Met {
		t.Errorf("%s: met, though it was not measured", got.What)
	}
	short := measuredWebhooks()
	short.webhookTargets(options{stores: []string{onSQLite}, webhooks: 30, hang: leastHang / 2})
	if got := find(t, short, "sqlite: answer to"); got.Got != nil || got.Met || got.Why == "" {
		t.Errorf("%s: %+v, though no receiver has hung to its end", got.What, got)
	}
}

func TestPrintedWebhooks(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	measuredWebhooks().printWebhooks(&out)
	for _, row := range []string{
		"| 0                  | sqlite    | all             | 2000     | 200        |",
		"| 1000, a third hang | sqlite    | 200             | 200      | 20         | 60.0                      | 2000.0 | 5.00 ",
	} {
		if !strings.Contains(out.String(), row) {
			t.Errorf("there is no row %q in\n%s", row, out.String())
		}
	}
	out.Reset()
	if new(report).printWebhooks(&out); out.Len() > 0 {
		t.Errorf("without measurements, printed is %q", out.String())
	}
}
