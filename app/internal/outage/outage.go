// Package outage says in the log when the store goes away and when it is back: one
// line each, however many requests fail meanwhile.
package outage

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/problemtracking/problems/app/internal/observe"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/store"
)

const (
	// silence is the time without an answer before an outage, for a caller at the end of
	// its own time. Callers in a hurry prove nothing about the store.
	silence = time.Second
	// steady is the time without failures before the success of a lesser call ends an
	// outage: see weight.
	steady = 10 * time.Second
	// reminder is the time between log lines about a continuing outage.
	reminder = time.Minute
)

// Use is a use of a store. Either can be away by itself.
type Use string

// The uses of a store.
const (
	Reads  Use = "reads"
	Writes Use = "writes"
)

// useOf returns the use of a call.
func useOf(call observe.Name) Use {
	if call == observe.View || call == observe.Versions {
		return Reads
	}
	return Writes
}

// weight orders the calls of a use: the success of one proves the success of calls of the
// same weight or less. Some stores confirm, reserve and
// read the feed without writing.
func weight(call observe.Name) int {
	if call == observe.Reserve || call == observe.Confirm || call == observe.Feed {
		return 1
	}
	return 2
}

// Log observes the calls to a store and logs its outages.
type Log struct {
	logger *slog.Logger
	host   func() string // the host in use; "" when the store knows none
	any    atomic.Bool   // there is an outage
	quiet  atomic.Int64  // lines left out since the last one of this outage

	mu            sync.Mutex
	reads, writes spell
	line          time.Time // when the outage was logged last
}

// spell is the outage of one use.
type spell struct {
	away, said bool
	began      time.Time
	failed     int       // calls
	last       time.Time // when a call failed last
	heaviest   time.Time // when a call of the greatest weight did
	weight     int       // of the heaviest failed call
}

// New returns a Log. host returns the host of the store, or "".
func New(logger *slog.Logger, host func() string) *Log {
	return &Log{logger: logger, host: host}
}

// Up reports whether there is no outage of the use. A store without reads takes no writes
// either.
func (l *Log) Up(use Use) bool {
	if !l.any.Load() {
		return true
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return !l.reads.away && (use == Reads || !l.writes.away)
}

// Ongoing reports whether there is an outage of any use.
func (l *Log) Ongoing() bool { return l.any.Load() }

// Quiet reports whether a line about an answer of 503 is to be left out, because the
// outage is logged as a whole. It counts the lines.
func (l *Log) Quiet() bool {
	if !l.any.Load() {
		return false
	}
	l.quiet.Add(1)
	return true
}

// Waits begins an outage of a store away at the start of the service.
func (l *Log) Waits(at time.Time, store string, cause error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.reads.away {
		return
	}
	l.reads = spell{away: true, said: true, began: at, last: at, heaviest: at, weight: 2}
	l.writes = spell{} // a failed call before is part of the same outage
	l.say(at, slog.LevelWarn, "the store is away: the service waits for it", "store", store, "cause", cause.Error())
	l.any.Store(true)
}

// Observe takes note of a call.
func (l *Log) Observe(c observe.Call) {
	switch {
	case c.Err == nil:
		if l.any.Load() {
			l.succeed(c)
		}
	case gone(c):
		l.fail(c)
	}
}

// gone reports whether a call has failed because the store is away. A request ended by
// its client says nothing, and a View at the end of its time may have been slow by
// itself.
func gone(c observe.Call) bool {
	if kind := c.Kind(); kind != fault.Unavailable && kind != fault.UnknownOutcome || errors.Is(c.Err, store.ErrBusy) {
		return false
	}
	return c.Over == nil || errors.Is(c.Over, context.DeadlineExceeded) && c.Name != observe.View && c.Took >= silence
}

func (l *Log) fail(c observe.Call) {
	l.mu.Lock()
	defer l.mu.Unlock()
	at, s := c.End(), &l.reads
	if useOf(c.Name) == Writes {
		s = &l.writes
	}
	if !s.away {
		*s = spell{away: true, began: at}
	}
	s.failed++
	s.last = at
	if w := weight(c.Name); w >= s.weight {
		s.weight, s.heaviest = w, at
	}
	l.any.Store(true)
	switch {
	case s.said, s == &l.writes && l.reads.away: // reported already
		l.remind(at)
	default:
		s.said = true
		message := "the store is away"
		if s == &l.writes {
			message = "the store takes no writes"
		}
		l.say(at, slog.LevelError, message, "call", string(c.Name), "cause", c.Err.Error())
	}
}

// remind logs a continuing outage, every now and then.
func (l *Log) remind(at time.Time) {
	if at.Sub(l.line) < reminder {
		return
	}
	s, message := &l.reads, "the store is still away"
	if !s.away {
		s, message = &l.writes, "the store still takes no writes"
	}
	l.say(at, slog.LevelError, message, "since", s.began, "failed", s.failed)
}

func (l *Log) succeed(c observe.Call) {
	l.mu.Lock()
	defer l.mu.Unlock()
	at, s := c.End(), &l.reads
	if useOf(c.Name) == Writes {
		s = &l.writes
	}
	// A call from before a failure tells nothing about the time after it.
	if !s.away || c.Start.Before(s.last) || weight(c.Name) < s.weight && at.Sub(s.heaviest) < steady {
		return
	}
	ended := *s
	*s = spell{}
	if s == &l.reads && !l.writes.said { // no write may come for a long time
		ended.failed += l.writes.failed
		l.writes = spell{}
	}
	l.any.Store(l.reads.away || l.writes.away)
	if !ended.said {
		return
	}
	message := "the store is back"
	switch {
	case s == &l.writes:
		message = "the store takes writes again"
	case l.writes.away:
		message = "the store is back, but takes no writes"
	}
	l.say(at, slog.LevelInfo, message, "away", at.Sub(ended.began).String(), "failed", ended.failed)
}

// say logs a line, with the host and the number of omitted lines.
func (l *Log) say(at time.Time, level slog.Level, message string, args ...any) {
	l.line = at
	if host := l.host(); host != "" {
		args = append(args, "host", host)
	}
	if quiet := l.quiet.Swap(0); quiet > 0 {
		args = append(args, "unlogged", quiet)
	}
	l.logger.Log(context.Background(), level, message, args...)
}
