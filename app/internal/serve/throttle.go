package serve

import (
	"context"
	"log/slog"
	"net/http"
	"net/netip"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/problemtracking/problems/adapters/httpframe"
	"github.com/problemtracking/problems/app/internal/flood"
)

// throttles limit the log lines of unknown clients. Each kind has a limit of its own, so
// none drowns another.
type throttles struct {
	requests *throttle // without a known client
	failures *throttle // of these, with a failure of the service
	causes   *throttle // of failures of the service, for anybody
	// connections gets the lines of net/http about them, such as failed TLS handshakes.
	connections *throttle
}

// newThrottles returns throttles with a log of the number of omitted lines.
func newThrottles(logger *slog.Logger, now func() time.Time) *throttles {
	of := func(level slog.Level, message, lines, labels string) *throttle {
		return &throttle{now: now, gate: flood.New(), say: func(held flood.Held) {
			args := []any{lines, held.Lines, "since", held.Since, labels, held.Labels}
			if len(held.Addresses) > 0 {
				args = append(args, "addresses", len(held.Addresses))
			}
			logger.Log(context.Background(), level, message, args...)
		}}
	}
	return &throttles{
		requests:    of(slog.LevelWarn, "more requests without a valid token, or beyond its rate, were not logged", "requests", "statuses"),
		failures:    of(slog.LevelError, "more requests without a valid token failed and were not logged", "requests", "statuses"),
		causes:      of(slog.LevelError, "more errors were not logged", "errors", "messages"),
		connections: of(slog.LevelWarn, "more errors of connections were not logged", "errors", "messages"),
	}
}

// passes reports whether a request gets a line.
func (t *throttles) passes(x httpframe.Exchange) bool {
	of := t.requests
	if x.Status >= http.StatusInternalServerError {
		of = t.failures
	}
	return of.pass(strconv.Itoa(x.Status), x.Remote)
}

// sum logs the omitted lines without a log so far.
func (t *throttles) sum() {
	for _, one := range []*throttle{t.requests, t.failures, t.causes, t.connections} {
		one.sum()
	}
}

// throttle limits lines of one kind. The omitted ones are summed up some seconds later.
type throttle struct {
	now func() time.Time
	say func(flood.Held)

	mu   sync.Mutex
	gate *flood.Gate
	due  *time.Timer // nil: nothing is left out
}

// pass reports whether a line is logged. It came from an address and port, or from
// nowhere.
func (t *throttle) pass(label, remote string) bool {
	from, _ := netip.ParseAddrPort(remote)
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.gate.Pass(t.now(), label, from.Addr().Unmap()) {
		return true
	}
	if t.due == nil {
		t.due = time.AfterFunc(flood.Pause, t.sum)
	}
	return false
}

// sum logs the omitted lines since its last call.
func (t *throttle) sum() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.due == nil {
		return
	}
	t.due.Stop()
	t.due = nil
	t.say(t.gate.Take())
}

// logger returns a logger with the limit.
func (t *throttle) logger(l *slog.Logger) *slog.Logger {
	return slog.New(throttled{l.Handler(), t})
}

// throttled is a slog.Handler with a limit.
type throttled struct {
	slog.Handler
	limit *throttle
}

// Handle implements slog.Handler.
func (h throttled) Handle(ctx context.Context, r slog.Record) error {
	label, _, _ := strings.Cut(r.Message, " from ") // the client of net/http's line
	if !h.limit.pass(label[:min(len(label), 60)], "") {
		return nil
	}
	return h.Handler.Handle(ctx, r)
}

// WithAttrs implements slog.Handler.
func (h throttled) WithAttrs(attrs []slog.Attr) slog.Handler {
	return throttled{h.Handler.WithAttrs(attrs), h.limit}
}

// WithGroup implements slog.Handler.
func (h throttled) WithGroup(name string) slog.Handler {
	return throttled{h.Handler.WithGroup(name), h.limit}
}
