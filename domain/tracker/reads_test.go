package tracker

import (
	"testing"

	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/patch"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/snapshot"
	"github.com/problemtracking/problems/domain/store"
	"github.com/problemtracking/problems/domain/tracker/internal/kit"
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
		{"the assignee marks it as read", newLoaded(assigned(kit.Bob)), true, true},
		{"the assignee marks it as unread", newLoaded(assigned(kit.Bob), read, readByAssignee), false, false},
		{"somebody else marks it as read", newLoaded(assigned(kit.Ann)), true, false},
		{"somebody else marks it as unread", newLoaded(assigned(kit.Ann), read, readByAssignee), false, true},
		{"nobody is assigned", newLoaded(), true, false},
	} {
		t.Run(c.rule, func(t *testing.T) {
			t.Parallel()
			change, a, err := decideUpdate(by(kit.Bob), UpdateProblem{ProblemPatch: ProblemPatch{Read: patch.Set(c.read)}}, c.old, kit.At(kit.Now))
			kit.NoError(t, err)
			kit.Equal(t, "effects", change.Effects, []store.Effect{store.MarkRead{Problem: 7, User: kit.Bob, Read: c.read}})
			kit.Logged(t, change)
			kit.Expects(t, change, store.ProblemAt{ID: 7, Revision: 3, Batch: kit.StoredBy}) // or it would be read after a change that was not seen
			want := c.old.Snapshot
			want.Read, want.ReadByAssignee = c.read, c.readByAssignee
			kit.Equal(t, "answer", a, Answer[snapshot.Snapshot]{Value: want, Catalogue: c.old.catalogue, Revision: 3})
		})
	}
}

func readByAssignee(l *loaded) { l.ReadByAssignee = true }

// D1: a significant change makes the problem unread for everybody but its author;
// who is assigned is who is assigned after the change.
func TestReadAfterChange(t *testing.T) {
	t.Parallel()
	mark := func(read bool) store.Effect { return store.MarkRead{Problem: 7, User: kit.Bob, Read: read} }
	var forget store.Effect = store.ForgetReads{Problem: 7, But: kit.Bob}
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
		{"the assignee is the author", newLoaded(assigned(kit.Bob)), titled("T"),
			[]store.Effect{forget, mark(true)}, flags{true, true}},
		{"the assignee is somebody else, who had read it", newLoaded(assigned(kit.Ann), readByAssignee, read), titled("T"),
			[]store.Effect{forget}, flags{true, false}},
		{"the author assigns himself", newLoaded(assigned(kit.Ann), readByAssignee), ProblemPatch{Assignee: kit.Named("Bob")},
			[]store.Effect{forget, mark(true)}, flags{true, true}},
		{"the author assigns somebody else", newLoaded(assigned(kit.Bob), readByAssignee, read), ProblemPatch{Assignee: kit.Named("Ann")},
			[]store.Effect{forget}, flags{true, false}},
		{"the author assigns nobody", newLoaded(assigned(kit.Bob), readByAssignee, read), ProblemPatch{Assignee: patch.Null[metadata.Partial]()},
			[]store.Effect{forget}, flags{true, false}},
		{"a change that its author wants to read again", newLoaded(read), ProblemPatch{Title: patch.Set("T"), Read: patch.Set(false)},
			[]store.Effect{forget, mark(false)}, flags{false, false}},
		{"likewise, by the assignee", newLoaded(assigned(kit.Bob), read, readByAssignee), ProblemPatch{Title: patch.Set("T"), Read: patch.Set(false)},
			[]store.Effect{forget, mark(false)}, flags{false, false}},
		{"a change together with read", newLoaded(), ProblemPatch{Title: patch.Set("T"), Read: patch.Set(true)},
			[]store.Effect{forget, mark(true)}, flags{true, false}},
	} {
		t.Run(c.rule, func(t *testing.T) {
			t.Parallel()
			change, a, err := decideUpdate(by(kit.Bob), UpdateProblem{ProblemPatch: c.cmd}, c.old, kit.At(kit.Now))
			kit.NoError(t, err)
			kit.Equal(t, "effects on who has read it", readEffects(change, 7), c.effects)
			kit.Equal(t, "answered", flags{a.Value.Read, a.Value.ReadByAssignee}, c.want)
			kit.Equal(t, "revision", a.Revision, int64(4))
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
		{"not said", patch.Field[bool]{}, kit.Bob, true, true},
		{"true", patch.Set(true), kit.Bob, true, true},
		{"false", patch.Set(false), kit.Bob, false, false},
		{"somebody else is assigned", patch.Field[bool]{}, kit.Ann, true, false},
	} {
		t.Run(c.rule, func(t *testing.T) {
			t.Parallel()
			cmd := CreateProblem{ProblemPatch: titled("T")}
			cmd.Read, cmd.Assignee = c.read, kit.Partial(kit.Object{"identifier": c.assignee.String()})
			change, a, err := decideCreate(by(kit.Bob), cmd, newCreation(), kit.At(kit.Now))
			kit.NoError(t, err)
			var effects []store.Effect
			if c.want {
				effects = append(effects, store.MarkRead{Problem: 12, User: kit.Bob, Read: true})
			}
			kit.Equal(t, "effects on who has read it", readEffects(change, 12), effects)
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
