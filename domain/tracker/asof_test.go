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
	"github.com/problemtracking/problems/domain/tracker/admin"
	"github.com/problemtracking/problems/domain/tracker/internal/kit"
)

// shown are the parts that R1–R4 show.
const shown = snapshot.Keywords | snapshot.Log | snapshot.Comments | snapshot.Relationships | snapshot.Watchers

// D36: whatever happens to problems, each of their revisions is shown later as it
// was shown then, by its number and by the time, but for what it refers to, which is
// shown as it is, and for marks, which are not kept.
func TestAsOfIsWhatWasSeen(t *testing.T) {
	t.Parallel()
	const problems, steps = 5, 400
	rng := kit.Rand(t)
	s := newStocked()
	for range problems {
		s.create(t, "T")
	}
	seen := map[problem.ID][]snapshot.Snapshot{} // by revision, from 1
	look := func() {
		for id := problem.ID(1); id <= problems; id++ {
			a, err := s.As(s.admin).Problem(t.Context(), id, shown|snapshot.Savepoints)
			kit.NoError(t, err)
			if int64(len(seen[id])) < a.Revision {
				now := a.Value
				kit.Equal(t, "size", now.Size, dossierOf(now).Size())
				now.Size, now.Savepoints = 0, nil
				seen[id] = append(seen[id], now)
			}
			kit.Equal(t, "revisions seen", int64(len(seen[id])), a.Revision)
		}
	}
	look()
	done := map[string]int{}
	for range steps {
		s.clock.Forward(pick(rng, 0, 0, time.Millisecond, time.Second, time.Hour, -time.Second, -time.Minute))
		what, err := s.writeSomething(t, rng, problems)
		if err == nil {
			done[what]++
		}
		look()
	}
	for _, what := range []string{"update", "comment", "set keyword", "delete keyword", "relate", "unrelate", "watch", "stop watching", "rename", "correct", "undo"} {
		if done[what] == 0 {
			t.Errorf("of %d steps, none was to %s", steps, what)
		}
	}
	for id, revisions := range seen {
		for i, want := range revisions {
			s.wantAsOf(t, id, AsOf{Revision: int64(i) + 1}, want)
		}
		_, err := s.As(s.admin).ProblemAsOf(t.Context(), id, shown, AsOf{Revision: int64(len(revisions)) + 1})
		kit.WantFault(t, err, fault.ProblemNotFound)
		s.checkTimes(t, id, revisions)
	}
}

// checkTimes asks for a problem at, just before and just after each of its times.
func (s service) checkTimes(t *testing.T, id problem.ID, revisions []snapshot.Snapshot) {
	t.Helper()
	made := func(r snapshot.Snapshot) time.Time { return r.Log[len(r.Log)-1].Created }
	times := map[time.Time]bool{made(revisions[0]).Add(-time.Hour): true}
	for _, r := range revisions {
		for _, d := range []time.Duration{-time.Millisecond, 0, time.Millisecond - 1} {
			times[made(r).Add(d)] = true
		}
	}
	before := 0
	for at := range times {
		latest := -1
		for i, r := range revisions {
			if !made(r).After(at) {
				latest = i
			}
		}
		if latest >= 0 {
			s.wantAsOf(t, id, AsOf{Time: at}, revisions[latest])
			continue
		}
		before++
		_, err := s.As(s.admin).ProblemAsOf(t.Context(), id, shown, AsOf{Time: at})
		kit.WantFault(t, err, fault.ProblemNotFound)
	}
	if before == 0 {
		t.Errorf("no time before problem %d", id)
	}
}

// wantAsOf checks what is shown of a problem as it stood, all parts together and
// each alone.
func (s service) wantAsOf(t *testing.T, id problem.ID, at AsOf, want snapshot.Snapshot) {
	t.Helper()
	today := s.load(t, id)
	want.Catalogue = today.Catalogue
	want.Watching, want.Read, want.ReadByAssignee = false, false, false
	want.Relationships = slices.Clone(want.Relationships)
	for i := range want.Relationships {
		other := s.load(t, want.Relationships[i].Other)
		want.Relationships[i].OtherTitle, want.Relationships[i].OtherState = other.Title, other.State
	}
	compareSets := func(parts snapshot.Parts) {
		t.Helper()
		a, err := s.As(s.admin).ProblemAsOf(t.Context(), id, parts, at)
		kit.NoError(t, err)
		part, got := want, a.Value
		slices.SortFunc(got.Watchers, ident.ID.Compare) // which can be in any order
		part.Watchers = slices.SortedFunc(slices.Values(part.Watchers), ident.ID.Compare)
		for _, drop := range []struct {
			part snapshot.Parts
			from func(*snapshot.Snapshot)
		}{
			{snapshot.Keywords, func(s *snapshot.Snapshot) { s.Keywords = nil }},
			{snapshot.Log, func(s *snapshot.Snapshot) { s.Log = nil }},
			{snapshot.Comments, func(s *snapshot.Snapshot) { s.Comments = nil }},
			{snapshot.Relationships, func(s *snapshot.Snapshot) { s.Relationships = nil }},
			{snapshot.Watchers, func(s *snapshot.Snapshot) { s.Watchers = nil }},
		} {
			if !parts.Has(drop.part) {
				drop.from(&part)
			}
		}
		kit.Equal(t, fmt.Sprintf("parts %b of problem %d as of %+v", parts, id, at), show(got), show(part))
		kit.Equal(t, "revision of the answer", a.Revision, want.Revision)
	}
	compareSets(shown)
	for _, part := range []snapshot.Parts{snapshot.Keywords | snapshot.Log, snapshot.Comments, snapshot.Relationships, snapshot.Watchers} {
		compareSets(part)
	}
}

