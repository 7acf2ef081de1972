package config

import (
	"errors"
	"fmt"
	"time"

	"github.com/problemtracking/problems/domain/clock"
)

// ClockGap bounds how far the clock may be ahead when a process starts. 0 is no bound.
type ClockGap struct {
	Max time.Duration `name:"max-clock-gap" default:"8784h" placeholder:"TIME" help:"Largest lead of the clock over the newest change in the store at the start; 0 for any. Default: ${default}, 366 days."`
}

// Clock bounds how far the clock may go ahead without being told.
type Clock struct {
	Gap     ClockGap      `embed:""`
	MaxStep time.Duration `name:"max-clock-step" default:"24h" placeholder:"TIME" help:"Largest lead of the clock over the elapsed time since the start, with sleep; 0 for any. Above it, the service refuses writes. Default: ${default}."`
}

// AfterApply is called by kong once all flags are set.
func (c *ClockGap) AfterApply(f *Faults) error {
	if c.Max < 0 {
		return f.Add(errors.New("--max-clock-gap cannot be negative"))
	}
	return nil
}

// AfterApply is called by kong once all flags are set.
func (c *Clock) AfterApply(f *Faults) error {
	if c.MaxStep < 0 {
		return f.Add(errors.New("--max-clock-step cannot be negative"))
	}
	return nil
}

// ClockRefused returns err, with the way to go on if the clock was refused at the start.
func ClockRefused(err error) error {
	if v, ok := errors.AsType[clock.Verdict](err); ok && !v.Believed() {
		return fmt.Errorf("%s (--max-clock-gap). Set the clock. If it is right, use --accept-clock, this once", v.Error())
	}
	return err
}
