package postgres_test

import (
	"errors"
	"testing"

	"github.com/problemtracking/problems/adapters/postgres"
	"github.com/problemtracking/problems/adapters/postgres/postgrestest"
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
			snapshot, err := r.Problem(t.Context(), p.ID, p.Originator, store.Keywords|store.Log)
			if err != nil || snapshot.Title != p.Title {
				t.Errorf("%s: %+v, %v", name, snapshot, err)
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
