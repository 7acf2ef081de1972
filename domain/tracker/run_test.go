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
	"github.com/problemtracking/problems/domain/tracker/internal/writerlocks"
)

// once returns a commit hook that runs before the first Commit only.
func once(before func()) func(commitFunc, store.Change) error {
	return func(next commitFunc, c store.Change) error {
		if before != nil {
			now := before
			before = nil
			now()
		}
		return next(c)
	}
}

// A snapshot that another server outdated is loaded again, and all is decided
// anew: no update is lost, and none is repeated.
func TestConflictIsDecidedAgain(t *testing.T) {
	t.Parallel()
	other := newService(t)
	id := other.create(t, "T")
	counted := new(calls)
	s := other.behind(hooked{calls: counted, commit: once(func() {
		_, err := other.UpdateProblem(t.Context(), other.admin, id, UpdateProblem{ProblemPatch: ProblemPatch{Priority: named("High")}})
		noError(t, err)
	})})

	a, err := s.UpdateProblem(t.Context(), s.admin, id, UpdateProblem{ProblemPatch: titled("U")})
	noError(t, err)
	equal(t, "revision", a.Revision, int64(3))
	equal(t, "the other server's priority is there", a.Value.Priority.IsNone(), false)
	equal(t, "views", counted.views, 2)
	equal(t, "commits", counted.commits, 2)
	if counted.batches[0] == counted.batches[1] {
		t.Error("both decisions have one batch")
	}
	stored := s.load(t, id)
	equal(t, "stored", stored.Problem, a.Value.Problem)
	equal(t, "log entries", len(stored.Log), 3)
}

// What is decided again may be decided otherwise.
func TestConflictMayEndInAFault(t *testing.T) {
	t.Parallel()
	other := newService(t)
	id := other.create(t, "T")
	s := other.behind(hooked{commit: once(func() {
		_, err := other.AddComment(t.Context(), other.admin, id, AddComment{Text: patch.Set("a")})
		noError(t, err)
	})})
	_, err := s.UpdateProblem(t.Context(), s.admin, id, UpdateProblem{ProblemPatch: titled("U"), Revision: patch.Set[int64](1)})
	wantFault(t, err, fault.StaleRevision)
	equal(t, "the current revision", faultOf(t, err).Revision, int64(2))
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
	noError(t, link(other, one, two))
	noError(t, link(other, three, four))
	s := other.behind(hooked{commit: once(func() { noError(t, link(other, two, three)) })})
	err := link(s, four, one) // touches none of the problems that the other server touches
	wantFault(t, err, fault.RelationshipCycle)
	equal(t, "detail", faultOf(t, err).Detail, "the relationship would close a cycle: 4 → 1 → 2 → 3 → 4")
}

