package background

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/problemtracking/problems/domain/fault"
)

// The end waits until the work has returned.
func TestRunEnds(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		returned := false
		end := Run(func(ctx context.Context) {
			<-ctx.Done()
			time.Sleep(time.Second)
			returned = true
		})
		if end(); !returned {
			t.Error("the work goes on after its end")
		}
	})
}

// Each series of failures is told once. An outage of the store is none, nor is the end of the
// worker.
func TestRepeatTellsTheFirstFailure(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		one, other := errors.New("one"), errors.New("other")
		away, cut := fault.New(fault.Unavailable, "away"), fault.New(fault.UnknownOutcome, "cut off")
		ctx, end := context.WithCancel(t.Context())
		results := []error{nil, one, other, away, one, cut, other, nil, one, nil, one}
		began, calls := time.Now(), 0
		var told []error
		Repeat(ctx, func() error {
			if calls++; calls == len(results) {
				end()
			}
			return results[calls-1]
		}, func(err error) { told = append(told, err) })
		if want := []error{one, one, other, one}; !slices.Equal(told, want) || calls != len(results) {
			t.Errorf("%d calls, told are %v, want %v", calls, told, want)
		}
		if took, want := time.Since(began), time.Duration(len(results)-1)*lookFor; took != want {
			t.Errorf("the calls took %v, want %v", took, want)
		}
	})
}

func TestCounts(t *testing.T) {
	t.Parallel()
	var c Counts[string]
	if n := c.Of("sent"); n != 0 {
		t.Errorf("there are %d before the first", n)
	}
	var all sync.WaitGroup
	for range 50 {
		all.Go(func() { c.Add("sent") })
	}
	all.Wait()
	if sent, lost := c.Of("sent"), c.Of("lost"); sent != 50 || lost != 0 {
		t.Errorf("there are %d sent and %d lost, want 50 and 0", sent, lost)
	}
}
