package postgres_test

import (
	"net/url"
	"testing"
	"time"

	"github.com/problemtracking/problems/adapters/postgres"
	"github.com/problemtracking/problems/adapters/postgres/postgrestest"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/snapshot"
	"github.com/problemtracking/problems/domain/store"
)

// TestFencedPrimaryIsLeft promotes the standby while the former primary goes on accepting
// connections, as one does that was fenced off. Nothing on it is confirmed any more. The
// store finds the new one by itself, and what it confirmed is there.
func TestFencedPrimaryIsLeft(t *testing.T) {
	if testing.Short() {
		t.Skip("long: make test-long runs it")
	}
	t.Parallel()
	ownServers <- struct{}{}
	t.Cleanup(func() { <-ownServers })
	pair := postgrestest.NewPair(t)
	s := open(t, postgres.Options{URL: pair.ClusterURL(), Timeout: time.Second})
	from := newSource()
	p := create(t, s, from, 1)[0]
	if got, want := s.Host(), hostOf(t, pair.URL()); got != want {
		t.Fatalf("the store is connected to %s, not to the primary, %s", got, want)
	}
	pair.Promote()
	given := map[string]bool{}
	eventually(t, "a write is confirmed", func() bool {
		comment := from.comment()
		_, err := s.Commit(t.Context(), from.change(store.AddComment{Problem: p.ID, Comment: comment}))
		switch {
		case err == nil:
			given[comment.Text] = true
		case !fault.Is(err, fault.UnknownOutcome) && !fault.Is(err, fault.Unavailable):
			t.Fatal(err)
		}
		return err == nil
	})
	if got, want := s.Host(), hostOf(t, pair.StandbyURL()); got != want {
		t.Errorf("the store is connected to %s, not to the new primary, %s", got, want)
	}
	fresh := open(t, postgres.Options{URL: pair.StandbyURL()})
	var seen []problem.Comment
	if err := fresh.View(t.Context(), func(r store.Reader) error {
		shown, err := r.Problem(t.Context(), p.ID, p.Originator, snapshot.Comments)
		seen = shown.Comments
		return err
	}); err != nil {
		t.Fatal(err)
	}
	for _, c := range seen {
		delete(given, c.Text)
	}
	if len(given) > 0 {
		t.Errorf("%d confirmed comments are not on the new primary", len(given))
	}
}

// hostOf returns the host and port of a URL.
func hostOf(t *testing.T, text string) string {
	t.Helper()
	u, err := url.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return u.Host
}

// TestFrozenPrimaryIsLeft freezes a primary with a write under way. The write never ends, as
// the connection stays open. Reads move to the new primary first. After that the old write
// must not hold up what asks the database to confirm.
func TestFrozenPrimaryIsLeft(t *testing.T) {
	if testing.Short() {
		t.Skip("long: make test-long runs it")
	}
	t.Parallel()
	ownServers <- struct{}{}
	t.Cleanup(func() { <-ownServers })
	pair := postgrestest.NewPair(t)
	s := open(t, postgres.Options{URL: pair.ClusterURL() + "&connect_timeout=1", Timeout: 500 * time.Millisecond})
	if err := s.Confirm(t.Context(), 0); err != nil {
		t.Fatal(err)
	}
	pair.FreezeStandby()
	if err := s.Confirm(t.Context(), 0); !fault.Is(err, fault.UnknownOutcome) && !fault.Is(err, fault.Unavailable) {
		t.Fatalf("without a standby, the database confirms: %v", err)
	}
	pair.FreezePrimary()
	pair.ThawStandby()
	pair.Promote()
	moved := hostOf(t, pair.StandbyURL())
	eventually(t, "reads move to the new primary", func() bool {
		_, err := s.Versions(t.Context())
		return err == nil && s.Host() == moved
	})
	eventually(t, "the new primary confirms", func() bool { return s.Confirm(t.Context(), 0) == nil })
}