// Comments that wait for each other are decided from what the one before has left, as
// long as no other server changes the problem. Whatever it changes, they do not go by
// what is outdated.
func TestCommentsFollowEachOther(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		rule   string
		first  func(commitFunc, store.Change) error // how its Commit ends; nil: well
		fails  bool                                 // the first
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
		{rule: "behind one whose outcome was asked for", first: func(next commitFunc, c store.Change) error {
			return cmp.Or(next(c), error(fault.New(fault.UnknownOutcome, "the connection broke")))
		}, views: 0, commits: 1, revision: 3},
		{rule: "behind one that has failed", first: func(commitFunc, store.Change) error { return fault.New(fault.Internal, "no") },
			fails: true, views: 1, commits: 1, revision: 2},
	} {
		t.Run(c.rule, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				other := newService(t)
				id := other.create(t, "T")
				counted := new(calls)
				done, proceed := make(chan bool), make(chan bool)
				n := 0
				s := other.behind(hooked{calls: counted, commit: func(next commitFunc, change store.Change) error {
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
				equal(t, "views of the second", counted.views-1, c.views)
				equal(t, "commits of the second", counted.commits-1, c.commits)
				if c.kind != "" {
					wantFault(t, err, c.kind)
					equal(t, "revision", faultOf(t, err).Revision, c.revision)
					return
				}
				noError(t, err)
				equal(t, "revision", a.Revision, c.revision)
				now, err := other.As(s.admin).Problem(t.Context(), id, 0)
				noError(t, err)
				equal(t, "catalogue", a.Catalogue.Version, now.Catalogue.Version)
				if !c.second.DryRun {
					equal(t, "read by who commented", now.Value.Read, true)
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
		a, err := other.Users().Create(t.Context(), other.admin, CreateObject[UserPatch]{Patch: person("Bob", "bob@example.org")})
		noError(t, err)
		bob := by(a.Value.ID)
		_, err = other.UpdateProblem(t.Context(), other.admin, id, UpdateProblem{ProblemPatch: ProblemPatch{Assignee: named("Bob")}})
		noError(t, err)
		counted := new(calls)
		stored, proceed := make(chan bool), make(chan bool)
		s := other.behind(hooked{calls: counted, commit: once(func() { close(stored); <-proceed })})
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
		equal(t, "views", counted.views, 1)
		equal(t, "commits", counted.commits, 5)
		for caller, read := range map[Caller]bool{s.admin: false, bob: true} {
			seen, err := s.As(caller).Problem(t.Context(), id, snapshot.Comments)
			noError(t, err)
			equal(t, "read", seen.Value.Read, read)
			equal(t, "read by the assignee", seen.Value.ReadByAssignee, true)
			equal(t, "comments", len(seen.Value.Comments), 5)
		}
		equal(t, "locks left", s.core.Locks.Len(), 0)
	})
}

func (s service) comment(t *testing.T, id problem.ID) {
	_, err := s.AddComment(t.Context(), s.admin, id, AddComment{Text: patch.Set("meanwhile")})
	noError(t, err)
}

func (s service) rename(t *testing.T, _ problem.ID) {
	_, err := s.Users().Update(t.Context(), s.admin, s.admin.User, UpdateObject[UserPatch]{Patch: UserPatch{Name: patch.Set("Renamed")}})
	noError(t, err)
}

func (s service) unread(t *testing.T, id problem.ID) {
	_, err := s.UpdateProblem(t.Context(), s.admin, id, UpdateProblem{ProblemPatch: ProblemPatch{Read: patch.Set(false)}})
	noError(t, err)
}

// An unknown outcome is settled by Outcome: never by committing again with the
// same decision, and never by a guess.
func TestUnknownOutcome(t *testing.T) {
	t.Parallel()
	unknown := fault.New(fault.UnknownOutcome, "the connection broke")
	lost := func(commitFunc, store.Change) error { return unknown }
	stored := func(next commitFunc, c store.Change) error {
		if err := next(c); err != nil {
			return err
		}
		return unknown
	}
	first := func(how func(commitFunc, store.Change) error) func(commitFunc, store.Change) error {
		n := 0
		return func(next commitFunc, c store.Change) error {
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
		store    hooked
		kind     fault.Kind
		commits  int
		comments int
	}{
		{"it was stored", hooked{commit: first(stored)}, "", 1, 1},
		{"it was lost: decided again, with a new batch", hooked{commit: first(lost)}, "", 2, 1},
		{"Outcome fails, and it was stored", hooked{commit: first(stored), outcome: away}, fault.UnknownOutcome, 1, 1},
		{"Outcome fails, and it was lost", hooked{commit: first(lost), outcome: away}, fault.UnknownOutcome, 1, 0},
	} {
		t.Run(c.rule, func(t *testing.T) {
			t.Parallel()
			s := newService(t)
			id := s.create(t, "T")
			counted := new(calls)
			c.store.calls = counted
			_, err := s.behind(c.store).AddComment(t.Context(), s.admin, id, AddComment{Text: patch.Set("a")})
			if c.kind == "" {
				noError(t, err)
			} else {
				wantFault(t, err, c.kind)
				if f := faultOf(t, err); !strings.Contains(f.Detail, "same Idempotency-Key") || !errors.Is(err, unknown) {
					t.Errorf("D18: the error %v does not say what to do, or not why", err)
				}
			}
			equal(t, "commits", counted.commits, c.commits)
			equal(t, "outcomes", counted.outcomes, 1)
			if c.commits == 2 && counted.batches[0] == counted.batches[1] {
				t.Error("a batch that was ruled out is committed again")
			}
			equal(t, "comments", len(s.load(t, id).Comments), c.comments)
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
				broken := s.behind(hooked{
					commit: func(next commitFunc, change store.Change) error {
						if stored {
							noError(t, next(change))
						}
						return unknown
					},
					outcome: func(context.Context, ident.ID) (bool, error) { return false, unknown },
				})
				_, err := broken.AddComment(t.Context(), s.admin, id, c.cmd)
				wantFault(t, err, fault.UnknownOutcome)
				_, err = s.AddComment(t.Context(), s.admin, id, c.cmd)
				if stored && c.again != "" {
					wantFault(t, err, c.again)
				} else {
					noError(t, err)
				}
				equal(t, "comments", len(s.load(t, id).Comments), 1)
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
	_, err := s.behind(hooked{
		commit: func(next commitFunc, c store.Change) error {
			noError(t, next(c))
			cancel()
			return fault.New(fault.UnknownOutcome, "the connection broke")
		},
		outcome: func(ctx context.Context, batch ident.ID) (bool, error) {
			noError(t, ctx.Err())
			if _, bounded := ctx.Deadline(); !bounded {
				t.Error("Outcome could be waited for without end")
			}
			_, stored, err := s.memory.Outcome(ctx, batch, noon)
			return stored, err
		},
	}).AddComment(ctx, s.admin, id, AddComment{Text: patch.Set("a")})
	noError(t, err)
	equal(t, "comments", len(s.load(t, id).Comments), 1)
}

// Conflicts are tried again until the request ends, and then it says that nothing
// happened.
func TestConflictsUntilTheRequestEnds(t *testing.T) {
	t.Parallel()
	s := newService(t)
	id := s.create(t, "T")
	ctx, cancel := context.WithCancel(t.Context())
	n := 0
	_, err := s.behind(hooked{commit: func(commitFunc, store.Change) error {
		if n++; n == 3 {
			cancel()
		}
		return fault.New(fault.Conflict, "again")
	}}).AddComment(ctx, s.admin, id, AddComment{Text: patch.Set("a")})
	wantFault(t, err, fault.Unavailable)
	equal(t, "commits", n, 3)
	equal(t, "revision", s.load(t, id).Revision, int64(1))
}

// Every other error of a Commit means that nothing was stored: it is handed on,
// and Outcome is not asked.
func TestCommitFails(t *testing.T) {
	t.Parallel()
	for _, kind := range []fault.Kind{fault.Unavailable, fault.Internal, fault.Unsupported, fault.Closed} {
		s := newService(t)
		id := s.create(t, "T")
		counted := new(calls)
		_, err := s.behind(hooked{calls: counted, commit: func(commitFunc, store.Change) error { return fault.New(kind, "no") }}).
			AddComment(t.Context(), s.admin, id, AddComment{Text: patch.Set("a")})
		wantFault(t, err, kind)
		equal(t, "commits", counted.commits, 1)
		equal(t, "outcomes", counted.outcomes, 0)
	}
}

// What the use cases return are faults, also when the wait for a turn is cut short.
func TestCancelledWhileWaiting(t *testing.T) {
	t.Parallel()
	s := newService(t)
	id := s.create(t, "T")
	lease, err := s.core.Locks.Lock(t.Context(), writerlocks.Problem(id))
	noError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = s.AddComment(ctx, s.admin, id, AddComment{Text: patch.Set("a")})
	wantFault(t, err, fault.Unavailable)
	if f := faultOf(t, err); f.Detail == "" || !errors.Is(err, context.Canceled) {
		t.Errorf("the error %v says nothing to the client, or not its cause", err)
	}
	lease.Unlock()
	_, err = s.AddComment(t.Context(), s.admin, id, AddComment{Text: patch.Set("a")})
	noError(t, err)
}

// D8: a request that changes nothing is not committed.
func TestEmptyChangeIsNotCommitted(t *testing.T) {
	t.Parallel()
	s := newService(t)
	id := s.create(t, "T")
	counted := new(calls)
	a, err := s.behind(hooked{calls: counted}).UpdateProblem(t.Context(), s.admin, id, UpdateProblem{ProblemPatch: titled("T")})
	noError(t, err)
	equal(t, "commits", counted.commits, 0)
	equal(t, "revision", a.Revision, int64(1))
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
		wantFault(t, err, fault.ProblemNotFound)
		_, err = s.UpdateProblem(t.Context(), s.admin, id, UpdateProblem{Write: wrong})
		wantFault(t, err, fault.ProblemNotFound)
		_, err = s.AddComment(t.Context(), s.admin, id, AddComment{Write: wrong})
		wantFault(t, err, fault.ProblemNotFound)
		_, err = s.SetKeyword(t.Context(), s.admin, id, SetKeyword{Write: wrong})
		wantFault(t, err, fault.ProblemNotFound)
		_, err = s.DeleteKeyword(t.Context(), s.admin, id, DeleteKeyword{Write: wrong})
		wantFault(t, err, fault.ProblemNotFound)
		_, err = s.AddRelationship(t.Context(), s.admin, id, Relate{Write: wrong})
		wantFault(t, err, fault.ProblemNotFound)
		_, err = s.DeleteRelationship(t.Context(), s.admin, id, Relate{Write: wrong})
		wantFault(t, err, fault.ProblemNotFound)
		_, err = s.AddWatcher(t.Context(), s.admin, id, AddWatcher{Write: wrong})
		wantFault(t, err, fault.ProblemNotFound)
		_, err = s.StopWatching(t.Context(), s.admin, id, wrong)
		wantFault(t, err, fault.ProblemNotFound)
	}
}

// Without randomness there are no identifiers, and nothing is written.
func TestNoRandomness(t *testing.T) {
	t.Parallel()
	s := newService(t)
	before := s.memory.current()
	deaf := New(Options{Store: s.memory, Now: s.clock.now, Random: iotest.ErrReader(io.ErrClosedPipe), Limits: DefaultLimits()})
	_, err := deaf.CreateProblem(t.Context(), s.admin, CreateProblem{ProblemPatch: titled("T")})
	wantFault(t, err, fault.Internal)
	_, err = deaf.NewSecret()
	wantFault(t, err, fault.Internal)
	if s.memory.current() != before {
		t.Error("the store changed")
	}
}

// D21: housekeeping forgets what is older than 24 hours, and nothing else.
func TestHousekeep(t *testing.T) {
	t.Parallel()
	s := newService(t)
	_, err := s.CreateProblem(t.Context(), s.admin, CreateProblem{ProblemPatch: titled("T"), Idempotency: keyed[snapshot.Snapshot](1)})
	noError(t, err)
	s.clock.forward(24 * time.Hour)
	noError(t, s.Housekeep(t.Context()))
	equal(t, "kept replies after 24 h", len(s.memory.current().replies), 1)
	s.clock.forward(time.Millisecond)
	noError(t, s.Housekeep(t.Context()))
	equal(t, "kept replies after more than 24 h", len(s.memory.current().replies), 0)
	equal(t, "problem", s.load(t, 1).Title, "T")
}

// What there is to forget may be too much for one Change: each takes a minute of
// it, and the minutes in which nothing happened cost nothing.
func TestHousekeepInSlices(t *testing.T) {
	t.Parallel()
	s := newService(t)
	start := s.clock.now()
	for i, after := range []time.Duration{
		0, 30 * time.Second, time.Minute - time.Millisecond, // the first minute
		time.Minute, 2*time.Minute - time.Millisecond, // the second
		time.Hour,     // another
		3 * time.Hour, // to be kept
	} {
		s.clock.forward(start.Add(after).Sub(s.clock.now()))
		key := keyed[snapshot.Snapshot](1)
		key.Key = fmt.Sprint(i)
		_, err := s.CreateProblem(t.Context(), s.admin, CreateProblem{ProblemPatch: titled("T"), Idempotency: key})
		noError(t, err)
	}
	s.clock.forward(24 * time.Hour)
	done := len(s.memory.commits)
	noError(t, s.Housekeep(t.Context()))
	var got [][2]time.Duration // what each forgets, and from before when
	for _, c := range s.memory.commits[done:] {
		for _, e := range effectsOf[store.Expire](c.Change) {
			got = append(got, [2]time.Duration{time.Duration(len(c.before.replies) - len(c.after.replies)), e.Before.Sub(start)})
		}
	}
	equal(t, "slices", got, [][2]time.Duration{{3, time.Minute}, {2, 2 * time.Minute}, {1, time.Hour + time.Minute}, {0, 3 * time.Hour}})
	equal(t, "kept replies", len(s.memory.current().replies), 1)
}

// The answer of a write is rendered with the catalogue that it was decided with,
// also when that was loaded anew.
func TestAnswerHasItsCatalogue(t *testing.T) {
	t.Parallel()
	other := newService(t)
	id := other.create(t, "T")
	bobs := partial(object{"email": "bob@example.org"})
	s := other.behind(hooked{commit: once(func() {
		_, err := other.Users().Update(t.Context(), other.admin, other.admin.User, UpdateObject[UserPatch]{Patch: UserPatch{Name: patch.Set("Root")}})
		noError(t, err)
	})})
	_, err := other.Users().Create(t.Context(), other.admin, CreateObject[UserPatch]{Patch: person("Bob", "bob@example.org")})
	noError(t, err)
	a, err := s.UpdateProblem(t.Context(), s.admin, id, UpdateProblem{ProblemPatch: ProblemPatch{Assignee: bobs}})
	noError(t, err)
	equal(t, "version", a.Catalogue.Version, a.Value.Catalogue)
	equal(t, "the administrator's new name", a.Catalogue.Name(metadata.Users, s.admin.User), "Root")
}
