package tracker

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/patch"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/query"
	"github.com/problemtracking/problems/domain/snapshot"
	"github.com/problemtracking/problems/domain/store"
	"github.com/problemtracking/problems/domain/tracker/admin"
	"github.com/problemtracking/problems/domain/tracker/internal/kit"
)

// keyed is the key "k" of a request with the given fingerprint, whose reply shows
// the answer.
func keyed[T any](fingerprint byte) *Idempotency[T] {
	return &Idempotency[T]{
		Key:         "k",
		Fingerprint: [32]byte{fingerprint},
		Render:      func(a Answer[T]) []byte { return fmt.Appendf(nil, "revision %d, new %t", a.Revision, a.New) },
	}
}

// kept is the reply to the request with fingerprint 1.
func kept() *store.Reply {
	return &store.Reply{User: kit.Bob, Key: "k", Fingerprint: [32]byte{1}, Created: kit.Noon, Body: []byte("the first answer")}
}

// D21: the reply is kept by the same Change, as long as nobody else used the key.
func TestKeepReply(t *testing.T) {
	t.Parallel()
	expectation := store.KeyUnused{User: kit.Bob, Key: "k", Since: kit.Now.Add(-24 * time.Hour)}
	reply := store.Reply{User: kit.Bob, Key: "k", Fingerprint: [32]byte{1}, Created: kit.Now}

	change, _, err := decideCreate(by(kit.Bob), CreateProblem{ProblemPatch: titled("T"), Idempotency: keyed[snapshot.Snapshot](1)}, newCreation(), kit.At(kit.Now))
	kit.NoError(t, err)
	kit.Expects(t, change, store.CatalogueAt{Version: kit.CatalogueVersion}, expectation)
	reply.Body, reply.About = []byte("revision 1, new true"), store.About{Problem: newCreation().id}
	kit.Equal(t, "kept reply of W1", kit.EffectsOf[store.KeepReply](change), []store.KeepReply{{Reply: reply}})

	change, a, err := decideComment(by(kit.Bob), AddComment{Text: patch.Set("a"), Idempotency: keyed[problem.Comment](1)}, repeatable{loaded: newLoaded()}, kit.At(kit.Now))
	kit.NoError(t, err)
	kit.Expects(t, change, store.ProblemAt{ID: 7, Revision: 3, Batch: kit.StoredBy}, expectation)
	reply.Body, reply.About = []byte("revision 4, new true"), store.About{Problem: 7, Comment: a.Value.ID}
	kit.Equal(t, "kept reply of W3", kit.EffectsOf[store.KeepReply](change), []store.KeepReply{{Reply: reply}})
}

// D21: the same request gets the first answer, byte for byte, whatever became of
// the problem since; another one with the same key is a conflict, after all faults
// of its body (D18).
func TestReplay(t *testing.T) {
	t.Parallel()
	valid, invalid := titled("T"), titled("")
	closed := ProblemPatch{Title: patch.Set("T"), State: kit.Named("Closed")}
	for _, c := range []struct {
		rule        string
		fingerprint byte
		patch       ProblemPatch
		kind        fault.Kind // empty: the first answer
	}{
		{"the same request", 1, valid, ""},
		{"the same request, that would be refused now", 1, invalid, ""},
		{"another request", 2, valid, fault.IdempotencyConflict},
		{"another request, at fault", 2, invalid, fault.InvalidValue},
		{"another request, in a state that is not initial", 2, closed, fault.IdempotencyConflict},
	} {
		t.Run(c.rule, func(t *testing.T) {
			t.Parallel()
			creation := newCreation()
			creation.reply = kept()
			change, a, err := decideCreate(by(kit.Bob), CreateProblem{ProblemPatch: c.patch, Idempotency: keyed[snapshot.Snapshot](c.fingerprint)}, creation, kit.At(kit.Now))
			kit.Nothing(t, change)
			if c.kind != "" {
				kit.WantFault(t, err, c.kind)
				return
			}
			kit.NoError(t, err)
			kit.Equal(t, "answer", a, Answer[snapshot.Snapshot]{Replay: kept().Body})
		})
	}
}

