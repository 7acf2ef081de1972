package readiness

import (
	"context"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/problemtracking/problems/domain/fault"
)

// A probe is made once a second, and not at all while other writes succeed. A failure holds
// for a second, unless another write succeeds.
func TestCheck(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := New(time.Now)
		var probes int
		var fails error
		check := func(rule string, ready bool, made int) {
			t.Helper()
			err := r.Check(t.Context(), func(context.Context) error {
				probes++
				if fails == nil {
					r.Prove(time.Now())
				}
				return fails
			})
			if (err == nil) != ready || !ready && !fault.Is(err, fault.Unavailable) || probes != made {
				t.Errorf("%s: %v, with %d probes; want ready %v, with %d", rule, err, probes, ready, made)
			}
		}
		check("the first question", true, 1)
		time.Sleep(time.Second - 1)
		check("within a second", true, 1)
		time.Sleep(time.Nanosecond)
		fails = fault.New(fault.Internal, "the disk is full")
		check("after a second", false, 2)
		fails = nil
		check("within a second of the failure", false, 2)
		r.Prove(time.Now())
		check("another write succeeds", true, 2)
	})
}

// The probe goes on without those who asked for it.
func TestProbeGoesOn(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := New(time.Now)
		var ended atomic.Bool
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		err := r.Check(ctx, func(ctx context.Context) error {
			<-ctx.Done()
			ended.Store(true)
			return ctx.Err()
		})
		if !fault.Is(err, fault.Unavailable) || ended.Load() {
			t.Errorf("got %v, and the probe has ended: %v", err, ended.Load())
		}
		time.Sleep(probeFor)
		synctest.Wait()
		if !ended.Load() {
			t.Error("the probe goes on for longer than its limit")
		}
	})
}
