package postgres_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/problemtracking/problems/adapters/postgres"
	"github.com/problemtracking/problems/adapters/postgres/postgrestest"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/snapshot"
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
	standbys := standbysOf(t, server)
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
	if _, err := s.Commit(t.Context(), from.change(store.AddComment{Problem: p.ID, Comment: from.comment()})); !fault.Is(err, fault.Unavailable) || !strings.Contains(err.Error(), "waits for a standby") {
		t.Errorf("a Commit behind it: got %v, want %s, because of the standby", err, fault.Unavailable)
	}
	if receipt, stored, err := s.Outcome(t.Context(), change.Batch, change.At); !fault.Is(err, fault.Unavailable) {
		t.Errorf("its Outcome, which no standby confirms: got %v, %t, %v, want %s", receipt, stored, err, fault.Unavailable)
	}
	standbys("")
	receipt, stored, err := s.Outcome(t.Context(), change.Batch, change.At)
	if err != nil {
		t.Fatal(err)
	}
	comments := commentsOf(t, s, p)
	if stored != (comments == confirmed+1) {
		t.Errorf("the Outcome is %v, %t, and the problem has %d comments", receipt, stored, comments)
	}
}

// standbysOf returns a function that names the standbys which have to confirm commits. The
// configuration lets no session wait for them, and hides warnings: each write of a Store
// does so itself.
func standbysOf(t *testing.T, server *postgrestest.Server) func(names string) {
	admin := connect(t, server.URL())
	execute(t, admin, "ALTER SYSTEM SET synchronous_commit = 'local'", "ALTER SYSTEM SET client_min_messages = 'error'")
	return func(names string) {
		t.Helper()
		execute(t, admin, "ALTER SYSTEM SET synchronous_standby_names = '"+names+"'", "SELECT pg_reload_conf()")
		eventually(t, "the server reads its configuration", func() bool {
			var got string
			if err := admin.QueryRow(t.Context(), "SHOW synchronous_standby_names").Scan(&got); err != nil {
				t.Fatal(err)
			}
			return got == names
		})
	}
}

// commentsOf returns how many comments a problem has.
func commentsOf(t *testing.T, s store.Store, p problem.Problem) (n int) {
	t.Helper()
	if err := s.View(t.Context(), func(r store.Reader) error {
		shown, err := r.Problem(t.Context(), p.ID, p.Originator, snapshot.Comments)
		n = len(shown.Comments)
		return err
	}); err != nil {
		t.Fatal(err)
	}
	return n
}

// waiting returns the processes of a server that wait for a standby.
const waiting = "FROM pg_stat_activity WHERE wait_event = 'SyncRep'"

