package flood_test

import (
	"fmt"
	"maps"
	"net/netip"
	"testing"
	"time"

	"github.com/problemtracking/problems/app/internal/flood"
)

func TestGate(t *testing.T) {
	t.Parallel()
	start := time.Date(2015, 11, 5, 0, 0, 0, 0, time.UTC)
	type lines struct {
		after  time.Duration // since the start
		n      int
		label  string
		hosts  int // that they come from, in turns; 0: nowhere
		passed int
	}
	for _, c := range []struct {
		rule      string
		lines     []lines
		held      int
		since     time.Duration
		labels    map[string]int
		addresses int
	}{
		{"nothing happens", nil, 0, 0, nil, 0},
		{"a minute's worth at once", []lines{{0, flood.PerMinute, "401", 1, flood.PerMinute}}, 0, 0, nil, 0},
		{"what is more is counted", []lines{
			{0, flood.PerMinute + 1, "401", 1, flood.PerMinute}, {0, 2, "404", 0, 0},
		}, 3, 0, map[string]int{"401": 1, "404": 2}, 1},
		{"two a second once that is used up", []lines{
			{0, 1000, "400", 0, flood.PerMinute}, {time.Second, 1000, "400", 3, 2}, {time.Second, 5, "401", 1, 0}, {3 * time.Second, 6, "400", 0, 4},
		}, 880 + 998 + 5 + 2, 0, map[string]int{"400": 880 + 998 + 2, "401": 5}, 3},
		{"everything after a minute without any", []lines{
			{time.Second, flood.PerMinute + 1, "429", 1, flood.PerMinute}, {61 * time.Second, flood.PerMinute + 1, "429", 1, flood.PerMinute},
		}, 2, time.Second, map[string]int{"429": 2}, 1},
		{"a clock that goes back lets nothing more through", []lines{
			{time.Hour, 121, "404", 0, flood.PerMinute}, {0, 100, "404", 0, 0},
		}, 101, time.Hour, map[string]int{"404": 101}, 0},
		{"addresses are told apart up to a limit", []lines{
			{0, 5000, "401", 5000, flood.PerMinute},
		}, 5000 - flood.PerMinute, 0, map[string]int{"401": 5000 - flood.PerMinute}, flood.MostAddresses},
	} {
		g := flood.New()
		for _, l := range c.lines {
			passed := 0
			for i := range l.n {
				var from netip.Addr
				if l.hosts > 0 {
					from = netip.MustParseAddr(fmt.Sprintf("2001:db8::%x", i%l.hosts))
				}
				if g.Pass(start.Add(l.after), l.label, from) {
					passed++
				}
			}
			if passed != l.passed {
				t.Errorf("%s: of %d lines after %s, %d got through, want %d", c.rule, l.n, l.after, passed, l.passed)
			}
		}
		held := g.Take()
		if held.Lines != c.held || held.Lines > 0 && !held.Since.Equal(start.Add(c.since)) || !maps.Equal(held.Labels, c.labels) || len(held.Addresses) != c.addresses {
			t.Errorf("%s: counted are %d since %s, with %v, from %d", c.rule, held.Lines, held.Since, held.Labels, len(held.Addresses))
		}
		if again := g.Take(); again.Lines != 0 {
			t.Errorf("%s: %d lines are summed up twice", c.rule, again.Lines)
		}
	}
}

// Whatever labels there are, few are told apart, and no line is left out.
func TestManyLabels(t *testing.T) {
	t.Parallel()
	g := flood.New()
	for i := range flood.PerMinute + 1000 {
		g.Pass(time.Time{}, fmt.Sprint(i), netip.Addr{})
	}
	held, sum := g.Take(), 0
	for _, n := range held.Labels {
		sum += n
	}
	if sum != 1000 || len(held.Labels) != flood.MostLabels+1 || held.Labels[flood.Other] != 1000-flood.MostLabels {
		t.Errorf("%d lines have %d labels: %v", sum, len(held.Labels), held.Labels)
	}
}
