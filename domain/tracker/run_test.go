package tracker

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"testing/iotest"
	"testing/synctest"
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
	"github.com/problemtracking/problems/domain/tracker/internal/changes"
	"github.com/problemtracking/problems/domain/tracker/internal/core"
	"github.com/problemtracking/problems/domain/tracker/internal/kit"
	"github.com/problemtracking/problems/domain/tracker/internal/writerlocks"
)

// A snapshot that another server outdated is loaded again, and all is decided
// anew: no update is lost, and none is repeated.
func TestConflictIsDecidedAgain(t *testing.T) {
	t.Parallel()
	other := newService(t)
	id := other.create(t, "T")
	counted := new(kit.Calls)
	s := other.behind(kit.Hooked{Calls: counted, OnCommit: kit.Once(func() {
		_, err := other.UpdateProblem(t.Context(), other.admin, id, UpdateProblem{ProblemPatch: ProblemPatch{Priority: kit.Named("High")}})
		kit.NoError(t, err)
	})})

	a, err := s.UpdateProblem(t.Context(), s.admin, id, UpdateProblem{ProblemPatch: titled("U")})
	kit.NoError(t, err)
	kit.Equal(t, "revision", a.Revision, int64(3))
	kit.Equal(t, "the other server's priority is there", a.Value.Priority.IsNone(), false)
	kit.Equal(t, "views", counted.Views, 2)
	kit.Equal(t, "commits", counted.Commits, 2)
	if counted.Batches[0] == counted.Batches[1] {
		t.Error("both decisions have one batch")
	}
	stored := s.load(t, id)
	kit.Equal(t, "stored", stored.Problem, a.Value.Problem)
	kit.Equal(t, "log entries", len(stored.Log), 3)
}

// What is decided again may be decided otherwise.
func TestConflictMayEndInAFault(t *testing.T) {
	t.Parallel()
	other := newService(t)
	id := other.create(t, "T")
	s := other.behind(kit.Hooked{OnCommit: kit.Once(func() {
		_, err := other.AddComment(t.Context(), other.admin, id, AddComment{Text: patch.Set("a")})
		kit.NoError(t, err)
	})})
	_, err := s.UpdateProblem(t.Context(), s.admin, id, UpdateProblem{ProblemPatch: titled("U"), Revision: patch.Set[int64](1)})
	kit.WantFault(t, err, fault.StaleRevision)
	kit.Equal(t, "the current revision", kit.FaultOf(t, err).Revision, int64(2))
}

// D7: of two servers that close a cycle from both ends, one is refused: the revision of a
// problem on the way tells.
func TestConflictingServersCloseNoCycle(t *testing.T) {
	t.Parallel()
	other := newService(t)
	one, two, three, four := other.create(t, "1"), other.create(t, "2"), other.create(t, "3"), other.create(t, "4")
	link := func(s service, from, to problem.ID) error {
		_, err := s.AddRelationship(t.Context(), s.admin, from, relate(relationship.ParentOf, to))
		return err
	}
	kit.NoError(t, link(other, one, two))
	kit.NoError(t, link(other, three, four))
	s := other.behind(kit.Hooked{OnCommit: kit.Once(func() { kit.NoError(t, link(other, two, three)) })})
	err := link(s, four, one) // touches none of the problems that the other server touches
	kit.WantFault(t, err, fault.RelationshipCycle)
	kit.Equal(t, "detail", kit.FaultOf(t, err).Detail, "the relationship would close a cycle: 4 → 1 → 2 → 3 → 4")
}

