package clock

import "time"

// Guard bounds how far the clock of a server may go ahead. Times of changes never go
// back, so one wrong date would stay with all later changes. The zero Guard has no bounds.
type Guard struct {
	Limits Limits
	// Steady returns the time since a fixed moment, by a clock without adjustments. It
	// counts the sleep of the machine as well. With nil, only Limits.Gap applies, from
	// the latest believed time.
	Steady func() time.Duration
	// Accept lifts Limits.Gap for the start.
	Accept bool
	// Changed, if not nil, is called when the state of the clock changes. At the start
	// it is called unless the clock is right. It must not read the guarded clock.
	Changed func(Verdict)
}
