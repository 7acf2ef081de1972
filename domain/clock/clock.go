// Package clock judges whether the clock of a machine can be believed. Its rules are
// pure. They keep a clock from dating changes while it is wrong.
package clock

import (
	"fmt"
	"strings"
	"time"
)

// Reading is what two clocks of a machine show at one moment.
type Reading struct {
	// Wall is the time of day, by a clock that can be set.
	Wall time.Time
	// Steady is the time since a fixed moment, by a clock that nobody sets. It goes on
	// while the machine sleeps. It is always 0 on a machine without such a clock.
	Steady time.Duration
}

// Limits bound how far a clock may go ahead without being told. 0 is no bound.
type Limits struct {
	// Step is how far it may go ahead of the steady clock while a server runs.
	Step time.Duration
	// Gap is how far it may be ahead of the newest time in the store when a server
	// starts. An idle store looks the same as a wrong clock.
	Gap time.Duration
}

const (
	// settling is how long after a start Gap counts beside Step. Many machines set
	// their clock only when their network is up.
	settling = 10 * time.Minute
	// noticeable is how far behind a clock has to be for the state Behind. Servers on
	// one store differ by less.
	noticeable = time.Minute
)

// State says how a clock compares with what was expected of it.
type State string

// The states of a clock.
const (
	Right State = "right"
	// Ahead is further ahead than the limit. Nothing may be dated by it.
	Ahead State = "ahead"
	// Behind is at least a minute behind. It is believed.
	Behind State = "behind"
)

// Verdict is the result of judging a clock. It is an error as well, for a clock that is
// not believed.
type Verdict struct {
	State State
	// Wall is what the clock shows.
	Wall time.Time
	// By is how far it is ahead, or behind; not negative.
	By time.Duration
	// Limit is the one that it exceeds, for Ahead.
	Limit time.Duration
	// AtStart is true when it was compared with the newest time in the store, and
	// false when it was compared with the steady clock.
	AtStart bool
}

// Believed reports whether changes may have the date that the clock shows.
func (v Verdict) Believed() bool { return v.State != Ahead }

// Error describes a clock that is ahead or behind.
func (v Verdict) Error() string {
	expected := "what it was to show after the time that has passed"
	if v.AtStart {
		expected = "the newest change in the store"
	}
	if v.State == Behind {
		return fmt.Sprintf("the clock shows %s, which is %s behind %s", v.Wall.UTC().Format(time.RFC3339), span(v.By), expected)
	}
	return fmt.Sprintf("the clock shows %s, which is %s ahead of %s: more than the %s that it may be without being told",
		v.Wall.UTC().Format(time.RFC3339), span(v.By), expected, span(v.Limit))
}

// span writes a time span for people: whole days where there are many.
func span(d time.Duration) string {
	if days := d / (24 * time.Hour); days >= 3 {
		return fmt.Sprintf("%d days", days)
	}
	text := d.Round(time.Second).String()
	if hours, whole := strings.CutSuffix(text, "h0m0s"); whole {
		return hours + "h"
	}
	return text
}

// Trust holds the expectations of a clock that was believed.
type Trust struct {
	limits Limits
	newest time.Time // in the store at the start; of an empty store, the time of the start
	began  Reading
	latest Reading // the one that went furthest, of those that were believed
}

// Begin judges the clock at a start by the newest time in the store. newest is zero for
// an empty store. accept lifts the limit. The Trust is zero for a clock that is not
// believed.
func Begin(l Limits, newest time.Time, at Reading, accept bool) (Trust, Verdict) {
	if newest.IsZero() || accept && newest.Before(at.Wall) {
		newest = at.Wall
	}
	v := compare(at.Wall, newest, l.Gap)
	v.AtStart = true
	if !v.Believed() {
		return Trust{}, v
	}
	return Trust{limits: l, newest: newest, began: at, latest: at}, v
}

// Judge judges the clock while a server runs, and returns the expectations from then on.
// A clock that is not believed does not change them: once it is back, it is believed
// again. A clock that goes back does not change them either: it may return.
func (t Trust) Judge(at Reading) (Trust, Verdict) {
	v := compare(at.Wall, t.Expected(at.Steady), t.limits.Step)
	if !v.Believed() && at.Steady-t.began.Steady < settling {
		if atStart := compare(at.Wall, t.newest, t.limits.Gap); atStart.Believed() {
			v = Verdict{State: Right, Wall: at.Wall}
		}
	}
	if v.Believed() && !at.Wall.Before(t.Expected(at.Steady)) {
		t.latest = at
	}
	return t, v
}

// Expected returns the time of day at the given time of the steady clock.
func (t Trust) Expected(steady time.Duration) time.Time {
	return t.latest.Wall.Add(steady - t.latest.Steady)
}

// compare returns how the clock compares with what is expected.
func compare(wall, expected time.Time, limit time.Duration) Verdict {
	by := wall.Sub(expected)
	switch {
	case limit > 0 && by > limit:
		return Verdict{State: Ahead, Wall: wall, By: by, Limit: limit}
	case by <= -noticeable:
		return Verdict{State: Behind, Wall: wall, By: -by}
	}
	return Verdict{State: Right, Wall: wall}
}