// TestHangingWritesAreLeftAlone gives up as many writes as there can be, while no standby
// confirms. None is cancelled: nobody sees them, and who reads is not held up. A
// further write fails with nothing done. An operator who cancels them makes them
// visible: then Confirm fails until a standby confirms.
func TestHangingWritesAreLeftAlone(t *testing.T) {
	t.Parallel()
	server := newServer(t)
	s := open(t, postgres.Options{URL: server.URL(), Timeout: time.Second, AcquireTimeout: time.Second, Connections: 4})
	from := newSource()
	problems := create(t, s, from, 4)
	admin := connect(t, server.URL())
	standbys := standbysOf(t, server)
	standbys("nobody")
	comment := func(p problem.Problem) error {
		ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
		defer cancel()
		_, err := s.Commit(ctx, from.change(store.AddComment{Problem: p.ID, Comment: from.comment()}))
		return err
	}
	hanging := func() (n int) {
		if err := admin.QueryRow(t.Context(), "SELECT count(*) "+waiting).Scan(&n); err != nil {
			t.Fatal(err)
		}
		return n
	}
	given := map[problem.ID]int{}
	for i := 0; hanging() < 3; i++ { // the first may not wait yet, as in TestStandbyHasToConfirm
		p := problems[hanging()]
		if err := comment(p); err == nil {
			given[p.ID]++
		} else if !fault.Is(err, fault.UnknownOutcome) && !fault.Is(err, fault.Unavailable) { // on a busy machine, it may not have begun
			t.Fatalf("a Commit that no standby confirms: got %v, want %s", err, fault.UnknownOutcome)
		}
	}
	for range 3 {
		if err := comment(problems[3]); !fault.Is(err, fault.Unavailable) {
			t.Errorf("one write more: got %v, want %s", err, fault.Unavailable)
		}
	}
	check := func(when string, more int) {
		t.Helper()
		for _, p := range problems[:3] {
			if got, want := commentsOf(t, s, p), given[p.ID]+more; got != want {
				t.Errorf("%s: problem %d has %d comments, not %d", when, p.ID, got, want)
			}
		}
		if got := commentsOf(t, s, problems[3]); got != 0 {
			t.Errorf("%s: %d comments were added that were refused", when, got)
		}
	}
	confirm := func() error {
		ctx, cancel := context.WithTimeout(t.Context(), 500*time.Millisecond)
		defer cancel()
		return s.Confirm(ctx, 0)
	}
	check("while they hang", 0)
	execute(t, admin, "SELECT pg_cancel_backend(pid) "+waiting)
	eventually(t, "they are cancelled", func() bool { return hanging() == 0 })
	eventually(t, "they are visible", func() bool { return commentsOf(t, s, problems[0]) == given[problems[0].ID]+1 })
	check("after they were cancelled", 1)
	for range 3 {
		if err := confirm(); !fault.Is(err, fault.Unavailable) {
			t.Errorf("Confirm while no standby does: got %v, want %s", err, fault.Unavailable)
		}
	}
	if got := hanging(); got > 1 {
		t.Errorf("%d writes confirm at the same time", got)
	}
	standbys("")
	eventually(t, "what hangs goes on", func() bool { return hanging() == 0 })
	if err := s.Confirm(t.Context(), 0); err != nil {
		t.Error(err)
	}
	for _, p := range problems {
		if err := comment(p); err != nil {
			t.Errorf("after that: %v", err)
		}
	}
}

// TestCancelledWaitIsNoSuccess has an operator cancel the wait for a standby. The server
// then reports that the Change is done, with a warning.
func TestCancelledWaitIsNoSuccess(t *testing.T) {
	t.Parallel()
	server := newServer(t)
	s := open(t, postgres.Options{URL: server.URL(), Timeout: patience})
	from := newSource()
	p := create(t, s, from, 1)[0]
	admin := connect(t, server.URL())
	standbysOf(t, server)("nobody")
	for _, end := range []string{"pg_cancel_backend", "pg_terminate_backend"} {
		ended := make(chan error)
		var change store.Change
		for waits := false; !waits; { // the first may not wait yet, as in TestStandbyHasToConfirm
			change = from.change(store.AddComment{Problem: p.ID, Comment: from.comment()})
			go func() {
				_, err := s.Commit(t.Context(), change)
				ended <- err
			}()
			eventually(t, "it waits, or not", func() bool {
				select {
				case err := <-ended:
					if err != nil {
						t.Fatal(err)
					}
					return true
				default:
				}
				if err := admin.QueryRow(t.Context(), "SELECT count(*) > 0 "+waiting).Scan(&waits); err != nil {
					t.Fatal(err)
				}
				return waits
			})
		}
		execute(t, admin, "SELECT "+end+"(pid) "+waiting)
		if err := <-ended; !fault.Is(err, fault.UnknownOutcome) {
			t.Errorf("a Commit after %s: got %v, want %s", end, err, fault.UnknownOutcome)
		}
	}
}

