package clock

import (
	"math/rand/v2"
	"strings"
	"testing"
	"time"
)

const (
	day  = 24 * time.Hour
	year = 365 * day
)

var (
	start  = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	limits = Limits{Step: day, Gap: 366 * day}
)

func TestBegin(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		rule   string
		limits Limits
		newest time.Time
		accept bool
		want   State
		by     time.Duration
	}{
		{"an empty store has nothing to compare with", limits, time.Time{}, false, Right, 0},
		{"a store that was just used", limits, start.Add(-time.Second), false, Right, 0},
		{"a store that was idle for a month", limits, start.Add(-30 * day), false, Right, 0},
		{"one that was idle for exactly the gap", limits, start.Add(-366 * day), false, Right, 0},
		{"one that was idle for a moment more", limits, start.Add(-366*day - 1), false, Ahead, 366*day + 1},
		{"a clock that is ten years ahead", limits, start.Add(-10 * year), false, Ahead, 10 * year},
		{"one that is accepted", limits, start.Add(-10 * year), true, Right, 0},
		{"no bound", Limits{}, start.Add(-100 * year), false, Right, 0},
		{"servers differ a little", limits, start.Add(time.Minute - 1), false, Right, 0},
		{"a clock behind the store", limits, start.Add(time.Minute), false, Behind, time.Minute},
		{"to accept it does not put it right", limits, start.Add(year), true, Behind, year},
	} {
		trust, got := Begin(c.limits, c.newest, Reading{start, time.Hour}, c.accept)
		if got.State != c.want || got.By != c.by || !got.AtStart || !got.Wall.Equal(start) {
			t.Errorf("%s: Begin() = %+v, want %s by %s", c.rule, got, c.want, c.by)
		}
		if began := trust != (Trust{}); began != got.Believed() {
			t.Errorf("%s: there is trust: %t", c.rule, began)
		}
	}
}

// step moves the two clocks, and holds the expected result.
type step struct {
	wall, steady time.Duration
	want         State
}

func TestJudge(t *testing.T) {
	t.Parallel()
	both := func(d time.Duration, want State) step { return step{d, d, want} }
	for _, c := range []struct {
		rule   string
		limits Limits
		newest time.Duration // before the start
		steps  []step
	}{
		{"both clocks go on", limits, 0, []step{both(time.Second, Right), both(time.Hour, Right), both(year, Right), both(10*year, Right)}},
		{"the machine sleeps for a month", limits, 0, []step{both(30*day, Right), both(time.Second, Right)}},
		{"ten years ahead for a moment", limits, 0, []step{both(time.Hour, Right), {10 * year, 0, Ahead}, both(time.Second, Ahead), {-10 * year, 0, Right}, both(time.Second, Right)}},
		{"ten years ahead at once", limits, 0, []step{{10 * year, time.Second, Ahead}, {-10 * year, 0, Right}}},
		{"ten years ahead for ten years", limits, 0, []step{both(time.Hour, Right), {10 * year, 0, Ahead}, both(10*year, Ahead)}},
		{"exactly the step ahead", limits, 0, []step{both(time.Hour, Right), {day, 0, Right}, {day, 0, Right}}},
		{"a moment more than the step", limits, 0, []step{both(time.Hour, Right), {day + 1, 0, Ahead}, {-1, 0, Right}}},
		{"back, and then where it was", limits, 0, []step{both(time.Hour, Right), {-50 * year, 0, Behind}, both(day, Behind), {50 * year, 0, Right}}},
		{"back by less than is noticed", limits, 0, []step{both(time.Hour, Right), {-time.Minute + 1, 0, Right}, {-1, 0, Behind}}},
		{"back, and then too far ahead", limits, 0, []step{both(time.Hour, Right), {-year, 0, Behind}, {year + day + 1, 0, Ahead}}},
		{"set soon after the start", limits, 30 * day, []step{{300 * day, time.Minute, Right}, both(time.Hour, Right)}},
		{"set from 1970 soon after the start", limits, -56 * year, []step{{56*year + 30*day, time.Minute, Right}, both(time.Hour, Right)}},
		{"set soon after the start, but beyond the gap", limits, 30 * day, []step{{337 * day, time.Second, Ahead}}},
		{"set later than soon", limits, 30 * day, []step{both(settling, Right), {30 * day, 0, Ahead}}},
		{"no bound of steps", Limits{Gap: 366 * day}, 0, []step{both(time.Hour, Right), {10 * year, 0, Right}}},
		{"no bound of the gap", Limits{Step: day}, 0, []step{{10 * year, time.Second, Right}, both(time.Hour, Right), {2 * day, 0, Ahead}}},
		{"no steady clock: what was seen last counts", Limits{Step: 366 * day, Gap: 366 * day}, 0, []step{{300 * day, 0, Right}, {300 * day, 0, Right}, {10 * year, 0, Ahead}, {-10 * year, 0, Right}}},
	} {
		at := Reading{start, time.Hour}
		trust, v := Begin(c.limits, start.Add(-c.newest), at, false)
		if !v.Believed() {
			t.Fatalf("%s: at the start: %+v", c.rule, v)
		}
		for i, s := range c.steps {
			at.Wall, at.Steady = at.Wall.Add(s.wall), at.Steady+s.steady
			if trust, v = trust.Judge(at); v.State != s.want || v.AtStart || !v.Wall.Equal(at.Wall) {
				t.Errorf("%s: step %d: %+v, want %s", c.rule, i+1, v, s.want)
			}
		}
	}
}