// Comments that wait for each other are decided from what the one before has left, as
// long as no other server changes the problem. Whatever it changes, they do not go by
// what is outdated.
func TestCommentsFollowEachOther(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		rule   string
		first  func(kit.CommitFunc, store.Change) error // how its Commit ends; nil: well
		fails  bool                                     // the first
		second AddComment
		// meanwhile is what another server does when the first is stored and the
		// second has not come.
		meanwhile func(service, *testing.T, problem.ID)
		views     int // of the second
		commits   int
		revision  int64 // in the answer or the fault of the second
		kind      fault.Kind
	}{
		{rule: "nothing else happens", views: 0, commits: 1, revision: 3},
		{rule: "the problem is changed", meanwhile: service.comment, views: 1, commits: 2, revision: 4},
		{rule: "the problem is at the same revision of another history", meanwhile: service.commentInAnotherHistory, views: 1, commits: 2, revision: 3},
		{rule: "the user is renamed", meanwhile: service.rename, views: 1, commits: 1, revision: 3},
		{rule: "the problem is made unread", meanwhile: service.unread, views: 0, commits: 1, revision: 3},
		{rule: "another revision is wanted", second: AddComment{Write: Write{IfMatch: &Match{Revisions: []int64{1}}}},
			views: 1, revision: 2, kind: fault.StaleRevision},
		{rule: "the revision that another server has made is wanted", second: AddComment{Write: Write{IfMatch: &Match{Revisions: []int64{3}}}},
			meanwhile: service.comment, views: 1, commits: 1, revision: 4},
		{rule: "a dry run, of what another server has changed", second: AddComment{Write: Write{DryRun: true}},
			meanwhile: service.comment, views: 1, revision: 4},
		{rule: "with a key", second: AddComment{Idempotency: keyed[problem.Comment](1)}, views: 1, commits: 1, revision: 3},
		{rule: "behind one whose outcome was asked for", first: func(next kit.CommitFunc, c store.Change) error {
			return cmp.Or(next(c), error(fault.New(fault.UnknownOutcome, "the connection broke")))
		}, views: 0, commits: 1, revision: 3},
		{rule: "behind one that has failed", first: func(kit.CommitFunc, store.Change) error { return fault.New(fault.Internal, "no") },
			fails: true, views: 1, commits: 1, revision: 2},
	} {
		t.Run(c.rule, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				other := newService(t)
				id := other.create(t, "T")
				counted := new(kit.Calls)
				done, proceed := make(chan bool), make(chan bool)
				n := 0
				s := other.behind(kit.Hooked{Calls: counted, OnCommit: func(next kit.CommitFunc, change store.Change) error {
					if n++; n > 1 {
						return next(change)
					}
					var err error
					if c.first == nil {
						err = next(change)
					} else {
						err = c.first(next, change)
					}
					close(done)
					<-proceed
					return err
				}})
				go func() {
					_, err := s.AddComment(t.Context(), s.admin, id, AddComment{Text: patch.Set("a")})
					if (err != nil) != c.fails {
						t.Errorf("the first: %v", err)
					}
				}()
				<-done
				if c.meanwhile != nil {
					c.meanwhile(other, t, id)
				}
				second := make(chan error)
				var a Answer[problem.Comment]
				go func() {
					c.second.Text = patch.Set("b")
					var err error
					a, err = s.AddComment(t.Context(), s.admin, id, c.second)
					second <- err
				}()
				synctest.Wait()
				close(proceed)
				err := <-second
				kit.Equal(t, "views of the second", counted.Views-1, c.views)
				kit.Equal(t, "commits of the second", counted.Commits-1, c.commits)
				if c.kind != "" {
					kit.WantFault(t, err, c.kind)
					kit.Equal(t, "revision", kit.FaultOf(t, err).Revision, c.revision)
					return
				}
				kit.NoError(t, err)
				kit.Equal(t, "revision", a.Revision, c.revision)
				now, err := other.As(s.admin).Problem(t.Context(), id, 0)
				kit.NoError(t, err)
				kit.Equal(t, "catalogue", a.Catalogue.Version, now.Catalogue.Version)
				if !c.second.DryRun {
					kit.Equal(t, "read by who commented", now.Value.Read, true)
				}
			})
		})
	}
}