// TestCloseLeavesHangingWrites closes a store while one of its writes waits for a standby.
// The server goes on waiting: nobody sees the write before the standby has it.
func TestCloseLeavesHangingWrites(t *testing.T) {
	if testing.Short() {
		t.Skip("long: make test-long runs it")
	}
	t.Parallel()
	server := newServer(t)
	options := postgres.Options{URL: server.URL(), Timeout: time.Second}
	s, other := open(t, options), open(t, options)
	from := newSource()
	p := create(t, s, from, 1)[0]
	admin := connect(t, server.URL())
	standbys := standbysOf(t, server)
	standbys("nobody")
	hanging := func() (n int) {
		if err := admin.QueryRow(t.Context(), "SELECT count(*) "+waiting).Scan(&n); err != nil {
			t.Fatal(err)
		}
		return n
	}
	given := 0
	for {
		_, err := s.Commit(t.Context(), from.change(store.AddComment{Problem: p.ID, Comment: from.comment()}))
		if fault.Is(err, fault.UnknownOutcome) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		given++
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	const enough = time.Second // for a cancel request to arrive, were there one
	for end := time.Now().Add(enough); time.Now().Before(end); {
		if waits, seen := hanging(), commentsOf(t, other, p); waits != 1 || seen != given {
			t.Fatalf("after Close %d writes wait, and %d comments are to be seen; want 1 and %d", waits, seen, given)
		}
	}
	standbys("")
	eventually(t, "the write goes on", func() bool { return commentsOf(t, other, p) == given+1 })
}

// TestCloseEndsTheWait closes a store within a write that waits for a standby. Its caller
// learns that the outcome is not known, long before the time for the write is over.
func TestCloseEndsTheWait(t *testing.T) {
	t.Parallel()
	server := newServer(t)
	s := open(t, postgres.Options{URL: server.URL(), Timeout: 2 * patience})
	from := newSource()
	p := create(t, s, from, 1)[0]
	admin := connect(t, server.URL())
	standbysOf(t, server)("nobody")
	ended := make(chan error)
	go func() {
		for {
			if _, err := s.Commit(t.Context(), from.change(store.AddComment{Problem: p.ID, Comment: from.comment()})); err != nil {
				ended <- err
				return
			}
		}
	}()
	eventually(t, "a write waits", func() (waits bool) {
		if err := admin.QueryRow(t.Context(), "SELECT count(*) > 0 "+waiting).Scan(&waits); err != nil {
			t.Fatal(err)
		}
		return waits
	})
	closed := make(chan error)
	go func() { closed <- s.Close() }()
	for range 2 {
		select {
		case err := <-ended:
			if !fault.Is(err, fault.UnknownOutcome) {
				t.Errorf("the write ended with %v, want %s", err, fault.UnknownOutcome)
			}
		case err := <-closed:
			if err != nil {
				t.Errorf("Close: %v", err)
			}
		case <-time.After(patience):
			t.Fatalf("the write or Close has not ended after %s", patience)
		}
	}
}

// TestRestoreWaitsForTheStandby holds back the standby that confirms a Restore for longer
// than a statement may take: an import is large, so its standby may lag.
func TestRestoreWaitsForTheStandby(t *testing.T) {
	t.Parallel()
	server := newServer(t)
	s := open(t, postgres.Options{URL: server.URL(), Timeout: time.Second})
	admin := connect(t, server.URL())
	archive, _ := someArchive(newSource())
	standbys := standbysOf(t, server)
	standbys("nobody")
	done := make(chan error, 1)
	go func() { done <- s.Restore(t.Context(), archive) }()
	eventually(t, "the COMMIT has waited for longer than a statement may, or has ended", func() bool {
		var long int
		if err := admin.QueryRow(t.Context(), "SELECT count(*) "+waiting+" AND query_start < now() - interval '5 s'").Scan(&long); err != nil {
			t.Fatal(err)
		}
		return long > 0 || len(done) > 0
	})
	standbys("")
	if err := <-done; err != nil {
		t.Errorf("a Restore with a slow standby: %v", err)
	}
}
