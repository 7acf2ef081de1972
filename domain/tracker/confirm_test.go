package tracker

import (
	"testing"

	"github.com/problemtracking/problems/domain/access"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/patch"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/query"
	"github.com/problemtracking/problems/domain/relationship"
	"github.com/problemtracking/problems/domain/snapshot"
	"github.com/problemtracking/problems/domain/tracker/admin"
	"github.com/problemtracking/problems/domain/tracker/internal/kit"
	"github.com/problemtracking/problems/domain/user"
)

// A write that is answered without a Commit, with success or with a refusal, is
// confirmed first. When the store cannot confirm, the answer is that it is
// unavailable. A dry run promises nothing, and a read only shows.
func TestAnswersWithoutCommitAreConfirmed(t *testing.T) {
	t.Parallel()
	away := fault.New(fault.Unavailable, "no standby confirms")
	base := newService(t)
	id, other := base.create(t, "T"), base.create(t, "U")
	key := &Idempotency[snapshot.Snapshot]{Key: "k", Render: func(Answer[snapshot.Snapshot]) []byte { return []byte("first") }}
	once, saved := keyed[user.User](1), keyed[query.Saved](1)
	once.Key, saved.Key = "user", "query"
	token := base.issue(t, access.Read)
	ctx := t.Context()
	relate := Relate{Type: patch.Set(string(relationship.ParentOf)), Other: patch.Set(other)}
	watch := AddWatcher{User: kit.AsPartial(kit.Object{"email": admin.Email})}
	put := SetKeyword{Name: "a", Value: problem.Text("b")}
	for _, prepare := range []func() error{
		func() error {
			_, err := base.CreateProblem(ctx, base.admin, CreateProblem{ProblemPatch: ProblemPatch{Title: patch.Set("first")}, Idempotency: key})
			return err
		},
		func() error {
			_, err := base.Users().CreateOnce(ctx, base.admin, admin.CreateObject[admin.UserPatch]{Patch: kit.Person("Bob", "bob@example.org")}, once)
			return err
		},
		func() error {
			_, err := base.SaveQuery(ctx, base.admin, SaveQuery{Name: patch.Set("a"), Predicate: patch.Set("TRUEPREDICATE"), Idempotency: saved})
			return err
		},
		func() error { _, err := base.SetKeyword(ctx, base.admin, id, put); return err },
		func() error { _, err := base.AddRelationship(ctx, base.admin, id, relate); return err },
		func() error { _, err := base.AddWatcher(ctx, base.admin, id, watch); return err },
		func() error { _, err := base.RevokeToken(ctx, base.admin, token.ID, Write{}); return err },
	} {
		kit.NoError(t, prepare())
	}
	stale := Write{IfMatch: &Match{Revisions: []int64{99}}}
	for _, c := range []struct {
		name  string
		write func(s service, w Write) error
		kind  fault.Kind // of the answer, once it is confirmed
	}{
		{"a replay", func(s service, w Write) error {
			_, err := s.CreateProblem(ctx, base.admin, CreateProblem{Write: w, ProblemPatch: ProblemPatch{Title: patch.Set("first")}, Idempotency: key})
			return err
		}, ""},
		{"a key that was used otherwise", func(s service, w Write) error {
			used := *key
			used.Fingerprint[0]++
			_, err := s.CreateProblem(ctx, base.admin, CreateProblem{Write: w, ProblemPatch: ProblemPatch{Title: patch.Set("second")}, Idempotency: &used})
			return err
		}, fault.IdempotencyConflict},
		{"a replay of a new user", func(s service, w Write) error {
			_, err := s.Users().CreateOnce(ctx, base.admin, admin.CreateObject[admin.UserPatch]{Write: w, Patch: kit.Person("Bob", "bob@example.org")}, once)
			return err
		}, ""},
		{"a replay of a saved query", func(s service, w Write) error {
			_, err := s.SaveQuery(ctx, base.admin, SaveQuery{Write: w, Name: patch.Set("a"), Predicate: patch.Set("TRUEPREDICATE"), Idempotency: saved})
			return err
		}, ""},
		{"a title that is the same", func(s service, w Write) error {
			_, err := s.UpdateProblem(ctx, base.admin, id, UpdateProblem{Write: w, ProblemPatch: ProblemPatch{Title: patch.Set("T")}})
			return err
		}, ""},
		{"a revision that is not the current one", func(s service, w Write) error {
			w.IfMatch = stale.IfMatch
			_, err := s.UpdateProblem(ctx, base.admin, id, UpdateProblem{Write: w, ProblemPatch: ProblemPatch{Title: patch.Set("V")}})
			return err
		}, fault.StaleRevision},
		{"a problem that is not there", func(s service, w Write) error {
			_, err := s.AddComment(ctx, base.admin, 99, AddComment{Write: w, Text: patch.Set("a")})
			return err
		}, fault.ProblemNotFound},
		{"a keyword that is the same", func(s service, w Write) error {
			again := put
			again.Write = w
			_, err := s.SetKeyword(ctx, base.admin, id, again)
			return err
		}, ""},
		{"a keyword that is gone", func(s service, w Write) error {
			_, err := s.DeleteKeyword(ctx, base.admin, id, DeleteKeyword{Write: w, Name: "gone"})
			return err
		}, fault.KeywordNotFound},
		{"a relationship that is there", func(s service, w Write) error {
			again := relate
			again.Write = w
			_, err := s.AddRelationship(ctx, base.admin, id, again)
			return err
		}, ""},
		{"a relationship that is gone", func(s service, w Write) error {
			_, err := s.DeleteRelationship(ctx, base.admin, other, Relate{Write: w, Type: relate.Type, Other: patch.Set(id)})
			return err
		}, fault.RelationshipNotFound},
		{"a watcher who watches", func(s service, w Write) error {
			again := watch
			again.Write = w
			_, err := s.AddWatcher(ctx, base.admin, id, again)
			return err
		}, ""},
		{"somebody who does not watch", func(s service, w Write) error {
			_, err := s.StopWatching(ctx, base.admin, other, w)
			return err
		}, ""},
		{"a token that is revoked", func(s service, w Write) error {
			_, err := s.RevokeToken(ctx, base.admin, token.ID, w)
			return err
		}, ""},
		{"a token that is not there", func(s service, w Write) error {
			_, err := s.RevokeToken(ctx, base.admin, ident.None, w)
			return err
		}, fault.NotFound},
		{"a name that is taken", func(s service, w Write) error {
			_, err := s.Priorities().Create(ctx, base.admin, admin.CreateObject[admin.PriorityPatch]{Write: w, Patch: admin.PriorityPatch{Name: patch.Set("High")}})
			return err
		}, fault.AlreadyExists},
		{"many problems without a preview", func(s service, w Write) error {
			_, err := s.UpdateProblems(ctx, base.admin, UpdateProblems{Write: w, Predicate: patch.Set("TRUEPREDICATE"), ProblemPatch: ProblemPatch{Title: patch.Set("V")}})
			return err
		}, fault.PreviewRequired},
		{"a saved query that is gone", func(s service, w Write) error {
			_, err := s.DeleteQuery(ctx, base.admin, ident.None, w)
			return err
		}, fault.NotFound},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			check := func(w Write, confirm func() error, kind fault.Kind, confirms int) {
				t.Helper()
				counted := new(kit.Calls)
				s := base.behind(kit.Hooked{Calls: counted, OnConfirm: confirm})
				switch err := c.write(s, w); {
				case kind == "":
					kit.NoError(t, err)
				default:
					kit.WantFault(t, err, kind)
				}
				kit.Equal(t, "confirms", counted.Confirms, confirms)
				kit.Equal(t, "commits", counted.Commits, 0)
			}
			check(Write{}, func() error { return nil }, c.kind, 1)
			check(Write{}, func() error { return away }, fault.Unavailable, 1)
			if c.kind != fault.PreviewRequired { // which a dry run makes
				check(Write{DryRun: true}, func() error { return away }, c.kind, 0)
			}
		})
	}
}

