package tracker

import (
	"testing"

	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/patch"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/snapshot"
	"github.com/problemtracking/problems/domain/store"
)

// D1: read is settable with W2, makes no revision and no log entry, and is the
// caller's own.
func TestSetRead(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		rule           string
		old            loaded
		read           bool
		readByAssignee bool
	}{
		{"the assignee marks it as read", newLoaded(assigned(bob)), true, true},
		{"the assignee marks it as unread", newLoaded(assigned(bob), read, readByAssignee), false, false},
		{"somebody else marks it as read", newLoaded(assigned(ann)), true, false},
		{"somebody else marks it as unread", newLoaded(assigned(ann), read, readByAssignee), false, true},
		{"nobody is assigned", newLoaded(), true, false},
	} {
		t.Run(c.rule, func(t *testing.T) {
			t.Parallel()
			change, a, err := decideUpdate(by(bob), UpdateProblem{ProblemPatch: ProblemPatch{Read: patch.Set(c.read)}}, c.old, at(now))
			noError(t, err)
			equal(t, "effects", change.Effects, []store.Effect{store.MarkRead{Problem: 7, User: bob, Read: c.read}})
			logged(t, change)
			expects(t, change, store.ProblemAt{ID: 7, Revision: 3, Batch: storedBy}) // or it would be read after a change that was not seen
			want := c.old.Snapshot
			want.Read, want.ReadByAssignee = c.read, c.readByAssignee
			equal(t, "answer", a, Answer[snapshot.Snapshot]{Value: want, Catalogue: c.old.catalogue, Revision: 3})
		})
	}
}

func readByAssignee(l *loaded) { l.ReadByAssignee = true }

// D1: a significant change makes the problem unread for everybody but its author;
// who is assigned is who is assigned after the change.
func TestReadAfterChange(t *testing.T) {
	t.Parallel()
	mark := func(read bool) store.Effect { return store.MarkRead{Problem: 7, User: bob, Read: read} }
	var forget store.Effect = store.ForgetReads{Problem: 7, But: bob}
	type flags struct{ read, byAssignee bool }
	for _, c := range []struct {
		rule    string
		old     loaded
		cmd     ProblemPatch
		effects []store.Effect
		want    flags
	}{
		{"the author had read it", newLoaded(read), titled("T"),
			[]store.Effect{forget}, flags{true, false}},
		{"the author has read it now", newLoaded(), titled("T"),
			[]store.Effect{forget, mark(true)}, flags{true, false}},
		{"the assignee is the author", newLoaded(assigned(bob)), titled("T"),
			[]store.Effect{forget, mark(true)}, flags{true, true}},
		{"the assignee is somebody else, who had read it", newLoaded(assigned(ann), readByAssignee, read), titled("T"),
			[]store.Effect{forget}, flags{true, false}},
		{"the author assigns himself", newLoaded(assigned(ann), readByAssignee), ProblemPatch{Assignee: named("Bob")},
			[]store.Effect{forget, mark(true)}, flags{true, true}},
		{"the author assigns somebody else", newLoaded(assigned(bob), readByAssignee, read), ProblemPatch{Assignee: named("Ann")},
			[]store.Effect{forget}, flags{true, false}},
		{"the author assigns nobody", newLoaded(assigned(bob), readByAssignee, read), ProblemPatch{Assignee: patch.Null[metadata.Partial]()},
			[]store.Effect{forget}, flags{true, false}},
		{"a change that its author wants to read again", newLoaded(read), ProblemPatch{Title: patch.Set("T"), Read: patch.Set(false)},
			[]store.Effect{forget, mark(false)}, flags{false, false}},
		{"likewise, by the assignee", newLoaded(assigned(bob), read, readByAssignee), ProblemPatch{Title: patch.Set("T"), Read: patch.Set(false)},
			[]store.Effect{forget, mark(false)}, flags{false, false}},
		{"a change together with read", newLoaded(), ProblemPatch{Title: patch.Set("T"), Read: patch.Set(true)},
			[]store.Effect{forget, mark(true)}, flags{true, false}},
	} {
		t.Run(c.rule, func(t *testing.T) {
			t.Parallel()
			change, a, err := decideUpdate(by(bob), UpdateProblem{ProblemPatch: c.cmd}, c.old, at(now))
			noError(t, err)
			equal(t, "effects on who has read it", readEffects(change, 7), c.effects)
			equal(t, "answered", flags{a.Value.Read, a.Value.ReadByAssignee}, c.want)
			equal(t, "revision", a.Revision, int64(4))
		})
	}
}

// D1: who creates a problem has read it, unless he says otherwise.
func TestReadAtCreation(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		rule                 string
		read                 patch.Field[bool]
		assignee             ident.ID
		want, wantByAssignee bool
	}{
		{"not said", patch.Field[bool]{}, bob, true, true},
		{"true", patch.Set(true), bob, true, true},
		{"false", patch.Set(false), bob, false, false},
		{"somebody else is assigned", patch.Field[bool]{}, ann, true, false},
	} {
		t.Run(c.rule, func(t *testing.T) {
			t.Parallel()
			cmd := CreateProblem{ProblemPatch: titled("T")}
			cmd.Read, cmd.Assignee = c.read, partial(object{"identifier": c.assignee.String()})
			change, a, err := decideCreate(by(bob), cmd, newCreation(), at(now))
			noError(t, err)
			var effects []store.Effect
			if c.want {
				effects = append(effects, store.MarkRead{Problem: 12, User: bob, Read: true})
			}
			equal(t, "effects on who has read it", readEffects(change, 12), effects)
			if a.Value.Read != c.want || a.Value.ReadByAssignee != c.wantByAssignee {
				t.Errorf("read %t, by the assignee %t; want %t and %t", a.Value.Read, a.Value.ReadByAssignee, c.want, c.wantByAssignee)
			}
		})
	}
}

// readEffects returns the effects on who has read the problem, without those that
// a later one of the same user takes back.
func readEffects(c store.Change, id problem.ID) (effects []store.Effect) {
	for _, e := range c.Effects {
		switch e := e.(type) {
		case store.ForgetReads:
			if e.Problem == id {
				effects = append(effects, e)
			}
		case store.MarkRead:
			if e.Problem != id {
				continue
			}
			if n := len(effects); n > 0 {
				if before, ok := effects[n-1].(store.MarkRead); ok && before.User == e.User {
					effects = effects[:n-1]
				}
			}
			effects = append(effects, e)
		}
	}
	return effects
}