// With any behaviour of the clock, believed times after the first minutes are at most
// one step ahead of the furthest one before, plus the passed time. A clock back at its
// old time is always believed.
func TestBelievedTimes(t *testing.T) {
	t.Parallel()
	const seed = 41
	random := rand.New(rand.NewPCG(seed, 0))
	jumps := []time.Duration{0, 0, 0, time.Second, time.Hour, 23 * time.Hour, 25 * time.Hour, 30 * day, 10 * year}
	for run := range 500 {
		at := Reading{start, time.Duration(random.Int64N(int64(year)))}
		trust, _ := Begin(limits, time.Time{}, at, false)
		at.Wall, at.Steady = at.Wall.Add(settling), at.Steady+settling
		furthest := at
		for i := range 50 {
			passed := time.Duration(random.Int64N(int64(2 * day)))
			at.Wall, at.Steady = at.Wall.Add(passed), at.Steady+passed
			jump := jumps[random.IntN(len(jumps))]
			if random.IntN(2) == 0 {
				jump = -jump
			}
			at.Wall = at.Wall.Add(jump)
			var v Verdict
			trust, v = trust.Judge(at)
			expected := furthest.Wall.Add(at.Steady - furthest.Steady)
			if v.Believed() != !at.Wall.After(expected.Add(limits.Step)) {
				t.Fatalf("seed %d, run %d, step %d: a clock that is %s off is believed: %t", seed, run, i, at.Wall.Sub(expected), v.Believed())
			}
			if v.Believed() && at.Wall.After(expected) {
				furthest, expected = at, at.Wall
			}
			if _, back := trust.Judge(Reading{expected, at.Steady}); back.State != Right {
				t.Fatalf("seed %d, run %d, step %d: a clock that is right again is found %+v", seed, run, i, back)
			}
		}
	}
}

func TestVerdictInWords(t *testing.T) {
	t.Parallel()
	for want, v := range map[string]Verdict{
		"the clock shows 2036-02-27T12:00:00Z, 3650 days ahead of the time by the steady clock; the limit is 24h":        {State: Ahead, Wall: start.Add(10 * year), By: 10 * year, Limit: day},
		"the clock shows 2036-02-27T12:00:00Z, 3650 days ahead of the newest change in the store; the limit is 366 days": {State: Ahead, Wall: start.Add(10 * year), By: 10 * year, Limit: 366 * day, AtStart: true},
		"the clock shows 2026-03-01T12:00:00Z, 1h30m0s behind the newest change in the store":                            {State: Behind, Wall: start, By: 90*time.Minute + time.Millisecond, AtStart: true},
	} {
		if got := v.Error(); got != want || strings.Contains(got, "\n") {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
