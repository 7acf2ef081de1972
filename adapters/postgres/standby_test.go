package postgres_test

import (
	"testing"
	"time"

	"github.com/problemtracking/problems/adapters/postgres"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/store"
)

// TestStandbyHasToConfirm takes away the standby that has to confirm commits. A
// Commit that was given up while it waited can be seen, but may be lost with the
// server: Outcome must not say that it is stored before the standby has it.
func TestStandbyHasToConfirm(t *testing.T) {
	t.Parallel()
	server := newServer(t)
	s := open(t, postgres.Options{URL: server.URL(), Timeout: time.Second})
	from := newSource()
	p := create(t, s, from, 1)[0]
	admin := connect(t, server.URL())
	standbys := func(names string) {
		execute(t, admin, "ALTER SYSTEM SET synchronous_standby_names = '"+names+"'", "SELECT pg_reload_conf()")
		eventually(t, "the server reads its configuration", func() bool {
			var got string
			if err := admin.QueryRow(t.Context(), "SHOW synchronous_standby_names").Scan(&got); err != nil {
				t.Fatal(err)
			}
			return got == names
		})
	}
	standbys("nobody")
	confirmed := 0
	var change store.Change
	eventually(t, "a process of the server's own, too, reads it, and a Commit waits", func() bool {
		change = from.change(store.AddComment{Problem: p.ID, Comment: from.comment()})
		_, err := s.Commit(t.Context(), change)
		if err == nil {
			confirmed++
		} else if !fault.Is(err, fault.UnknownOutcome) {
			t.Fatalf("a Commit that no standby confirms: got %v, want %s", err, fault.UnknownOutcome)
		}
		return err != nil
	})
	if receipt, stored, err := s.Outcome(t.Context(), change.Batch, change.At); !fault.Is(err, fault.Unavailable) {
		t.Errorf("its Outcome, which no standby confirms: got %v, %t, %v, want %s", receipt, stored, err, fault.Unavailable)
	}
	standbys("")
	receipt, stored, err := s.Outcome(t.Context(), change.Batch, change.At)
	if err != nil {
		t.Fatal(err)
	}
	comments := 0
	if err := s.View(t.Context(), func(r store.Reader) error {
		snapshot, err := r.Problem(t.Context(), p.ID, p.Originator, store.Comments)
		comments = len(snapshot.Comments)
		return err
	}); err != nil {
		t.Fatal(err)
	}
	if stored != (comments == confirmed+1) {
		t.Errorf("the Outcome is %v, %t, and the problem has %d comments", receipt, stored, comments)
	}
}
