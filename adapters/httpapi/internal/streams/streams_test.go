package streams

import (
	"context"
	"slices"
	"testing"

	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
)

// When all places are taken, the newest stream of the user with the most gives way to a user with
// fewer. Users with as many take nothing from each other.
func TestStreamsGiveWay(t *testing.T) {
	t.Parallel()
	s := New(4, 4, nil)
	type stream struct {
		until   context.Context
		release func()
	}
	var all []stream
	take := func(user byte, ok bool) {
		t.Helper()
		until, release, err := s.Acquire(ident.ID{user})
		if (err == nil) != ok || err != nil && !fault.Is(err, fault.RateLimited) {
			t.Errorf("a stream of user %d: %v, want success: %v", user, err, ok)
		}
		if err == nil {
			all = append(all, stream{until, release})
		}
	}
	ended := func(want ...int) {
		t.Helper()
		for i, one := range all {
			if (one.until.Err() != nil) != slices.Contains(want, i) {
				t.Errorf("stream %d: %v, want the end of %v", i, one.until.Err(), want)
			}
		}
	}
	for range 4 {
		take(1, true)
	}
	take(1, false)
	take(2, true)
	ended(3)
	take(1, false)
	take(2, true)
	ended(3, 2)
	take(2, false)
	take(3, true) // users 1 and 2 have two each: the newest is of 2
	ended(3, 2, 5)
	take(4, true)
	ended(3, 2, 5, 1)
	take(5, false)
	take(1, false)
	if s.Open() != 8 {
		t.Errorf("%d streams are open; those that gave way count until their end", s.Open())
	}
	all[3].release()
	take(5, false) // its place was taken before
	all[0].release()
	take(5, true)
	for i, one := range all {
		if i != 3 && i != 0 {
			one.release()
		}
	}
	if s.Open() != 0 || len(s.byUser) != 0 || s.taken != 0 {
		t.Errorf("%d streams are left, of %d users", s.Open(), len(s.byUser))
	}
}

func TestStreamsAreLimited(t *testing.T) {
	t.Parallel()
	s := New(3, 2, nil)
	var ends []func()
	for _, test := range []struct {
		user byte
		ok   bool
	}{{1, true}, {1, true}, {1, false}, {2, true}, {2, false}} {
		_, end, err := s.Acquire(ident.ID{test.user})
		if (err == nil) != test.ok || err != nil && !fault.Is(err, fault.RateLimited) {
			t.Errorf("a stream of user %d: %v, want success: %v", test.user, err, test.ok)
		}
		if err == nil {
			ends = append(ends, end)
		}
	}
	for _, end := range ends {
		end()
	}
	if s.Open() != 0 || len(s.byUser) != 0 {
		t.Errorf("%d streams are left, of %d users", s.Open(), len(s.byUser))
	}
}
