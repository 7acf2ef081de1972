package httpframe

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/synctest"
	"time"
)

type testKey struct{}

// options returns Options of requests that may take a second.
func options() Options {
	return Options{
		RequestTime:  time.Second,
		Methods:      []string{http.MethodGet, http.MethodDelete},
		Logger:       slog.New(slog.DiscardHandler),
		NewRequestID: func() string { return "r1" },
		Now:          time.Now,
		Fail: func(w http.ResponseWriter, _ *http.Request, err error) {
			http.Error(w, "<h1>failed</h1>", http.StatusInternalServerError)
		},
	}
}

// inBubble runs a test inside of a request that may take a second. Its connection ends
// when hangUp is called. It returns the context of the request, which is over.
func inBubble(t *testing.T, test func(t *testing.T, ctx context.Context, hangUp func())) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		serve(t, func(ctx context.Context, hangUp func()) { test(t, ctx, hangUp) })
	})
}

// serve has a handler called for one request, and returns the context of that.
func serve(t *testing.T, handle func(ctx context.Context, hangUp func())) (served context.Context) {
	connection, hangUp := context.WithCancel(context.WithValue(t.Context(), testKey{}, "value"))
	defer hangUp()
	handler := Wrap(options(), http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		served = r.Context()
		handle(r.Context(), hangUp)
	}))
	handler.ServeHTTP(httptest.NewRecorder(), httptest.NewRequestWithContext(connection, "GET", "/", nil))
	return served
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

func TestRequestEndsByTheClock(t *testing.T) {
	inBubble(t, func(t *testing.T, ctx context.Context, _ func()) {
		time.Sleep(time.Second - 1)
		running(t, "a request in its time", ctx)
		time.Sleep(time.Nanosecond)
		synctest.Wait()
		ended(t, "a request out of time", ctx, context.DeadlineExceeded)
	})
	t.Run("and is over, too", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			ctx := serve(t, func(context.Context, func()) { time.Sleep(2 * time.Second) })
			ended(t, "the request", ctx, context.DeadlineExceeded)
		})
	})
}

func TestDeadlineWakes(t *testing.T) {
	inBubble(t, func(t *testing.T, ctx context.Context, _ func()) {
		start := time.Now()
		time.Sleep(time.Second / 2)
		if at, ok := ctx.Deadline(); !ok || at.Sub(start) != time.Second {
			t.Errorf("the deadline is %v after the start, %t", at.Sub(start), ok)
		}
		<-ctx.Done()
		if took := time.Since(start); took != time.Second {
			t.Errorf("whoever waits is woken after %v", took)
		}
		ended(t, "the request", ctx, context.DeadlineExceeded)
	})
}

func TestContextEndsWithTheRequest(t *testing.T) {
	t.Parallel()
	for name, handle := range map[string]func(context.Context){
		"nobody waits":   func(ctx context.Context) { running(t, "the request", ctx) },
		"somebody waits": func(ctx context.Context) { ctx.Done() },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				ctx := serve(t, func(ctx context.Context, _ func()) { handle(ctx) })
				ended(t, "the request", ctx, context.Canceled)
				time.Sleep(2 * time.Second)
				ended(t, "the request, later,", ctx, context.Canceled)
			})
		})
	}
}

// Contexts that are made of the request's end with it.
func TestRequestEndsContextsBelow(t *testing.T) {
	inBubble(t, func(t *testing.T, ctx context.Context, _ func()) {
		below, cancel := context.WithCancel(ctx)
		defer cancel()
		longer, cancel := context.WithTimeoutCause(ctx, time.Hour, errors.New("not the reason"))
		defer cancel()
		shorter, cancel := context.WithTimeout(ctx, time.Second/2)
		defer cancel()
		var called time.Duration
		start := time.Now()
		context.AfterFunc(ctx, func() { called = time.Since(start) })
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
func TestRequestOutlastsTheConnection(t *testing.T) {
	inBubble(t, func(t *testing.T, ctx context.Context, hangUp func()) {
		for _, when := range []string{"before", "after"} {
			hangUp()
			synctest.Wait()
			running(t, "the request, "+when+" somebody waits for its end,", ctx)
			if got := ctx.Value(testKey{}); got != "value" {
				t.Errorf("%s somebody waits for the end, a value of the connection is %v", when, got)
			}
			ctx.Done()
		}
	})
}
