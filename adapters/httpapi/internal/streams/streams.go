package streams

import (
	"context"
	"slices"
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
	taken  int // places; those that gave way have none
	begun  uint64
	byUser map[ident.ID][]*place // the newest last
	none   chan struct{}         // not nil: closed when open is 0
}

// place is that of one request.
type place struct {
	number uint64 // in the order of arrival
	giveUp context.CancelFunc
}

// New returns Streams with a limit for all users together and one for each. lag,
// if not nil, is called for each part that a stream sends, with the time since the oldest
// event of the part. It is not called while a stream reads the past: before it has been
// at the end of the feed once.
func New(most, mostOfUser int, lag func(time.Duration)) *Streams {
	return &Streams{most: most, mostOfUser: mostOfUser, lag: lag, byUser: map[ident.ID][]*place{}}
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

// Acquire counts a request of the user until release. It fails with fault.RateLimited when there
// are too many. When all places are taken, the newest request of the user with the most gives way
// to one of a user with fewer: its until ends, and so it has to end.
func (s *Streams) Acquire(user ident.ID) (until context.Context, release func(), err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case len(s.byUser[user]) >= s.mostOfUser:
		return nil, nil, fault.New(fault.RateLimited, "you have %d streams and waiting requests of events already: end one, or use one for several purposes", s.mostOfUser)
	case s.taken >= s.most && !s.makeRoom(user):
		return nil, nil, fault.New(fault.RateLimited, "there are %d streams and waiting requests of events already: try again later, or ask without wait", s.most)
	}
	s.open++
	s.taken++
	s.begun++
	until, cancel := context.WithCancel(context.Background())
	p := &place{s.begun, cancel}
	s.byUser[user] = append(s.byUser[user], p)
	return until, func() {
		cancel()
		s.mu.Lock()
		defer s.mu.Unlock()
		s.leave(user, p)
		if s.open--; s.open == 0 && s.none != nil {
			close(s.none)
			s.none = nil
		}
	}, nil
}

// makeRoom has a request of the user with the most give way. It returns false when the user would
// then have as many as that one: two users would take the place from each other for ever.
func (s *Streams) makeRoom(user ident.ID) bool {
	var most ident.ID
	var newest *place
	for who, places := range s.byUser {
		last, lead := places[len(places)-1], len(places)-len(s.byUser[most])
		if newest == nil || lead > 0 || lead == 0 && last.number > newest.number {
			most, newest = who, last
		}
	}
	if newest == nil || len(s.byUser[most]) <= len(s.byUser[user])+1 {
		return false
	}
	s.leave(most, newest)
	newest.giveUp()
	return true
}

// leave frees a place, if it is not free yet.
func (s *Streams) leave(user ident.ID, p *place) {
	i := slices.Index(s.byUser[user], p)
	if i < 0 {
		return
	}
	s.taken--
	if s.byUser[user] = slices.Delete(s.byUser[user], i, i+1); len(s.byUser[user]) == 0 {
		delete(s.byUser, user)
	}
}

// Count counts sent events.
func (s *Streams) Count(events int) { s.sent.Add(uint64(events)) }
