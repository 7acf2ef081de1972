package streams

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
)

// Streams bound and count the requests that wait for events: streams, and polls with a
// wait. One Streams is for one handler. Its methods may be called from many goroutines.
type Streams struct {
	most, mostOfUser int
	// lag, if not nil, is called for each sent part of a stream with the age of its oldest
	// event.
	lag  func(time.Duration)
	sent atomic.Uint64

	mu     sync.Mutex
	open   int
	byUser map[ident.ID]int
	none   chan struct{} // not nil: closed when open is 0
}

// New returns Streams with a limit for all users together and one for each. lag,
// if not nil, is called for each part that a stream sends, with the time since the oldest
// event of the part. It is not called while a stream reads the past: before it has been
// at the end of the feed once.
func New(most, mostOfUser int, lag func(time.Duration)) *Streams {
	return &Streams{most: most, mostOfUser: mostOfUser, lag: lag, byUser: map[ident.ID]int{}}
}

// Open returns the number of waiting requests and streams.
func (s *Streams) Open() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.open
}

// Wait returns when there are no more waiting requests and streams, or when ctx ends, with
// its error. The Shutdown of net/http does not wait for streams of HTTP/1.1.
func (s *Streams) Wait(ctx context.Context) error {
	for {
		s.mu.Lock()
		if s.open == 0 {
			s.mu.Unlock()
			return nil
		}
		if s.none == nil {
			s.none = make(chan struct{})
		}
		none := s.none
		s.mu.Unlock()
		select {
		case <-none:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// Sent returns the number of events sent so far, in pages and streams.
func (s *Streams) Sent() uint64 { return s.sent.Load() }

// Acquire counts a request of the user until release. It fails with fault.RateLimited when
// there are too many.
func (s *Streams) Acquire(user ident.ID) (release func(), err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.byUser[user] >= s.mostOfUser:
		return nil, fault.New(fault.RateLimited, "you have %d streams and waiting requests of events already: end one, or use one for several purposes", s.mostOfUser)
	case s.open >= s.most:
		return nil, fault.New(fault.RateLimited, "there are %d streams and waiting requests of events already: try again later, or ask without wait", s.most)
	}
	s.open++
	s.byUser[user]++
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.open--; s.open == 0 && s.none != nil {
			close(s.none)
			s.none = nil
		}
		if s.byUser[user]--; s.byUser[user] == 0 {
			delete(s.byUser, user)
		}
	}, nil
}

// Count counts sent events.
func (s *Streams) Count(events int) { s.sent.Add(uint64(events)) }
