package serve

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/problemtracking/problems/adapters/memory"
	"github.com/problemtracking/problems/app/internal/config"
	"github.com/problemtracking/problems/domain/store"
)

const tenYears = 10 * 365 * 24 * time.Hour

// offset is a clock that the test sets, beside one that nobody sets.
type offset struct{ by atomic.Int64 }

func (o *offset) set(by time.Duration) { o.by.Store(int64(by)) }

func (o *offset) now() time.Time { return time.Now().Add(time.Duration(o.by.Load())) }

// guarded has a server use the clock, within the default limits.
func (o *offset) guarded(options *Options) {
	began := time.Now()
	options.Now, options.Steady = o.now, func() time.Duration { return time.Since(began) }
	options.Settings.Clock = config.Clock{Gap: config.ClockGap{Max: 366 * 24 * time.Hour}, MaxStep: 24 * time.Hour}
}

// kept is an opener of a store in memory that outlives the servers on it.
func kept(t *testing.T) opener {
	t.Helper()
	inMemory, err := memory.Open(t.Context(), memory.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return func(context.Context) (store.Store, error) { return open{inMemory}, nil }
}

// open is a store that is not closed.
type open struct{ store.Store }

func (open) Close() error { return nil }

const problems = "/api/20151105/problems"

// created creates a problem and returns its date.
func (s *waiting) created(token string) time.Time {
	s.t.Helper()
	code, body := s.do(http.MethodPost, problems, token, `{"title":"What time is it?"}`)
	var p struct{ ModificationDate time.Time }
	if err := json.Unmarshal([]byte(body), &p); code != http.StatusCreated || err != nil {
		s.t.Fatalf("a problem is answered with %d %s", code, body)
	}
	return p.ModificationDate
}

// While the clock is ten years ahead, writes are refused and reads are not, the server is
// not ready, and the log says so once. When the clock is back, the server goes on, and
// nothing has a date that is yet to come.
func TestClockAheadForAMoment(t *testing.T) {
	t.Parallel()
	var clock offset
	s := startOn(t, kept(t), clock.guarded)
	token := s.printed(2)[1]
	s.created(token)
	for range 2 {
		clock.set(tenYears)
		for range 3 {
			code, body := s.do(http.MethodPatch, problems+"/1", token, `{"title":"Ten years later"}`)
			if code != http.StatusServiceUnavailable || !strings.Contains(body, `"type":"/errors/unavailable"`) || !strings.Contains(body, "the clock of the server has gone ahead") {
				t.Errorf("a write ten years ahead is answered with %d %s", code, body)
			}
		}
		if code, body := s.get(problems+"/1", token); code != http.StatusOK || !strings.Contains(body, "What time is it?") {
			t.Errorf("a read ten years ahead is answered with %d %s", code, body)
		}
		if code, body := s.get("/readyz", ""); code != http.StatusServiceUnavailable || !strings.Contains(body, "clock") {
			t.Errorf("ten years ahead, /readyz answers %d %s", code, body)
		}
		clock.set(0)
		if code, body := s.get("/readyz", ""); code != http.StatusOK {
			t.Errorf("once the clock is back, /readyz answers %d %s", code, body)
		}
	}
	if date := s.created(token); date.After(time.Now()) {
		t.Errorf("a change has the date %s", date)
	}
	if code, body := s.do(http.MethodPatch, problems+"/1", token, `{"title":"Now"}`); code != http.StatusOK || strings.Contains(body, time.Now().Add(tenYears).Format(`"2006-`)) {
		t.Errorf("a change once the clock is back is answered with %d %s", code, body)
	}
	s.end()
	if err := s.result(); err != nil {
		t.Errorf("the service ends with %v", err)
	}
	if s.count("the clock is not believed: writes are refused") != 2 || s.count("the clock is where it should be again") != 2 || s.count(`"msg":"unavailable"`) > 0 {
		t.Errorf("the log is\n%s", s.stderr.String())
	}
}

// A service that was off for a month starts. One whose clock is ten years beyond its
// store does not, unless it is told to, and changes nothing.
func TestClockAtTheStart(t *testing.T) {
	t.Parallel()
	var clock offset
	store := kept(t)
	serve := func(accept bool) *waiting {
		return startOn(t, store, clock.guarded, func(o *Options) { o.AcceptClock = accept })
	}
	first := serve(false)
	token := first.printed(2)[1]
	first.end()
	if err := first.result(); err != nil {
		t.Fatal(err)
	}

	clock.set(tenYears)
	refused := serve(false)
	err := refused.result()
	if err == nil || !strings.Contains(err.Error(), "3650 days ahead of the newest change in the store") || !strings.Contains(err.Error(), "use --accept-clock") {
		t.Errorf("ten years ahead, the service ends with %v", err)
	}
	if printed := refused.stdout.String(); printed != "" {
		t.Errorf("the service prints %q", printed)
	}

	clock.set(30 * 24 * time.Hour)
	month := serve(false)
	month.printed(2)
	month.created(token)
	month.end()
	if err := month.result(); err != nil {
		t.Errorf("after a month, the service ends with %v", err)
	}

	clock.set(0)
	behind := serve(false)
	behind.printed(2)
	behind.created(token)
	behind.end()
	if err := behind.result(); err != nil || behind.count("times of changes do not go back") != 1 {
		t.Errorf("behind its store, the service ends with %v\n%s", err, behind.stderr.String())
	}

	clock.set(tenYears)
	told := serve(true)
	told.printed(2)
	if date := told.created(token); date.Before(time.Now().Add(tenYears - time.Hour)) {
		t.Errorf("a clock that was accepted dates a change %s", date)
	}
	told.end()
	if err := told.result(); err != nil {
		t.Errorf("told to accept the clock, the service ends with %v", err)
	}
}
