package tracker

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/patch"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/relationship"
	"github.com/problemtracking/problems/domain/snapshot"
	"github.com/problemtracking/problems/domain/store"
	"github.com/problemtracking/problems/domain/tracker/internal/kit"
)

// Whatever several users do on several servers whose clocks disagree, every Change
// keeps the rules, and every answer is what is read next.
func TestRandomSessions(t *testing.T) {
	t.Parallel()
	const steps = 600
	rng := kit.Rand(t)
	s := newStocked()
	servers := []*Service{s.Service, newServer(s.memory, s.clock)}
	for range 4 {
		s.create(t, "T")
	}
	for range steps {
		s.clock.Forward(time.Duration(rng.IntN(2000)-500) * time.Millisecond)
		randomWrite(t, rng, servers[rng.IntN(2)], by(pick(rng, kit.Ann, kit.Bob, kit.Eve1)))
	}
	touched := map[problem.ID]int64{}
	left := 0
	for _, c := range s.memory.Commits {
		checkCommit(t, c)
		left += len(kit.EffectsOf[store.Unwatch](c.Change))
		checkPairs(t, c.After)
		for _, e := range kit.EffectsOf[store.UpdateProblem](c.Change) {
			touched[e.Problem.ID]++
		}
	}
	for id, rec := range s.memory.Current().Problems {
		kit.Equal(t, fmt.Sprintf("revision of problem %d", id), rec.Problem.Revision, 1+touched[id])
		changes := slices.DeleteFunc(slices.Clone(rec.Log), func(e problem.LogEntry) bool { return !e.Type.Significant() })
		if !slices.IsSortedFunc(changes, func(a, b problem.LogEntry) int { return a.Created.Compare(b.Created) }) {
			t.Errorf("D1: the changes of problem %d step back in time", id)
		}
	}
	if left == 0 {
		t.Error("no watcher left")
	}
	if len(s.memory.Commits) < steps/4 {
		t.Errorf("only %d of %d writes changed something", len(s.memory.Commits), steps)
	}
}

// randomWrite makes one write of any kind and checks its answer.
func randomWrite(t *testing.T, rng *rand.Rand, s *Service, who Caller) {
	t.Helper()
	id, other := problem.ID(1+rng.IntN(4)), problem.ID(1+rng.IntN(4))
	load := func() snapshot.Snapshot {
		t.Helper()
		a, err := s.As(who).Problem(t.Context(), id, ^snapshot.Parts(0))
		kit.NoError(t, err)
		return a.Value
	}
	var err error
	var revision int64
	switch rng.IntN(10) {
	case 0, 1, 2:
		var a Answer[snapshot.Snapshot]
		before := len(load().Log)
		if a, err = s.UpdateProblem(t.Context(), who, id, UpdateProblem{ProblemPatch: randomPatch(rng)}); err == nil {
			want := load()
			want.Log = want.Log[before:]
			if len(want.Log) == 0 {
				want.Log = nil
			}
			want.Comments, want.Relationships, want.Watchers, want.Savepoints = nil, nil, nil, nil
			kit.Equal(t, "answer", a.Value, want)
			revision = a.Revision
		}
	case 3:
		var a Answer[problem.Comment]
		if a, err = s.AddComment(t.Context(), who, id, AddComment{Text: patch.Set("a")}); err == nil {
			comments := load().Comments
			kit.Equal(t, "comment", a.Value, comments[len(comments)-1])
			revision = a.Revision
		}
	case 4:
		k := problem.Keyword{Name: pick(rng, "a", "b"), Value: pick(rng, problem.NullText{}, problem.Text(""), problem.Text("x"))}
		var a Answer[problem.Keyword]
		if a, err = s.SetKeyword(t.Context(), who, id, SetKeyword{Name: k.Name, Value: k.Value}); err == nil {
			kit.Equal(t, "stored", slices.Contains(load().Keywords, a.Value), true)
			revision = a.Revision
		}
	case 5:
		var a Answer[struct{}]
		a, err = s.DeleteKeyword(t.Context(), who, id, DeleteKeyword{Name: pick(rng, "a", "b")})
		revision = a.Revision
	case 6:
		var a Answer[snapshot.Related]
		if a, err = s.AddRelationship(t.Context(), who, id, relate(pick(rng, relationship.Types()...), other)); err == nil {
			kit.Equal(t, "stored", slices.Contains(load().Relationships, a.Value), true)
			revision = a.Revision
		}
	case 7:
		var a Answer[struct{}]
		a, err = s.DeleteRelationship(t.Context(), who, id, relate(pick(rng, relationship.Types()...), other))
		revision = a.Revision
	case 8:
		u := pick(rng, kit.Ann, kit.Bob, kit.Cat, kit.Eve1, kit.Eve2)
		_, err = s.AddWatcher(t.Context(), who, id, AddWatcher{User: kit.AsPartial(kit.Object{"identifier": u.String()})})
		if err == nil {
			kit.Equal(t, "watches", slices.Contains(load().Watchers, u), true)
		}
	case 9:
		var a Answer[struct{}]
		others := slices.DeleteFunc(load().Watchers, func(u ident.ID) bool { return u == who.User })
		a, err = s.StopWatching(t.Context(), who, id, Write{})
		kit.NoError(t, err)
		kit.Equal(t, "who still watches", load().Watchers, others)
		revision = a.Revision
	}
	if kind := kindOf(err); kind == fault.Internal || kind == fault.Unavailable || kind == fault.Conflict {
		t.Fatal(err)
	}
	if revision != 0 {
		kit.Equal(t, "revision of the answer", revision, load().Revision)
	}
}