// show writes out a snapshot: an empty part is as good as none.
func show(s snapshot.Snapshot) string { return fmt.Sprintf("%+v", s) }

// writeSomething makes a random write, by one of two people, which may be refused.
func (s service) writeSomething(t *testing.T, rng *rand.Rand, problems int) (what string, err error) {
	t.Helper()
	some := func() problem.ID { return problem.ID(1 + rng.IntN(problems)) }
	caller, id := by(pick(rng, kit.Ann, kit.Bob)), some()
	name := pick(rng, "a", "b", "c")
	types := []relationship.Type{relationship.RelatedTo, relationship.ParentOf, relationship.ChildOf, relationship.BlockerOf}
	what = pick(rng, "update", "update", "comment", "set keyword", "delete keyword", "relate", "relate", "unrelate", "watch", "stop watching", "rename", "mark", "correct", "undo")
	switch ctx := t.Context(); what {
	case "update":
		cmd := UpdateProblem{}
		if rng.IntN(2) == 0 {
			cmd.Title = patch.Set(pick(rng, "T", "U", "V"))
		}
		if rng.IntN(2) == 0 {
			cmd.State = kit.Named(pick(rng, "Open", "In Progress", "Closed"))
		}
		if rng.IntN(2) == 0 {
			cmd.Milestone = pick(rng, patch.Null[metadata.Partial](), kit.Partial(kit.Object{"identifier": kit.First.String()}))
		}
		if rng.IntN(2) == 0 {
			cmd.Assignee = pick(rng, patch.Null[metadata.Partial](), kit.Named("Ann"), kit.Named("Bob"))
		}
		_, err = s.UpdateProblem(ctx, caller, id, cmd)
	case "comment":
		_, err = s.AddComment(ctx, caller, id, AddComment{Text: patch.Set("a"), HTML: pick(rng, patch.Field[string]{}, patch.Set("<p>"))})
	case "set keyword":
		_, err = s.SetKeyword(ctx, caller, id, SetKeyword{Name: name, Value: pick(rng, problem.NullText{}, problem.Text(""), problem.Text("x\"y"))})
	case "delete keyword":
		_, err = s.DeleteKeyword(ctx, caller, id, DeleteKeyword{Name: name})
	case "relate":
		_, err = s.AddRelationship(ctx, caller, id, relate(pick(rng, types...), some()))
	case "unrelate":
		of := s.memory.Current().Problems[id].Relationships
		if len(of) == 0 {
			return "", nil
		}
		r := pick(rng, of...)
		_, err = s.DeleteRelationship(ctx, caller, id, relate(r.Type, r.Other))
	case "watch":
		_, err = s.AddWatcher(ctx, caller, id, AddWatcher{User: kit.AsPartial(kit.Object{"identifier": pick(rng, kit.Ann, kit.Bob, kit.Eve1, kit.Eve2).String()})})
	case "stop watching":
		_, err = s.StopWatching(ctx, caller, id, Write{})
	case "rename":
		_, err = s.Users().Update(ctx, by(kit.Ann), kit.Eve1, admin.UpdateObject[admin.UserPatch]{Patch: admin.UserPatch{Name: patch.Set(pick(rng, "Eve", "Eva"))}})
	case "correct":
		if comments := problem.Present(slices.Clone(s.memory.Current().Problems[id].Comments)); len(comments) == 0 {
			return "", nil
		} else if of := pick(rng, comments...).ID; rng.IntN(3) == 0 {
			_, err = s.DeleteComment(ctx, caller, id, DeleteComment{Comment: of})
		} else {
			_, err = s.EditComment(ctx, caller, id, EditComment{Comment: of, Text: patch.Set(pick(rng, "a", "b", "c"))})
		}
	case "undo":
		_, err = s.undo(ctx, caller, id, pick(rng, s.memory.Current().Problems[id].Log...).Batch, pick(rng, UndoOfProblem, UndoOfBatch), func(UndoneBatch) {})
	case "mark":
		_, err = s.UpdateProblem(ctx, caller, id, UpdateProblem{ProblemPatch: ProblemPatch{Read: patch.Set(rng.IntN(2) == 0)}})
	}
	if kind := kindOf(err); kind == fault.Internal || kind == fault.Unavailable {
		t.Fatalf("%s: %v", what, err)
	}
	return what, err
}

// Points in time that are none of the problem's.
func TestAsOfOutside(t *testing.T) {
	t.Parallel()
	s := newStocked()
	id := s.create(t, "T")
	for _, at := range []AsOf{{}, {Revision: -1}, {Revision: 2}, {Revision: 1 << 62}, {Time: kit.Noon.Add(-time.Millisecond)}, {Time: time.Unix(0, 0)}} {
		_, err := s.As(s.admin).ProblemAsOf(t.Context(), id, shown, at)
		kit.WantFault(t, err, fault.ProblemNotFound)
	}
	for _, at := range []AsOf{{Revision: 1}, {Time: kit.Noon}, {Time: kit.Noon.Add(time.Hour)}, {Time: kit.Noon.AddDate(5000, 0, 0)}} {
		a, err := s.As(s.admin).ProblemAsOf(t.Context(), id, shown, at)
		kit.NoError(t, err)
		kit.Equal(t, "revision", a.Revision, int64(1))
	}
	_, err := s.As(s.admin).ProblemAsOf(t.Context(), id+1, shown, AsOf{Revision: 1})
	kit.WantFault(t, err, fault.ProblemNotFound)
}

// dossierOf returns what counts for the size of a problem.
func dossierOf(s snapshot.Snapshot) store.Dossier {
	return store.Dossier{Problem: s.Problem, Keywords: s.Keywords, Comments: s.Comments, Log: s.Log, Savepoints: s.Savepoints}
}
