package postgres_test

import (
	"errors"
	"testing"
	"time"

	"github.com/problemtracking/problems/adapters/postgres"
	"github.com/problemtracking/problems/adapters/postgres/postgrestest"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/snapshot"
	"github.com/problemtracking/problems/domain/store"
)

// A View that says that it reads for the last time ends with that: its connection is
// free as soon as it returns, and it reads nothing more.
func TestLastReadEndsTheView(t *testing.T) {
	t.Parallel()
	s := open(t, postgres.Options{URL: postgrestest.Schema(t), Connections: 1})
	p := create(t, s, newSource(), 1)[0]
	for name, before := range map[string]func(store.Reader) error{
		"the only read": func(store.Reader) error { return nil },
		"one of two":    func(r store.Reader) error { _, err := r.Versions(t.Context()); return err },
	} {
		eventually(t, "the connection is given back", func() bool { return s.Stats().InUse == 0 })
		if err := s.View(t.Context(), func(r store.Reader) error {
			if err := before(r); err != nil {
				return err
			}
			store.Last(r)
			shown, err := r.Problem(t.Context(), p.ID, p.Originator, snapshot.Keywords|snapshot.Log)
			if err != nil || shown.Title != p.Title {
				t.Errorf("%s: %+v, %v", name, shown, err)
			}
			if _, err := r.Catalogue(t.Context()); !errors.Is(err, store.ErrOver) {
				t.Errorf("%s: a read after it: %v; want %v", name, err, store.ErrOver)
			}
			return nil
		}); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if n := s.Stats().InUse; n != 0 {
			t.Errorf("%s: %d connections are in use after it", name, n)
		}
	}
}

// A View that says so before its only read shows one moment, too: what was changed
// together is seen together, while others go on changing it.
func TestLastReadShowsOneMoment(t *testing.T) {
	t.Parallel()
	url := postgrestest.Schema(t)
	s, other := open(t, postgres.Options{URL: url}), open(t, postgres.Options{URL: url})
	from := newSource()
	p := create(t, other, from, 1)[0]
	const reads = 100
	stop, wrote := make(chan struct{}), make(chan error, 1)
	go func() {
		current := p
		for {
			select {
			case <-stop:
				wrote <- nil
				return
			default:
			}
			change, next := from.revise(current, problem.FieldChanged)
			change.Effects = append(change.Effects, store.PutKeyword{Problem: p.ID, Keyword: problem.Keyword{Name: "first", Value: problem.Text(next.Title)}})
			change.Log[0].From = problem.LogText(next.Title)
			if _, err := other.Commit(t.Context(), change); err != nil {
				wrote <- err
				return
			}
			current = next
		}
	}()
	defer func() {
		close(stop)
		if err := <-wrote; err != nil {
			t.Error(err)
		}
	}()
	revisions := make(map[int64]bool)
	for began := time.Now(); len(revisions) < reads && time.Since(began) < patience; {
		var seen snapshot.Snapshot
		if err := s.View(t.Context(), func(r store.Reader) (err error) {
			store.Last(r)
			seen, err = r.Problem(t.Context(), p.ID, p.Originator, snapshot.Keywords|snapshot.Log)
			return err
		}); err != nil {
			t.Fatal(err)
		}
		if seen.Revision == p.Revision {
			continue // nothing was changed yet
		}
		revisions[seen.Revision] = true
		last := seen.Log[len(seen.Log)-1]
		if seen.Keywords[0].Value.String != seen.Title || last.From != problem.LogText(seen.Title) || last.Revision != seen.Revision || int64(len(seen.Log)) != seen.Revision-1 {
			t.Fatalf("revision %d has the title %s, the keyword %s and %d log entries up to %+v", seen.Revision, seen.Title, seen.Keywords[0].Value.String, len(seen.Log), last)
		}
	}
	if len(revisions) < reads {
		t.Errorf("only %d revisions were seen", len(revisions))
	}
}
