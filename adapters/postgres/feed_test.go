package postgres_test

import (
	"context"
	"testing"

	"github.com/problemtracking/problems/adapters/postgres"
	"github.com/problemtracking/problems/adapters/postgres/postgrestest"
	"github.com/problemtracking/problems/domain/event"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/store"
)

// TestHeldCommitLeavesNoGap holds back the end of a Commit after the database has given
// it a position. Entries of other Commits overtake it, and the feed has no gap: neither
// meanwhile, nor when the Commit has ended.
func TestHeldCommitLeavesNoGap(t *testing.T) {
	t.Parallel()
	target := postgrestest.Schema(t)
	valve := newValve(t, target)
	slow := open(t, postgres.Options{URL: valve.url, Connections: 1, Timeout: patience})
	other := open(t, postgres.Options{URL: target})
	admin := connect(t, target)
	from := newSource()
	problems := create(t, other, from, 3)
	published := func(p problem.Problem) store.Change {
		change := from.change(store.AddComment{Problem: p.ID, Comment: from.comment()})
		change.Effects = append(change.Effects, store.Publish{Event: event.Event{
			Type: event.ProblemChanged, Problem: p.ID, Title: p.Title, State: p.State, Revision: p.Revision,
			Lines: []event.Line{{ID: from.id(), Type: string(problem.CommentAdded)}},
		}})
		return change
	}
	commit := func(s store.Store, change store.Change) {
		t.Helper()
		if _, err := s.Commit(t.Context(), change); err != nil {
			t.Fatal(err)
		}
	}
	position := func() (last int64) {
		t.Helper()
		if err := admin.QueryRow(t.Context(), "SELECT last_value FROM positions").Scan(&last); err != nil {
			t.Fatal(err)
		}
		return last
	}
	var want []ident.ID // batches, by number
	shows := func(when string) {
		t.Helper()
		entries, err := other.Feed(t.Context(), 1, 100, 1<<20)
		if err != nil {
			t.Fatal(err)
		}
		if len(entries) != len(want) {
			t.Fatalf("%s, the feed has %d entries, not %d", when, len(entries), len(want))
		}
		for i, e := range entries {
			if e.Number != int64(i+1) || e.Batch != want[i] {
				t.Errorf("%s, entry %d has the number %d and the batch %s, not %s", when, i+1, e.Number, e.Batch, want[i])
			}
		}
	}

	var whole int64
	for range 2 { // the second time the statements are prepared
		before := valve.passed()
		change := published(problems[0])
		commit(slow, change)
		want = append(want, change.Batch)
		whole = valve.passed() - before
	}
	shows("before")

	held, drawn := published(problems[0]), position()
	valve.shutAfter(whole * 3 / 4)
	result := make(chan error, 1)
	go func() {
		_, err := slow.Commit(context.WithoutCancel(t.Context()), held)
		result <- err
	}()
	eventually(t, "the held Commit has a position", func() bool { return position() > drawn })
	for _, p := range problems[1:] {
		change := published(p)
		commit(other, change)
		want = append(want, change.Batch)
		shows("while a Commit is held back")
	}
	select {
	case err := <-result:
		t.Fatalf("the held Commit has ended: %v", err)
	default:
	}

	valve.open()
	if err := <-result; err != nil {
		t.Fatalf("the Commit that was held back: %v", err)
	}
	want = append(want, held.Batch)
	shows("after the held Commit")
	change := published(problems[1])
	commit(other, change)
	want = append(want, change.Batch)
	shows("at the end")
}
