package serve

import (
	"bytes"
	"context"
	"log/slog"
	"math"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/problemtracking/problems/adapters/httpframe"
	"github.com/problemtracking/problems/domain/ident"
)

// The line of a request is the one that the logger would write.
func TestAccessLogIsAsTheLogger(t *testing.T) {
	t.Parallel()
	token := ident.ID{0x01, 0x50, 0xd4, 0xf1, 15: 0xff}
	at := time.Date(2015, 11, 5, 10, 30, 0, 120_000_000, time.FixedZone("", 3600))
	for _, x := range []httpframe.Exchange{
		{},
		{Method: "GET", Route: "/api/20151105/problems/{identifier}", Status: 200, Bytes: 5120, Duration: 123456 * time.Nanosecond, RequestID: "0150d4f1-6000-7000-8000-00000000000c", Token: token},
		{Method: "other", Status: 404, Duration: time.Microsecond, RequestID: "a.B_c-1"},
		{Method: "POST", Route: `/<a "b">/&` + "\x00\t\\ä😀\x7f", Status: 500, Bytes: math.MaxInt64, Duration: 30 * time.Second},
		{Method: "GET", Route: "/healthz", Status: 200, Duration: 1500 * time.Hour},
		{Method: "GET", Route: "/readyz", Status: 503, Duration: 999 * time.Nanosecond},
	} {
		for _, lowest := range []slog.Level{slog.LevelDebug, slog.LevelInfo, slog.LevelError} {
			var got, want bytes.Buffer
			options := &slog.HandlerOptions{Level: lowest}
			logger, now := slog.New(slog.NewJSONHandler(&got, options)), func() time.Time { return at }
			newAccessLog(logger, &got, now, newThrottles(logger, now)).write(x)

			level := slog.LevelInfo
			if x.Status >= 500 {
				level = slog.LevelError
			} else if x.Route == "/healthz" {
				level = slog.LevelDebug
			}
			record := slog.NewRecord(at, level, "request", 0)
			id := ""
			if x.Token == token {
				id = token.String()
			}
			record.Add("request", x.RequestID, "method", x.Method, "route", x.Route, "status", x.Status, "bytes", x.Bytes,
				"ms", float64(x.Duration.Microseconds())/1000, "token", id)
			if handler := slog.NewJSONHandler(&want, options); handler.Enabled(context.Background(), level) {
				if err := handler.Handle(context.Background(), record); err != nil {
					t.Fatal(err)
				}
			}
			if got.String() != want.String() {
				t.Errorf("%+v, from %v: logged as\n%snot as\n%s", x, lowest, got.String(), want.String())
			}
		}
	}
}

// inTurn is a writer that only one may use at a time.
type inTurn struct {
	t     *testing.T
	using atomic.Int32
	lines atomic.Int32
}

func (w *inTurn) Write(line []byte) (int, error) {
	if w.using.Add(1) > 1 {
		w.t.Errorf("this was written while something else was: %q", line)
	}
	for one := range bytes.Lines(line) {
		if !bytes.HasPrefix(one, []byte(`{"time":`)) || !bytes.HasSuffix(one, []byte("}\n")) {
			w.t.Errorf("this is not a line: %q", one)
		}
		w.lines.Add(1)
	}
	runtime.Gosched() // so that another one comes in, if it can
	w.using.Add(-1)
	return len(line), nil
}

// The lines of requests and those of the logger do not get into one another.
func TestLogLinesAreWhole(t *testing.T) {
	t.Parallel()
	to := &inTurn{t: t}
	out := newJournal(to, time.Now)
	logger := newLogger(out, slog.LevelInfo)
	requests := newAccessLog(logger, out, time.Now, newThrottles(logger, time.Now))
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 200 {
				requests.write(httpframe.Exchange{Method: "GET", Status: 200, Token: ident.ID{15: 1}})
				logger.Info("something else")
			}
		})
	}
	all.Wait()
	if !out.Close(time.Minute) || out.Dropped() > 0 {
		t.Fatalf("%d lines were dropped", out.Dropped())
	}
	if got := to.lines.Load(); got != 3200 {
		t.Errorf("%d lines were written, not 3200", got)
	}
}