func TestReplayComment(t *testing.T) {
	t.Parallel()
	stale := Write{IfMatch: &Match{Revisions: []int64{2}}}
	c := repeatable{loaded: newLoaded(), reply: kept()}
	change, a, err := decideComment(by(kit.Bob), AddComment{Write: stale, Idempotency: keyed[problem.Comment](1)}, c, kit.At(kit.Now))
	kit.NoError(t, err)
	kit.Nothing(t, change)
	kit.Equal(t, "answer", a, Answer[problem.Comment]{Replay: kept().Body})

	text := patch.Set("a")
	_, _, err = decideComment(by(kit.Bob), AddComment{Text: text, Idempotency: keyed[problem.Comment](2)}, c, kit.At(kit.Now))
	kit.WantFault(t, err, fault.IdempotencyConflict)
	_, _, err = decideComment(by(kit.Bob), AddComment{Idempotency: keyed[problem.Comment](2)}, c, kit.At(kit.Now))
	kit.WantFault(t, err, fault.RequiredField)
	_, _, err = decideComment(by(kit.Bob), AddComment{Write: stale, Text: text, Idempotency: keyed[problem.Comment](2)}, c, kit.At(kit.Now))
	kit.WantFault(t, err, fault.StaleRevision)
	c.reply.Body = nil // redacted (D45)
	_, _, err = decideComment(by(kit.Bob), AddComment{Text: text, Idempotency: keyed[problem.Comment](1)}, c, kit.At(kit.Now))
	kit.WantFault(t, err, fault.IdempotencyConflict)
}

// D21: a key is the user's own, is kept for 24 h, and works for W1 and W3 alike.
func TestIdempotencyKeyLives24Hours(t *testing.T) {
	t.Parallel()
	s := newService(t)
	cmd := CreateProblem{ProblemPatch: titled("T"), Idempotency: keyed[snapshot.Snapshot](1)}
	create := func(who Caller) Answer[snapshot.Snapshot] {
		t.Helper()
		a, err := s.CreateProblem(t.Context(), who, cmd)
		kit.NoError(t, err)
		return a
	}
	replayed := func(who Caller) bool { return create(who).Replay != nil }

	kit.Equal(t, "the first is replayed", replayed(s.admin), false)
	kit.Equal(t, "the second is replayed", replayed(s.admin), true)
	other, err := s.Users().Create(t.Context(), s.admin, admin.CreateObject[admin.UserPatch]{Patch: kit.Person("Bob", "bob@example.org")})
	kit.NoError(t, err)
	kit.Equal(t, "that of another user is replayed", replayed(by(other.Value.ID)), false)

	_, err = s.AddComment(t.Context(), s.admin, 1, AddComment{Text: patch.Set("a"), Idempotency: keyed[problem.Comment](2)})
	kit.WantFault(t, err, fault.IdempotencyConflict)

	s.clock.Forward(24 * time.Hour)
	kit.Equal(t, "that after 24 h is replayed", replayed(s.admin), true)
	s.clock.Forward(999 * time.Microsecond)
	kit.Equal(t, "that after 24 h and less than a millisecond is replayed", replayed(s.admin), true)
	s.clock.Forward(time.Microsecond)
	kit.Equal(t, "that after more is replayed", replayed(s.admin), false)
	kit.Equal(t, "the next is replayed", replayed(s.admin), true)
}

// D21: of two servers that get one request, one makes the problem, and the other
// gives its answer again.
func TestReplayFromAnotherServer(t *testing.T) {
	t.Parallel()
	other := newService(t)
	cmd := CreateProblem{ProblemPatch: titled("T"), Idempotency: keyed[snapshot.Snapshot](1)}
	s := other.behind(kit.Hooked{OnCommit: kit.Once(func() {
		_, err := other.CreateProblem(t.Context(), other.admin, cmd)
		kit.NoError(t, err)
	})})
	a, err := s.CreateProblem(t.Context(), s.admin, cmd)
	kit.NoError(t, err)
	kit.Equal(t, "replay", string(a.Replay), "revision 1, new true")
	kit.Equal(t, "problems", len(s.memory.Current().Problems), 1)
}