// A revoked token is refused once the store has confirmed that it is revoked, which it is
// asked for once. One that is unknown or expired rests on nothing that can be taken back.
func TestRevocationIsConfirmed(t *testing.T) {
	t.Parallel()
	base := newService(t)
	token, unknown := base.issue(t, access.Read), access.NewSecret([32]byte{1})
	_, err := base.RevokeToken(t.Context(), base.admin, token.ID, Write{})
	kit.NoError(t, err)
	counted := new(kit.Calls)
	var confirmed error = fault.New(fault.Unavailable, "no standby confirms")
	s := base.behind(kit.Hooked{Calls: counted, OnConfirm: func() error { return confirmed }})
	for _, c := range []struct {
		secret   access.Secret
		standby  error
		want     fault.Kind
		confirms int
	}{
		{unknown, confirmed, fault.Unauthenticated, 0},
		{token.Secret, confirmed, fault.Unavailable, 1},
		{token.Secret, confirmed, fault.Unavailable, 2},
		{token.Secret, nil, fault.Unauthenticated, 3},
		{token.Secret, nil, fault.Unauthenticated, 3},
		{token.Secret, fault.New(fault.Unavailable, "away again"), fault.Unauthenticated, 3},
	} {
		confirmed = c.standby
		_, err := s.Authenticate(t.Context(), c.secret)
		kit.WantFault(t, err, c.want)
		kit.Equal(t, "confirms", counted.Confirms, c.confirms)
	}
}

// When the store has another history by the time of Confirm, the write is decided again:
// what it rested on may be gone.
func TestAnswersOfAnotherHistoryAreDecidedAgain(t *testing.T) {
	t.Parallel()
	base := newService(t)
	id := base.create(t, "T")
	put := SetKeyword{Name: "a", Value: problem.Text("b")}
	_, err := base.SetKeyword(t.Context(), base.admin, id, put)
	kit.NoError(t, err)
	before := base.memory.Current()
	first := true
	s := base.behind(kit.Hooked{OnConfirm: func() error {
		if first {
			first = false
			base.memory.SetBack()
			return fault.New(fault.Conflict, "a standby has taken over")
		}
		return nil
	}})
	answer, err := s.SetKeyword(t.Context(), base.admin, id, put)
	kit.NoError(t, err)
	kit.Equal(t, "whether it is new", answer.New, true)
	kit.Equal(t, "keywords", base.load(t, id).Keywords, []problem.Keyword{{Name: "a", Value: problem.Text("b")}})
	if base.memory.Current() == before {
		t.Error("nothing was stored")
	}
}
