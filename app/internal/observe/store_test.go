package observe_test

import (
	"context"
	"errors"
	"reflect"
	"testing"
	"time"

	"github.com/problemtracking/problems/app/internal/observe"
	"github.com/problemtracking/problems/domain/event"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/store"
)

// failing is a store whose calls all end with an error, or with nil.
type failing struct {
	store.Store
	err error
}

func (f failing) View(context.Context, func(store.Reader) error) error { return f.err }
func (f failing) Versions(context.Context) (store.Versions, error) {
	return store.Versions{Access: ident.Version{Number: 3}}, f.err
}
func (f failing) Reserve(context.Context) (problem.ID, error)  { return 14, f.err }
func (f failing) Confirm(context.Context, store.History) error { return f.err }
func (f failing) Commit(context.Context, store.Change) (store.Receipt, error) {
	return store.Receipt{Position: 7}, f.err
}
func (f failing) Outcome(context.Context, ident.ID, time.Time) (store.Receipt, bool, error) {
	return store.Receipt{Position: 7}, true, f.err
}
func (f failing) Feed(context.Context, int64, int, int64) ([]event.Entry, error) {
	return []event.Entry{{Number: 8}}, f.err
}
func (f failing) FeedEnds(context.Context) (oldest, newest event.Entry, err error) {
	return oldest, event.Entry{Number: 9}, f.err
}
func (f failing) Restore(context.Context, store.Archive) error { return f.err }

func TestEveryCallIsObserved(t *testing.T) {
	t.Parallel()
	for _, failure := range []error{nil, errors.New("gone")} {
		clock := time.Unix(0, 0)
		var calls []observe.Call
		s := observe.Store(failing{err: failure}, func() time.Time {
			clock = clock.Add(time.Millisecond)
			return clock
		}, func(c observe.Call) { calls = append(calls, c) })
		over, end := context.WithCancel(t.Context())
		end()
		versions, err1 := s.Versions(over)
		id, err2 := s.Reserve(over)
		receipt, err3 := s.Commit(over, store.Change{})
		ruled, stored, err4 := s.Outcome(over, ident.None, clock)
		entries, err5 := s.Feed(over, 1, 1, 1)
		_, newest, err6 := s.FeedEnds(over)
		if len(entries) != 1 || newest.Number != 9 {
			t.Error("the feed is not that of the store")
		}
		for _, err := range []error{s.View(over, nil), err1, err2, err3, err4, err5, err6, s.Confirm(over, 0), s.Restore(over, store.Archive{})} {
			if err != failure {
				t.Errorf("a call returns %v, want %v", err, failure)
			}
		}
		if versions.Access.Number != 3 || id != 14 || receipt.Position != 7 || ruled.Position != 7 || !stored {
			t.Error("a call does not return what the store does")
		}
		want := over.Err()
		if failure == nil {
			want = nil
		}
		seen := map[observe.Name]bool{}
		for _, c := range calls {
			seen[c.Name] = true
			if c.Took != time.Millisecond || c.End().Sub(c.Start) != c.Took || c.Err != failure || c.Over != want || c.Stored != (c.Name == observe.Outcome) {
				t.Errorf("observed is %+v", c)
			}
		}
		if len(calls) != len(observe.Names)+1 || len(seen) != len(observe.Names) {
			t.Errorf("observed are %v", calls)
		}
	}
}

// A call that was added to the port is observed as well.
func TestNoCallIsMissing(t *testing.T) {
	t.Parallel()
	// FeedEnds is observed as a call of Feed, and Close is not.
	if port := reflect.TypeFor[store.Store]().NumMethod(); port != len(observe.Names)+2 {
		t.Errorf("the port has %d methods, %d of which are observed", port, len(observe.Names))
	}
}

func TestKind(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		err  error
		want fault.Kind
	}{
		{nil, ""},
		{fault.New(fault.ProblemNotFound, "no"), ""},
		{fault.New(fault.QueryTooExpensive, "no"), ""},
		{fault.New(fault.Unavailable, "no"), fault.Unavailable},
		{fault.New(fault.Conflict, "no"), fault.Conflict},
		{errors.New("no"), fault.Internal},
	} {
		if got := (observe.Call{Err: c.err}).Kind(); got != c.want {
			t.Errorf("%v is %q, want %q", c.err, got, c.want)
		}
	}
}

func BenchmarkView(b *testing.B) {
	s := observe.Store(failing{}, time.Now, func(observe.Call) {}, func(observe.Call) {})
	b.ReportAllocs()
	for b.Loop() {
		_ = s.View(b.Context(), nil)
	}
}

// viewing is a store whose Views have a Reader of their own.
type viewing struct {
	store.Store
	reader store.Reader
}

func (v viewing) View(_ context.Context, fn func(store.Reader) error) error { return fn(v.reader) }

// lastReader is a LastReader that counts announcements.
type lastReader struct {
	store.Reader
	announced *int
}

func (r lastReader) Last() { *r.announced++ }

// The Reader of an observed store is that of the store: a LastReader stays one.
func TestLastReadersStay(t *testing.T) {
	t.Parallel()
	var announced int
	s := observe.Store(viewing{reader: lastReader{announced: &announced}}, func() time.Time { return time.Unix(0, 0) })
	if err := s.View(t.Context(), func(r store.Reader) error {
		store.Last(r)
		return nil
	}); err != nil || announced != 1 {
		t.Errorf("the last read was announced %d times, want 1: %v", announced, err)
	}
}