// creations are the ways to make something that is no problem: whether one is answered
// by a reply that was kept, and how many of its kind there are then.
func creations(s service) map[string]func(name string, fingerprint byte, dryRun bool) (replayed bool, there int, err error) {
	return map[string]func(string, byte, bool) (bool, int, error){
		"user": func(name string, fingerprint byte, dryRun bool) (bool, int, error) {
			return created(s.admin, s.Users(), kit.Person(name, name+"@example.org"), fingerprint, dryRun)
		},
		"state": func(name string, fingerprint byte, dryRun bool) (bool, int, error) {
			return created(s.admin, s.States(), admin.StatePatch{Name: patch.Set(name)}, fingerprint, dryRun)
		},
		"priority": func(name string, fingerprint byte, dryRun bool) (bool, int, error) {
			return created(s.admin, s.Priorities(), admin.PriorityPatch{Name: patch.Set(name)}, fingerprint, dryRun)
		},
		"classification": func(name string, fingerprint byte, dryRun bool) (bool, int, error) {
			return created(s.admin, s.Classifications(), admin.ClassificationPatch{Name: patch.Set(name)}, fingerprint, dryRun)
		},
		"component": func(name string, fingerprint byte, dryRun bool) (bool, int, error) {
			return created(s.admin, s.Components(), admin.ComponentPatch{Name: patch.Set(name)}, fingerprint, dryRun)
		},
		"milestone": func(name string, fingerprint byte, dryRun bool) (bool, int, error) {
			return created(s.admin, s.Milestones(), admin.MilestonePatch{Name: patch.Set(name)}, fingerprint, dryRun)
		},
		"query": func(name string, fingerprint byte, dryRun bool) (bool, int, error) {
			ctx := context.Background()
			cmd := SaveQuery{Write: Write{DryRun: dryRun}, Name: patch.Set(name), Predicate: patch.Set("TRUEPREDICATE"), Idempotency: keyed[query.Saved](fingerprint)}
			a, err := s.SaveQuery(ctx, s.admin, cmd)
			all, _ := s.As(s.admin).SavedQueries(ctx)
			return a.Replay != nil, len(all.Value), err
		},
	}
}

func created[T, P any](who Caller, o admin.Objects[T, P], p P, fingerprint byte, dryRun bool) (replayed bool, there int, err error) {
	ctx := context.Background()
	a, err := o.CreateOnce(ctx, who, admin.CreateObject[P]{Write: Write{DryRun: dryRun}, Patch: p}, keyed[T](fingerprint))
	all, _ := o.List(ctx)
	return a.Replay != nil, len(all.Value), err
}

// D21: whatever is created can be created again with the same key, and is there once.
// The reply is kept with it, for a day, unless it is a dry run or a refusal.
func TestCreateOnce(t *testing.T) {
	t.Parallel()
	for kind := range creations(service{}) {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			s := newService(t)
			create := creations(s)[kind]
			_, before, err := create("x", 1, true)
			kit.NoError(t, err)
			_, _, err = create("", 1, false)
			kit.WantFault(t, err, fault.InvalidValue)

			replayed, there, err := create("x", 1, false)
			kit.NoError(t, err)
			kit.Equal(t, "the first", []any{replayed, there}, []any{false, before + 1})
			for _, dryRun := range []bool{false, true} {
				replayed, there, err = create("x", 1, dryRun)
				kit.NoError(t, err)
				kit.Equal(t, "again", []any{replayed, there}, []any{true, before + 1})
			}
			_, there, err = create("y", 2, false)
			kit.WantFault(t, err, fault.IdempotencyConflict)
			kit.Equal(t, "after another with the same key", there, before+1)
			_, _, err = create("x", 2, false) // whose name is taken, which is not the first that is wrong
			kit.WantFault(t, err, fault.IdempotencyConflict)
			_, _, err = create("", 2, false)
			kit.WantFault(t, err, fault.InvalidValue)

			s.clock.Forward(24*time.Hour + time.Millisecond)
			replayed, there, err = create("y", 2, false)
			kit.NoError(t, err)
			kit.Equal(t, "another, a day later", []any{replayed, there}, []any{false, before + 2})
		})
	}
}

// D21: of two servers that get one request, one creates, and the other gives its
// answer again; the key is the caller's own.
func TestCreateOnceOnTwoServers(t *testing.T) {
	t.Parallel()
	for kind := range creations(service{}) {
		other := newService(t)
		s := other.behind(kit.Hooked{OnCommit: kit.Once(func() {
			_, _, err := creations(other)[kind]("x", 1, false)
			kit.NoError(t, err)
		})})
		replayed, there, err := creations(s)[kind]("x", 1, false)
		kit.NoError(t, err)
		kit.Equal(t, kind+" is replayed", replayed, true)
		s.admin = by(kit.Ann)
		if replayed, again, err := creations(s)[kind]("z", 1, false); err != nil || replayed || kind != "query" && again != there+1 {
			t.Errorf("%s: for another user: replayed %t, %d there, %v", kind, replayed, again, err)
		}
	}
}
