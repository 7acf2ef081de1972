// Package clock judges the clock of a machine. Its rules are pure. They keep a wrong
// clock from dating changes.
package clock

import (
	"fmt"
	"strings"
	"time"
)

// Reading is the state of a machine's two clocks at one moment.
type Reading struct {
	// Wall is the time of day. People and services can set this clock.
	Wall time.Time
	// Steady is the time since a fixed moment. Nobody can set this clock. It goes on while
	// the machine sleeps. It is always 0 on a machine without such a clock.
	Steady time.Duration
}

// Limits bound a clock's lead. An operator can lift them at a start. 0 is no bound.
type Limits struct {
	// Step is the greatest lead over the steady clock while a server runs.
	Step time.Duration
	// Gap is the greatest lead over the newest time in the store at the start of a server.
	// An idle store looks the same as a wrong clock.
	Gap time.Duration
}

const (
	// settling is the time after a start with Gap in force beside Step. Many machines set
	// their clock only when their network is up.
	settling = 10 * time.Minute
	// noticeable is the smallest lag for the state Behind. Servers on one store differ by
	// less.
	noticeable = time.Minute
)

// State is the result of comparing a clock with its expected time.
type State string

// The states of a clock.
const (
	Right State = "right"
	// Ahead is further ahead than the limit. Nothing may be dated by it.
	Ahead State = "ahead"
	// Behind is at least a minute behind. It is believed.
	Behind State = "behind"
)

// Verdict is the result of judging a clock. For a clock not believed, it is an error as
// well.
type Verdict struct {
	State State
	// Wall is the time shown by the clock.
	Wall time.Time
	// By is the lead or the lag of the clock; not negative.
	By time.Duration
	// Limit is the exceeded limit, for Ahead.
	Limit time.Duration
	// AtStart is true after a comparison with the newest time in the store. It is false
	// after a comparison with the steady clock.
	AtStart bool
}

// Believed reports whether changes may carry the time of the clock.
func (v Verdict) Believed() bool { return v.State != Ahead }

// Error describes a clock ahead or behind.
func (v Verdict) Error() string {
	expected := "the time by the steady clock"
	if v.AtStart {
		expected = "the newest change in the store"
	}
	if v.State == Behind {
		return fmt.Sprintf("the clock shows %s, %s behind %s", v.Wall.UTC().Format(time.RFC3339), span(v.By), expected)
	}
	return fmt.Sprintf("the clock shows %s, %s ahead of %s; the limit is %s",
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

// Trust holds the expectations of a believed clock.
type Trust struct {
	limits Limits
	newest time.Time // in the store at the start; of an empty store, the time of the start
	began  Reading
	latest Reading // the believed reading furthest ahead
}

// Begin judges the clock at a start by the newest time in the store. newest is zero for
// an empty store. accept lifts the limit. The Trust is zero for a clock not believed.
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
// An unbelieved clock does not change them: after its return, Judge believes it again. A
// clock set back does not change them either: it may return.
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

// compare compares the clock with its expected time.
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
