package clockwatch

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/problemtracking/problems/domain/clock"
	"github.com/problemtracking/problems/domain/fault"
)

var noon = time.Date(2015, 11, 5, 12, 0, 0, 0, time.UTC)

// The store is asked for its newest time until it answers, and not again. A clock that
// goes ahead later is compared with the steady one.
func TestWatch(t *testing.T) {
	t.Parallel()
	wall, steady := noon, time.Duration(0)
	away, asked := true, 0
	w := New(func() time.Time { return wall }, clock.Guard{
		Limits: clock.Limits{Step: time.Hour, Gap: 24 * time.Hour},
		Steady: func() time.Duration { return steady },
	}, func(context.Context) (time.Time, error) {
		asked++
		if away {
			return time.Time{}, fault.New(fault.Unavailable, "the store is away")
		}
		return noon.Add(-time.Minute), nil
	})
	if err := w.Recheck(); !fault.Is(err, fault.Unavailable) {
		t.Errorf("before the first reading: %v", err)
	}
	if _, err := w.Read(t.Context()); !fault.Is(err, fault.Unavailable) || w.Refusals() != 0 {
		t.Errorf("without the store: %v, and %d refusals", err, w.Refusals())
	}
	away = false
	for range 2 {
		if at, err := w.Read(t.Context()); err != nil || !at.Equal(noon) {
			t.Errorf("with the store: %v, %v", at, err)
		}
	}
	if asked != 2 {
		t.Errorf("the store was asked %d times, want twice", asked)
	}
	wall, steady = noon.Add(3*time.Hour), time.Hour
	_, err := w.Read(t.Context())
	if v, ok := errors.AsType[clock.Verdict](err); !ok || v.By != 2*time.Hour || v.AtStart {
		t.Errorf("two hours ahead: %v", err)
	}
	if !w.Refused() || w.Refusals() != 1 || w.Offset() != 2*time.Hour {
		t.Errorf("refused: %v, %d times, with the offset %v", w.Refused(), w.Refusals(), w.Offset())
	}
	wall = noon.Add(time.Hour)
	if err := w.Recheck(); err != nil || w.Refused() {
		t.Errorf("when the clock is back: %v, refused: %v", err, w.Refused())
	}
}

// Without bounds, the store is not asked.
func TestWatchWithoutBounds(t *testing.T) {
	t.Parallel()
	w := New(func() time.Time { return noon }, clock.Guard{}, func(context.Context) (time.Time, error) {
		t.Error("the store was asked")
		return time.Time{}, nil
	})
	if at, err := w.Read(t.Context()); err != nil || !at.Equal(noon) {
		t.Errorf("got %v, %v", at, err)
	}
	if err := w.Recheck(); err != nil {
		t.Error(err)
	}
}