// However many wait for the first, it alone loads the problem, and each of them leaves
// the marks of its user as if it had loaded it, too.
func TestCommentsInARow(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		other := newService(t)
		id := other.create(t, "T")
		a, err := other.Users().Create(t.Context(), other.admin, admin.CreateObject[admin.UserPatch]{Patch: kit.Person("Bob", "bob@example.org")})
		kit.NoError(t, err)
		bob := by(a.Value.ID)
		_, err = other.UpdateProblem(t.Context(), other.admin, id, UpdateProblem{ProblemPatch: ProblemPatch{Assignee: kit.Named("Bob")}})
		kit.NoError(t, err)
		counted := new(kit.Calls)
		stored, proceed := make(chan bool), make(chan bool)
		s := other.behind(kit.Hooked{Calls: counted, OnCommit: kit.Once(func() { close(stored); <-proceed })})
		add := func(caller Caller) {
			if _, err := s.AddComment(t.Context(), caller, id, AddComment{Text: patch.Set("a")}); err != nil {
				t.Error(err)
			}
		}
		var all sync.WaitGroup
		all.Go(func() { add(s.admin) })
		<-stored
		for _, caller := range []Caller{bob, s.admin, s.admin, bob} {
			all.Go(func() { add(caller) })
			synctest.Wait()
		}
		close(proceed)
		all.Wait()
		kit.Equal(t, "views", counted.Views, 1)
		kit.Equal(t, "commits", counted.Commits, 5)
		for caller, read := range map[Caller]bool{s.admin: false, bob: true} {
			seen, err := s.As(caller).Problem(t.Context(), id, snapshot.Comments)
			kit.NoError(t, err)
			kit.Equal(t, "read", seen.Value.Read, read)
			kit.Equal(t, "read by the assignee", seen.Value.ReadByAssignee, true)
			kit.Equal(t, "comments", len(seen.Value.Comments), 5)
		}
		kit.Equal(t, "locks left", s.core.Locks.Len(), 0)
	})
}

func (s service) comment(t *testing.T, id problem.ID) {
	_, err := s.AddComment(t.Context(), s.admin, id, AddComment{Text: patch.Set("meanwhile")})
	kit.NoError(t, err)
}

func (s service) rename(t *testing.T, _ problem.ID) {
	_, err := s.Users().Update(t.Context(), s.admin, s.admin.User, admin.UpdateObject[admin.UserPatch]{Patch: admin.UserPatch{Name: patch.Set("Renamed")}})
	kit.NoError(t, err)
}

func (s service) unread(t *testing.T, id problem.ID) {
	_, err := s.UpdateProblem(t.Context(), s.admin, id, UpdateProblem{ProblemPatch: ProblemPatch{Read: patch.Set(false)}})
	kit.NoError(t, err)
}

// An unknown outcome is settled by Outcome: never by committing again with the
// same decision, and never by a guess.
func TestUnknownOutcome(t *testing.T) {
	t.Parallel()
	unknown := fault.New(fault.UnknownOutcome, "the connection broke")
	lost := func(kit.CommitFunc, store.Change) error { return unknown }
	stored := func(next kit.CommitFunc, c store.Change) error {
		if err := next(c); err != nil {
			return err
		}
		return unknown
	}
	first := func(how func(kit.CommitFunc, store.Change) error) func(kit.CommitFunc, store.Change) error {
		n := 0
		return func(next kit.CommitFunc, c store.Change) error {
			if n++; n == 1 {
				return how(next, c)
			}
			return next(c)
		}
	}
	away := func(context.Context, ident.ID) (bool, error) {
		return false, fault.New(fault.Unavailable, "still no connection")
	}
	for _, c := range []struct {
		rule     string
		store    kit.Hooked
		kind     fault.Kind
		commits  int
		comments int
	}{
		{"it was stored", kit.Hooked{OnCommit: first(stored)}, "", 1, 1},
		{"it was lost: decided again, with a new batch", kit.Hooked{OnCommit: first(lost)}, "", 2, 1},
		{"Outcome fails, and it was stored", kit.Hooked{OnCommit: first(stored), OnOutcome: away}, fault.UnknownOutcome, 1, 1},
		{"Outcome fails, and it was lost", kit.Hooked{OnCommit: first(lost), OnOutcome: away}, fault.UnknownOutcome, 1, 0},
	} {
		t.Run(c.rule, func(t *testing.T) {
			t.Parallel()
			s := newService(t)
			id := s.create(t, "T")
			counted := new(kit.Calls)
			c.store.Calls = counted
			_, err := s.behind(c.store).AddComment(t.Context(), s.admin, id, AddComment{Text: patch.Set("a")})
			if c.kind == "" {
				kit.NoError(t, err)
			} else {
				kit.WantFault(t, err, c.kind)
				if f := kit.FaultOf(t, err); !strings.Contains(f.Detail, "same Idempotency-Key") || !errors.Is(err, unknown) {
					t.Errorf("D18: the error %v does not say what to do, or not why", err)
				}
			}
			kit.Equal(t, "commits", counted.Commits, c.commits)
			kit.Equal(t, "outcomes", counted.Outcomes, 1)
			if c.commits == 2 && counted.Batches[0] == counted.Batches[1] {
				t.Error("a batch that was ruled out is committed again")
			}
			kit.Equal(t, "comments", len(s.load(t, id).Comments), c.comments)
		})
	}
}

