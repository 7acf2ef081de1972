package views

import (
	"context"
	"testing"
	"time"

	"github.com/problemtracking/problems/domain/budget"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/snapshot"
	"github.com/problemtracking/problems/domain/store"
)

// one is a store of one problem. It counts its Views and the reads with the log.
type one struct {
	store.Store
	size        int64
	views, logs int
}

func (o *one) View(_ context.Context, fn func(store.Reader) error) error {
	o.views++
	return fn(reader{one: o})
}

// reader is a View of the problem.
type reader struct {
	store.Reader
	one *one
}

func (r reader) Problem(_ context.Context, id problem.ID, _ ident.ID, parts snapshot.Parts) (snapshot.Snapshot, error) {
	s := snapshot.Snapshot{Problem: problem.Problem{ID: id}, Size: r.one.size}
	if parts.Has(snapshot.Log) && (r.one.size <= snapshot.Small || !parts.Has(snapshot.IfSmall)) {
		r.one.logs++
		s.Log = []problem.LogEntry{{}}
	}
	return s, nil
}

// A small problem takes one View. A large one takes another, once its memory is reserved.
func TestView(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		rule        string
		size        int64
		parts       snapshot.Parts
		views, logs int
	}{
		{"a small problem", snapshot.Small, snapshot.Log, 1, 1},
		{"a large problem", snapshot.Small + 1, snapshot.Log, 2, 1},
		{"a large problem without its log", snapshot.Small + 1, snapshot.Log | snapshot.IfSmall, 1, 0},
	} {
		o := &one{size: c.size}
		v := New(o, time.Second, 1)
		b := budget.New(64 << 20)
		account := b.Open(nil)
		account.For(ident.ID{15: 1})
		ctx := budget.With(t.Context(), account)
		var got snapshot.Snapshot
		err := v.View(ctx, func(r store.Reader) (err error) {
			got, err = v.Problem(ctx, r, 7, ident.None, c.parts)
			return err
		})
		if err != nil || got.ID != 7 || len(got.Log) != c.logs || o.views != c.views || o.logs != c.logs {
			t.Errorf("%s: %+v (%v), by %d views and %d logs; want %d and %d", c.rule, got, err, o.views, o.logs, c.views, c.logs)
		}
		account.Close()
	}
}

// A large problem is refused when its memory is not free in time, outside of a View.
func TestViewWithoutMemory(t *testing.T) {
	t.Parallel()
	o := &one{size: 1 << 20}
	v := New(o, 1, 1)
	b := budget.New(1 << 20)
	other, mine := b.Open(nil), b.Open(nil)
	other.For(ident.ID{15: 1})
	mine.For(ident.ID{15: 2})
	if err := other.Reserve(t.Context(), 1<<19); err != nil {
		t.Fatal(err)
	}
	other.Add(1 << 19)
	ctx := budget.With(t.Context(), mine)
	err := v.View(ctx, func(r store.Reader) error {
		_, err := v.Problem(ctx, r, 7, ident.None, snapshot.Log)
		return err
	})
	if !fault.Is(err, fault.Unavailable) || o.views != 1 || o.logs != 0 {
		t.Errorf("%v, by %d views and %d logs", err, o.views, o.logs)
	}
}

// Kept memory survives a View. The memory of its problems is for the next View.
func TestViewsAndKeptMemory(t *testing.T) {
	t.Parallel()
	const kept = 10 << 10
	o := &one{size: 1 << 20}
	v := New(o, time.Second, 1)
	b := budget.New(64 << 20)
	account := b.Open(nil)
	account.For(ident.ID{15: 1})
	ctx := budget.With(t.Context(), account)
	if err := account.Reserve(ctx, kept); err != nil {
		t.Fatal(err)
	}
	account.Keep(kept)
	var first int64
	for range 3 {
		err := v.View(ctx, func(r store.Reader) error {
			_, err := v.Problem(ctx, r, 7, ident.None, snapshot.Log)
			return err
		})
		held, _ := b.Held()
		if first == 0 {
			first = held
		}
		if err != nil || held <= kept || held != first {
			t.Errorf("%d bytes are held, and %d after the first View (%v)", held, first, err)
		}
	}
}
