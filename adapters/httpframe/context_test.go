package httpframe

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

type testKey struct{}

// inBubble runs a test with a request that may take a second, whose connection ends
// when it is told to.
func inBubble(t *testing.T, test func(t *testing.T, d *deadline, hangUp func())) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		connection, hangUp := context.WithCancel(context.WithValue(t.Context(), testKey{}, "value"))
		defer hangUp()
		d := &deadline{parent: context.WithoutCancel(connection), now: time.Now, until: time.Now().Add(time.Second)}
		defer d.end()
		test(t, d, hangUp)
	})
}

// ended checks that a context has ended, for this reason, and in every respect.
func ended(t *testing.T, what string, ctx context.Context, want error) {
	t.Helper()
	if err, cause := ctx.Err(), context.Cause(ctx); !errors.Is(err, want) || !errors.Is(cause, want) {
		t.Errorf("%s has ended with %v, because of %v; want %v", what, err, cause, want)
	}
	select {
	case <-ctx.Done():
	default:
		t.Errorf("%s has ended with %v, but whoever waits for that was not told", what, ctx.Err())
	}
}

func running(t *testing.T, what string, ctx context.Context) {
	t.Helper()
	if err, cause := ctx.Err(), context.Cause(ctx); err != nil || cause != nil {
		t.Errorf("%s has ended with %v, because of %v", what, err, cause)
	}
}

func TestDeadlineIsSeenByTheClock(t *testing.T) {
	inBubble(t, func(t *testing.T, d *deadline, _ func()) {
		time.Sleep(time.Second - 1)
		running(t, "a request in its time", d)
		time.Sleep(time.Nanosecond)
		if d.timed != nil {
			t.Error("a timer was set for nobody")
		}
		ended(t, "a request out of time", d, context.DeadlineExceeded)
		d.end()
		ended(t, "and that is over, too,", d, context.DeadlineExceeded)
	})
}

func TestDeadlineWakes(t *testing.T) {
	inBubble(t, func(t *testing.T, d *deadline, _ func()) {
		start := time.Now()
		time.Sleep(time.Second / 2)
		if at, ok := d.Deadline(); !ok || at.Sub(start) != time.Second {
			t.Errorf("the deadline is %v after the start, %t", at.Sub(start), ok)
		}
		<-d.Done()
		if took := time.Since(start); took != time.Second {
			t.Errorf("whoever waits is woken after %v", took)
		}
		ended(t, "the request", d, context.DeadlineExceeded)
	})
}

func TestDeadlineEndsWithTheRequest(t *testing.T) {
	inBubble(t, func(t *testing.T, d *deadline, _ func()) {
		running(t, "the request", d)
		d.end()
		ended(t, "the request", d, context.Canceled)
		time.Sleep(2 * time.Second)
		ended(t, "the request, later,", d, context.Canceled)
	})
	t.Run("asked before", func(t *testing.T) {
		inBubble(t, func(t *testing.T, d *deadline, _ func()) {
			d.Done()
			d.end()
			ended(t, "the request", d, context.Canceled)
		})
	})
}

// Contexts that are made of the request's end with it, whether it was asked for its
// end before or not.
func TestDeadlineEndsContextsBelow(t *testing.T) {
	inBubble(t, func(t *testing.T, d *deadline, _ func()) {
		below, cancel := context.WithCancel(d)
		defer cancel()
		longer, cancel := context.WithTimeoutCause(d, time.Hour, errors.New("not the reason"))
		defer cancel()
		shorter, cancel := context.WithTimeout(d, time.Second/2)
		defer cancel()
		var called time.Duration
		start := time.Now()
		context.AfterFunc(d, func() { called = time.Since(start) })
		time.Sleep(time.Second / 2)
		synctest.Wait()
		running(t, "the context below", below)
		ended(t, "the shorter one", shorter, context.DeadlineExceeded)
		time.Sleep(time.Second / 2)
		synctest.Wait()
		ended(t, "the context below", below, context.DeadlineExceeded)
		ended(t, "the longer one", longer, context.DeadlineExceeded)
		if called != time.Second {
			t.Errorf("what is to happen at the end happened after %v", called)
		}
	})
}

// A client that closes its side of the connection may still wait for the answer.
func TestDeadlineOutlastsTheConnection(t *testing.T) {
	inBubble(t, func(t *testing.T, d *deadline, hangUp func()) {
		for _, when := range []string{"before", "after"} {
			hangUp()
			synctest.Wait()
			running(t, "the request, "+when+" somebody waits for its end,", d)
			if got := d.Value(testKey{}); got != "value" {
				t.Errorf("%s somebody waits for the end, a value of the connection is %v", when, got)
			}
			d.Done()
		}
	})
}
