package serve

import (
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/problemtracking/problems/adapters/httpframe"
	"github.com/problemtracking/problems/app/internal/flood"
	"github.com/problemtracking/problems/domain/ident"
)

func TestLinesOfRequestsHaveALimit(t *testing.T) {
	t.Parallel()
	known := ident.ID{15: 1}
	for _, c := range []struct {
		rule  string
		x     httpframe.Exchange
		limit bool
		level string // of the summary
	}{
		{"a client that is known", httpframe.Exchange{Status: 200, Token: known}, false, ""},
		{"its mistakes", httpframe.Exchange{Status: 400, Token: known}, false, ""},
		{"what the service fails it at", httpframe.Exchange{Status: 500, Token: known}, false, ""},
		{"a client that is to wait", httpframe.Exchange{Status: 429, Token: known}, true, "WARN"},
		{"no token", httpframe.Exchange{Status: 401}, true, "WARN"},
		{"no such path", httpframe.Exchange{Status: 404}, true, "WARN"},
		{"the documentation", httpframe.Exchange{Status: 200, Route: "/docs"}, true, "WARN"},
		{"a failure before the token is known", httpframe.Exchange{Status: 503}, true, "ERROR"},
	} {
		synctest.Test(t, func(t *testing.T) {
			const sent = 1000
			var log buffer
			logger := slog.New(slog.NewJSONHandler(&log, nil))
			limits := newThrottles(logger, time.Now)
			requests := newAccessLog(logger, &log, time.Now, limits)
			for i := range sent {
				x := c.x
				x.Remote = fmt.Sprintf("192.0.2.%d:%d", i%7, 1024+i)
				requests.write(x)
			}
			if !c.limit {
				if got := len(linesOf(t, &log)); got != sent {
					t.Errorf("%s: of %d requests, %d have a line", c.rule, sent, got)
				}
				return
			}
			if got := len(linesOf(t, &log)); got != flood.PerMinute {
				t.Errorf("%s: of %d requests, %d have a line, want %d", c.rule, sent, got, flood.PerMinute)
			}
			other := httpframe.Exchange{Status: 404}
			if c.x.Status < 500 {
				other.Status = 500
			}
			if requests.write(other); len(linesOf(t, &log)) != 1 {
				t.Errorf("%s: a request with status %d has no line", c.rule, other.Status)
			}
			time.Sleep(flood.Pause)
			synctest.Wait()
			left := sent - flood.PerMinute
			got := linesOf(t, &log)
			if len(got) != 1 || got[0].Requests != left || got[0].Statuses[fmt.Sprint(c.x.Status)] != left || got[0].Addresses != 7 || got[0].Level != c.level {
				t.Errorf("%s: summed up as %+v", c.rule, got)
			}
			time.Sleep(time.Hour)
			synctest.Wait()
			if got := linesOf(t, &log); len(got) > 0 {
				t.Errorf("%s: summed up again as %+v", c.rule, got)
			}
			for range flood.PerMinute + 1 {
				requests.write(c.x)
			}
			linesOf(t, &log)
			limits.sum() // the end of the service
			if got := linesOf(t, &log); len(got) != 1 || got[0].Requests != 1 {
				t.Errorf("%s: summed up at the end as %+v", c.rule, got)
			}
		})
	}
}

func TestErrorsHaveALimit(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const sent = 1000
		var log buffer
		limits := newThrottles(slog.New(slog.NewJSONHandler(&log, nil)), time.Now)
		connections := slog.NewLogLogger(limits.connections.logger(slog.New(slog.NewJSONHandler(&log, nil))).Handler(), slog.LevelWarn)
		causes := limits.causes.logger(slog.New(slog.NewJSONHandler(&log, nil))).With("server", "a").WithGroup("g")
		for i := range sent {
			connections.Printf("http: TLS handshake error from 192.0.2.1:%d: EOF", i)
		}
		if got := linesOf(t, &log); len(got) != flood.PerMinute {
			t.Errorf("of %d errors, %d have a line", sent, len(got))
		}
		for range sent {
			causes.Error("internal error", "cause", "…")
		}
		if got := linesOf(t, &log); len(got) != flood.PerMinute {
			t.Errorf("of %d causes, %d have a line", sent, len(got))
		}
		time.Sleep(flood.Pause)
		synctest.Wait()
		got := linesOf(t, &log)
		slices.SortFunc(got, func(a, b line) int { return strings.Compare(a.Message, b.Message) })
		left := sent - flood.PerMinute
		if len(got) != 2 || got[0].Messages["http: TLS handshake error"] != left || got[1].Messages["internal error"] != left || got[0].Errors != left {
			t.Errorf("summed up as %+v", got)
		}
	})
}