// After an unknown outcome, a client that repeats its write with the same key, or the
// same condition, has one comment, whether the first attempt was stored or not (D18).
func TestRepeatAfterUnknownOutcome(t *testing.T) {
	t.Parallel()
	unknown := fault.New(fault.UnknownOutcome, "the connection broke")
	for _, stored := range []bool{true, false} {
		for how, c := range map[string]struct {
			cmd   AddComment
			again fault.Kind // what the repetition is refused with, if the first attempt was stored
		}{
			"key":       {AddComment{Idempotency: keyed[problem.Comment](1)}, ""},
			"condition": {AddComment{Write: Write{IfMatch: &Match{Revisions: []int64{1}}}}, fault.StaleRevision},
		} {
			t.Run(fmt.Sprintf("stored %t, with a %s", stored, how), func(t *testing.T) {
				t.Parallel()
				s := newService(t)
				id := s.create(t, "T")
				c.cmd.Text = patch.Set("a")
				broken := s.behind(kit.Hooked{
					OnCommit: func(next kit.CommitFunc, change store.Change) error {
						if stored {
							kit.NoError(t, next(change))
						}
						return unknown
					},
					OnOutcome: func(context.Context, ident.ID) (bool, error) { return false, unknown },
				})
				_, err := broken.AddComment(t.Context(), s.admin, id, c.cmd)
				kit.WantFault(t, err, fault.UnknownOutcome)
				_, err = s.AddComment(t.Context(), s.admin, id, c.cmd)
				if stored && c.again != "" {
					kit.WantFault(t, err, c.again)
				} else {
					kit.NoError(t, err)
				}
				kit.Equal(t, "comments", len(s.load(t, id).Comments), 1)
			})
		}
	}
}

// A request that ended meanwhile still settles what it began, and within bounds.
func TestUnknownOutcomeOutlivesTheRequest(t *testing.T) {
	t.Parallel()
	s := newService(t)
	id := s.create(t, "T")
	ctx, cancel := context.WithCancel(t.Context())
	_, err := s.behind(kit.Hooked{
		OnCommit: func(next kit.CommitFunc, c store.Change) error {
			kit.NoError(t, next(c))
			cancel()
			return fault.New(fault.UnknownOutcome, "the connection broke")
		},
		OnOutcome: func(ctx context.Context, batch ident.ID) (bool, error) {
			kit.NoError(t, ctx.Err())
			if _, bounded := ctx.Deadline(); !bounded {
				t.Error("Outcome could be waited for without end")
			}
			_, stored, err := s.memory.Outcome(ctx, batch, kit.Noon)
			return stored, err
		},
	}).AddComment(ctx, s.admin, id, AddComment{Text: patch.Set("a")})
	kit.NoError(t, err)
	kit.Equal(t, "comments", len(s.load(t, id).Comments), 1)
}

// Conflicts are tried again until the request ends, and then it says that nothing
// happened.
func TestConflictsUntilTheRequestEnds(t *testing.T) {
	t.Parallel()
	s := newService(t)
	id := s.create(t, "T")
	ctx, cancel := context.WithCancel(t.Context())
	n := 0
	_, err := s.behind(kit.Hooked{OnCommit: func(kit.CommitFunc, store.Change) error {
		if n++; n == 3 {
			cancel()
		}
		return fault.New(fault.Conflict, "again")
	}}).AddComment(ctx, s.admin, id, AddComment{Text: patch.Set("a")})
	kit.WantFault(t, err, fault.Unavailable)
	kit.Equal(t, "commits", n, 3)
	kit.Equal(t, "revision", s.load(t, id).Revision, int64(1))
}

// Every other error of a Commit means that nothing was stored: it is handed on,
// and Outcome is not asked.
func TestCommitFails(t *testing.T) {
	t.Parallel()
	for _, kind := range []fault.Kind{fault.Unavailable, fault.Internal, fault.Unsupported, fault.Closed} {
		s := newService(t)
		id := s.create(t, "T")
		counted := new(kit.Calls)
		_, err := s.behind(kit.Hooked{Calls: counted, OnCommit: func(kit.CommitFunc, store.Change) error { return fault.New(kind, "no") }}).
			AddComment(t.Context(), s.admin, id, AddComment{Text: patch.Set("a")})
		kit.WantFault(t, err, kind)
		kit.Equal(t, "commits", counted.Commits, 1)
		kit.Equal(t, "outcomes", counted.Outcomes, 0)
	}
}

