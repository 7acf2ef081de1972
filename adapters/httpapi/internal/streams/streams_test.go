package streams

import (
	"testing"

	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
)

func TestStreamsAreLimited(t *testing.T) {
	t.Parallel()
	s := New(3, 2, nil)
	var ends []func()
	for _, test := range []struct {
		user byte
		ok   bool
	}{{1, true}, {1, true}, {1, false}, {2, true}, {2, false}, {3, false}} {
		end, err := s.Acquire(ident.ID{test.user})
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