func randomPatch(rng *rand.Rand) (p ProblemPatch) {
	some := func() bool { return rng.IntN(3) == 0 }
	byID := func(ids ...ident.ID) patch.Field[metadata.Partial] {
		if id := pick(rng, ids...); !id.IsNone() {
			return kit.Partial(kit.Object{"identifier": id.String()})
		}
		return patch.Null[metadata.Partial]()
	}
	if some() {
		p.Title = patch.Set(pick(rng, "T", "U", "V", ""))
	}
	if some() {
		p.State = byID(kit.Open, kit.InProgress, kit.Closed, kit.Archived)
	}
	if some() {
		p.Priority = byID(ident.None, kit.Urgent, kit.Low)
	}
	if some() {
		p.Component = byID(ident.None, kit.CoreID, kit.Network, kit.Legacy)
	}
	if some() {
		p.Assignee = byID(ident.None, kit.Ann, kit.Bob, kit.Cat, kit.Eve1)
	}
	if some() {
		p.Read = patch.Set(pick(rng, true, false))
	}
	return p
}

// checkCommit checks what is true of every Change.
func checkCommit(t *testing.T, c kit.Committed) {
	t.Helper()
	if c.At != c.At.UTC().Truncate(time.Millisecond) {
		t.Errorf("D9: the time %s is not in UTC and whole milliseconds", c.At)
	}
	for _, e := range kit.EffectsOf[store.Unwatch](c.Change) {
		if e.User != c.Author {
			t.Errorf("D16: %s removed the watcher %s of problem %d", c.Author, e.User, e.Problem)
		}
	}
	for id, after := range c.After.Problems {
		var before kit.Record
		if b := c.Before.Problems[id]; b != nil {
			before = *b
			checkStep(t, c, before, *after)
		}
		if changed := before.Problem.Fields != after.Problem.Fields; changed != (len(after.Savepoints) > len(before.Savepoints)) {
			t.Errorf("D8: fields of problem %d changed %t, but it has %d savepoints after %d", id, changed, len(after.Savepoints), len(before.Savepoints))
		} else if changed {
			kit.Equal(t, "savepoint", after.Savepoints[len(after.Savepoints)-1], snapshot.Savepoint{Batch: c.Batch, Problem: after.Problem})
		}
		for _, e := range after.Log[len(before.Log):] {
			if e.Batch != c.Batch || e.Author != c.Author || !e.Created.Equal(c.At) || e.Revision != after.Problem.Revision {
				t.Errorf("D8: the entry %+v is not of its change", e)
			}
		}
		state, _ := metadata.NewCatalogue(ident.Version{}, c.After.Clone().Content).State(after.Problem.State)
		if state.Resolved == after.Problem.Resolver.IsNone() || state.Resolved == after.Problem.Resolved.IsZero() {
			t.Errorf("D1: problem %d in state %s was resolved by %s at %s", id, state.Name, after.Problem.Resolver, after.Problem.Resolved)
		}
	}
}

// checkStep checks what is true of every Change of a problem that was there.
func checkStep(t *testing.T, c kit.Committed, before, after kit.Record) {
	t.Helper()
	id, entries := before.Problem.ID, after.Log[len(before.Log):]
	var updates int
	for _, e := range kit.EffectsOf[store.UpdateProblem](c.Change) {
		if e.Problem.ID == id {
			updates++
		}
	}
	if after.Problem.Revision != before.Problem.Revision+int64(updates) || updates > 1 || (updates == 1) != (len(entries) > 0) {
		t.Errorf("D1: problem %d went from revision %d to %d with %d updates and %d log entries", id, before.Problem.Revision, after.Problem.Revision, updates, len(entries))
	}
	significant := slices.ContainsFunc(entries, func(e problem.LogEntry) bool { return e.Type.Significant() })
	want := before.Problem
	if slices.ContainsFunc(entries, func(e problem.LogEntry) bool { return e.Type.Modifies() }) {
		want.Modifier, want.Modified = c.Author, c.At
	}
	if after.Problem.Modifier != want.Modifier || !after.Problem.Modified.Equal(want.Modified) || after.Problem.Modified.Before(before.Problem.Modified) {
		t.Errorf("D1: problem %d was changed by %s at %s, after %s at %s, with a significant change: %t",
			id, after.Problem.Modifier, after.Problem.Modified, before.Problem.Modifier, before.Problem.Modified, significant)
	}
	if significant && slices.ContainsFunc(after.Readers, func(u ident.ID) bool { return u != c.Author }) {
		t.Errorf("D1: somebody has read the change of problem %d already", id)
	}
	if touches(c.Change, id) && !slices.Contains(c.Expect, store.Expectation(store.ProblemAt{ID: id, Revision: before.Problem.Revision, Batch: before.Batch})) {
		t.Errorf("the change alters problem %d without expecting its revision %d: %+v", id, before.Problem.Revision, c.Expect)
	}
}

// touches reports whether the change has an effect on the problem.
func touches(c store.Change, id problem.ID) bool {
	return slices.ContainsFunc(c.Effects, func(e store.Effect) bool {
		switch e := e.(type) {
		case store.UpdateProblem:
			return e.Problem.ID == id
		case store.PutSavepoint:
			return e.Problem.ID == id
		case store.AddComment:
			return e.Problem == id
		case store.PutKeyword:
			return e.Problem == id
		case store.DropKeyword:
			return e.Problem == id
		case store.PutRelationship:
			return e.Relationship.Owner == id
		case store.DropRelationship:
			return e.Owner == id
		case store.Watch:
			return e.Problem == id
		case store.Unwatch:
			return e.Problem == id
		case store.MarkRead:
			return e.Problem == id
		case store.ForgetReads:
			return e.Problem == id
		}
		return false
	})
}

// kindOf returns the kind of an error, and "" when there is none.
func kindOf(err error) fault.Kind {
	if err == nil {
		return ""
	}
	return fault.KindOf(err)
}