// What the use cases return are faults, also when the wait for a turn is cut short.
func TestCancelledWhileWaiting(t *testing.T) {
	t.Parallel()
	s := newService(t)
	id := s.create(t, "T")
	lease, err := s.core.Locks.Lock(t.Context(), writerlocks.Problem(id))
	kit.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = s.AddComment(ctx, s.admin, id, AddComment{Text: patch.Set("a")})
	kit.WantFault(t, err, fault.Unavailable)
	if f := kit.FaultOf(t, err); f.Detail == "" || !errors.Is(err, context.Canceled) {
		t.Errorf("the error %v says nothing to the client, or not its cause", err)
	}
	lease.Unlock()
	_, err = s.AddComment(t.Context(), s.admin, id, AddComment{Text: patch.Set("a")})
	kit.NoError(t, err)
}

// D8: a request that changes nothing is not committed.
func TestEmptyChangeIsNotCommitted(t *testing.T) {
	t.Parallel()
	s := newService(t)
	id := s.create(t, "T")
	counted := new(kit.Calls)
	a, err := s.behind(kit.Hooked{Calls: counted}).UpdateProblem(t.Context(), s.admin, id, UpdateProblem{ProblemPatch: titled("T")})
	kit.NoError(t, err)
	kit.Equal(t, "commits", counted.Commits, 0)
	kit.Equal(t, "revision", a.Revision, int64(1))
}

// D18: an unknown problem is found out before anything that is wrong with the
// request.
func TestProblemNotFound(t *testing.T) {
	t.Parallel()
	s := newService(t)
	var wrong Write
	wrong.Faults.Add(fault.UnknownField, fault.At("colour"), "is not known")
	wrong.IfMatch = &Match{}
	for _, id := range []problem.ID{-1, 0, 1} {
		_, err := s.As(s.admin).Problem(t.Context(), id, 0)
		kit.WantFault(t, err, fault.ProblemNotFound)
		_, err = s.UpdateProblem(t.Context(), s.admin, id, UpdateProblem{Write: wrong})
		kit.WantFault(t, err, fault.ProblemNotFound)
		_, err = s.AddComment(t.Context(), s.admin, id, AddComment{Write: wrong})
		kit.WantFault(t, err, fault.ProblemNotFound)
		_, err = s.SetKeyword(t.Context(), s.admin, id, SetKeyword{Write: wrong})
		kit.WantFault(t, err, fault.ProblemNotFound)
		_, err = s.DeleteKeyword(t.Context(), s.admin, id, DeleteKeyword{Write: wrong})
		kit.WantFault(t, err, fault.ProblemNotFound)
		_, err = s.AddRelationship(t.Context(), s.admin, id, Relate{Write: wrong})
		kit.WantFault(t, err, fault.ProblemNotFound)
		_, err = s.DeleteRelationship(t.Context(), s.admin, id, Relate{Write: wrong})
		kit.WantFault(t, err, fault.ProblemNotFound)
		_, err = s.AddWatcher(t.Context(), s.admin, id, AddWatcher{Write: wrong})
		kit.WantFault(t, err, fault.ProblemNotFound)
		_, err = s.StopWatching(t.Context(), s.admin, id, wrong)
		kit.WantFault(t, err, fault.ProblemNotFound)
	}
}

// Without randomness there are no identifiers, and nothing is written.
func TestNoRandomness(t *testing.T) {
	t.Parallel()
	s := newService(t)
	before := s.memory.Current()
	deaf := New(Options{Store: s.memory, Now: s.clock.Now, Random: iotest.ErrReader(io.ErrClosedPipe), Limits: DefaultLimits()})
	_, err := deaf.CreateProblem(t.Context(), s.admin, CreateProblem{ProblemPatch: titled("T")})
	kit.WantFault(t, err, fault.Internal)
	_, err = admin.New(deaf.Core(core.Insider{})).NewSecret()
	kit.WantFault(t, err, fault.Internal)
	if s.memory.Current() != before {
		t.Error("the store changed")
	}
}

// D21: housekeeping forgets what is older than 24 hours, and nothing else.
func TestHousekeep(t *testing.T) {
	t.Parallel()
	s := newService(t)
	_, err := s.CreateProblem(t.Context(), s.admin, CreateProblem{ProblemPatch: titled("T"), Idempotency: keyed[snapshot.Snapshot](1)})
	kit.NoError(t, err)
	s.clock.Forward(24 * time.Hour)
	kit.NoError(t, s.Housekeep(t.Context()))
	kit.Equal(t, "kept replies after 24 h", len(s.memory.Current().Replies), 1)
	s.clock.Forward(time.Millisecond)
	kit.NoError(t, s.Housekeep(t.Context()))
	kit.Equal(t, "kept replies after more than 24 h", len(s.memory.Current().Replies), 0)
	kit.Equal(t, "problem", s.load(t, 1).Title, "T")
}

// What there is to forget may be too much for one Change: each takes a minute of
// it, and the minutes in which nothing happened cost nothing.
func TestHousekeepInSlices(t *testing.T) {
	t.Parallel()
	s := newService(t)
	start := s.clock.Now()
	for i, after := range []time.Duration{
		0, 30 * time.Second, time.Minute - time.Millisecond, // the first minute
		time.Minute, 2*time.Minute - time.Millisecond, // the second
		time.Hour,     // another
		3 * time.Hour, // to be kept
	} {
		s.clock.Forward(start.Add(after).Sub(s.clock.Now()))
		key := keyed[snapshot.Snapshot](1)
		key.Key = fmt.Sprint(i)
		_, err := s.CreateProblem(t.Context(), s.admin, CreateProblem{ProblemPatch: titled("T"), Idempotency: key})
		kit.NoError(t, err)
	}
	s.clock.Forward(24 * time.Hour)
	done := len(s.memory.Commits)
	kit.NoError(t, s.Housekeep(t.Context()))
	var got [][2]time.Duration // what each forgets, and from before when
	for _, c := range s.memory.Commits[done:] {
		for _, e := range kit.EffectsOf[store.Expire](c.Change) {
			got = append(got, [2]time.Duration{time.Duration(len(c.Before.Replies) - len(c.After.Replies)), e.Before.Sub(start)})
		}
	}
	kit.Equal(t, "slices", got, [][2]time.Duration{{3, time.Minute}, {2, 2 * time.Minute}, {1, time.Hour + time.Minute}, {0, 3 * time.Hour}})
	kit.Equal(t, "kept replies", len(s.memory.Current().Replies), 1)
}

// The answer of a write is rendered with the catalogue that it was decided with,
// also when that was loaded anew.
func TestAnswerHasItsCatalogue(t *testing.T) {
	t.Parallel()
	other := newService(t)
	id := other.create(t, "T")
	bobs := kit.Partial(kit.Object{"email": "bob@example.org"})
	s := other.behind(kit.Hooked{OnCommit: kit.Once(func() {
		_, err := other.Users().Update(t.Context(), other.admin, other.admin.User, admin.UpdateObject[admin.UserPatch]{Patch: admin.UserPatch{Name: patch.Set("Root")}})
		kit.NoError(t, err)
	})})
	_, err := other.Users().Create(t.Context(), other.admin, admin.CreateObject[admin.UserPatch]{Patch: kit.Person("Bob", "bob@example.org")})
	kit.NoError(t, err)
	a, err := s.UpdateProblem(t.Context(), s.admin, id, UpdateProblem{ProblemPatch: ProblemPatch{Assignee: bobs}})
	kit.NoError(t, err)
	kit.Equal(t, "version", a.Catalogue.Version, a.Value.Catalogue)
	kit.Equal(t, "the administrator's new name", a.Catalogue.Name(metadata.Users, s.admin.User), "Root")
}

// The events of a Change repeat its log, and count for the size of a request as well.
func TestEventsCountForTheSizeOfARequest(t *testing.T) {
	t.Parallel()
	s := newService(t)
	_, err := core.Run(t.Context(), s.core, core.Command[struct{}, struct{}]{
		DryRun: true,
		Load:   func(context.Context, store.Reader) (state struct{}, err error) { return state, nil },
		Decide: func(struct{}, changes.Moment) (change store.Change, answer struct{}, err error) {
			change.Log = []problem.LogEntry{{Problem: 1, From: problem.LogValue(strings.Repeat("x", store.MostSize*2/3))}}
			return change, answer, nil
		},
	})
	kit.WantFault(t, err, fault.TooLarge)
}
