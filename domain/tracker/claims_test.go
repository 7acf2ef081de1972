package tracker

import (
	"context"
	"crypto/rand"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/patch"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/store"
)

// held is a claim of Ann on a loaded problem.
func held(expires time.Time) func(*loaded) {
	return func(l *loaded) { l.Claim = problem.Claim{ID: testID(99), Holder: ann, Expires: expires} }
}

func leaseOf(seconds int64) patch.Field[int64] { return patch.Set(seconds) }

// D49: a free claim is taken, and one that expired 5 seconds ago; the log has both. The
// revision alone is raised.
func TestTakeClaim(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		rule string
		old  loaded
		from string
	}{
		{"free", newLoaded(), "null"},
		{"expired 5 seconds ago", newLoaded(held(now.Add(-problem.ClaimGrace))), `{"identifier":"` + testID(99).String() + `","holder":` + ref(ann, "Ann") + `,"expires":"2015-11-05T12:59:55.000Z"}`},
	} {
		t.Run(c.rule, func(t *testing.T) {
			t.Parallel()
			caller := by(bob)
			caller.Token = testID(77)
			change, a, err := decideTake(caller, TakeClaim{Lease: leaseOf(60)}, repeatable{loaded: c.old}, at(now))
			noError(t, err)
			want := problem.Claim{ID: a.Value.ID, Holder: bob, Via: testID(77), Expires: now.Add(time.Minute)}
			equal(t, "answer", a, Answer[problem.Claim]{Value: want, Catalogue: c.old.catalogue, Revision: 4, New: true})
			p := c.old.Problem
			p.Revision = 4
			expects(t, change, store.CatalogueAt{Version: catalogueVersion}, store.ProblemAt{ID: 7, Revision: 3, Batch: storedBy},
				store.ClaimAt{Problem: 7, Claim: c.old.Claim.ID, Expires: c.old.Claim.Expires})
			equal(t, "effects", change.Effects, []store.Effect{
				store.PutClaim{Problem: 7, Claim: want}, store.UpdateProblem{Problem: p, Size: logSize(change, 7)},
			})
			logged(t, change, `7@4 ClaimTaken claim: `+c.from+` → {"identifier":"`+want.ID.String()+`","holder":`+ref(bob, "Bob")+`,"expires":"2015-11-05T13:01:00.000Z"}`)
			equal(t, "D8: significant", change.Log[0].Type.Significant(), false)
			equal(t, "D8: via", []ident.ID{change.Via, change.Log[0].Via}, []ident.ID{testID(77), testID(77)})
			caller.Session = testID(78)
			if _, a, err = decideTake(caller, TakeClaim{Lease: leaseOf(60)}, repeatable{loaded: c.old}, at(now)); err != nil || !a.Value.Via.IsNone() {
				t.Errorf("D8: by a session, begun with the token: %v, %v", a.Value, err)
			}
		})
	}
}

// D49: extending makes no revision and no entry, and expects the lease that it extends.
func TestExtendClaim(t *testing.T) {
	t.Parallel()
	old := newLoaded(held(now.Add(-time.Hour)))
	change, a, err := decideTake(by(ann), TakeClaim{Write: Write{Claim: testID(99)}, Lease: leaseOf(30)}, repeatable{loaded: old}, at(now))
	noError(t, err)
	want := old.Claim
	want.Expires = now.Add(30 * time.Second)
	equal(t, "answer", a, Answer[problem.Claim]{Value: want, Catalogue: old.catalogue, Revision: 3})
	expects(t, change, store.ClaimAt{Problem: 7, Claim: testID(99), Expires: old.Claim.Expires})
	equal(t, "effects", change.Effects, []store.Effect{store.PutClaim{Problem: 7, Claim: want}})
	equal(t, "log entries", len(change.Log), 0)
}

func TestTakeClaimRefuses(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		rule string
		old  loaded
		cmd  TakeClaim
		kind fault.Kind
	}{
		{"held", newLoaded(held(now.Add(time.Hour))), TakeClaim{Lease: leaseOf(60)}, fault.Claimed},
		{"expired 4.999 seconds ago", newLoaded(held(now.Add(time.Millisecond - problem.ClaimGrace))), TakeClaim{Lease: leaseOf(60)}, fault.Claimed},
		{"another claim", newLoaded(held(now)), TakeClaim{Write: Write{Claim: testID(98)}, Lease: leaseOf(60)}, fault.ClaimLost},
		{"none to extend", newLoaded(), TakeClaim{Write: Write{Claim: testID(99)}, Lease: leaseOf(60)}, fault.ClaimLost},
		{"If-Match comes first", newLoaded(), TakeClaim{Write: Write{Claim: testID(99), IfMatch: &Match{}}, Lease: leaseOf(60)}, fault.StaleRevision},
		{"no lease", newLoaded(), TakeClaim{}, fault.RequiredField},
		{"null", newLoaded(), TakeClaim{Lease: patch.Null[int64]()}, fault.InvalidValue},
		{"too short", newLoaded(), TakeClaim{Lease: leaseOf(29)}, fault.InvalidValue},
		{"too long", newLoaded(), TakeClaim{Lease: leaseOf(86_401)}, fault.InvalidValue},
	} {
		t.Run(c.rule, func(t *testing.T) {
			t.Parallel()
			// Ann has it, and is refused as well: two processes of one user are two workers.
			change, _, err := decideTake(by(ann), c.cmd, repeatable{loaded: c.old}, at(now))
			equal(t, "kind", fault.KindOf(err), c.kind)
			nothing(t, change)
		})
	}
}

func TestEndClaim(t *testing.T) {
	t.Parallel()
	old := newLoaded(held(now.Add(time.Hour)))
	for _, w := range []Write{{}, {Claim: testID(99)}} {
		change, a, err := decideEnd(by(bob), w, old, at(now))
		noError(t, err)
		equal(t, "revision", a.Revision, int64(4))
		equal(t, "effect", change.Effects[0], store.Effect(store.PutClaim{Problem: 7}))
		logged(t, change, `7@4 ClaimEnded claim: {"identifier":"`+testID(99).String()+`","holder":`+ref(ann, "Ann")+`,"expires":"2015-11-05T14:00:00.000Z"} → null`)
	}
	change, _, err := decideEnd(by(bob), Write{}, newLoaded(), at(now))
	noError(t, err)
	nothing(t, change)
	_, _, err = decideEnd(by(bob), Write{Claim: testID(98)}, old, at(now))
	equal(t, "kind", fault.KindOf(err), fault.ClaimLost)
}

// D49: resolving ends the claim in the same batch, and other writes leave it. Any write can
// name the claim.
func TestClaimAmidWrites(t *testing.T) {
	t.Parallel()
	old := newLoaded(held(now.Add(time.Hour)))
	for _, c := range []struct {
		state string
		ends  bool
	}{{"Closed", true}, {"In Progress", false}} {
		cmd := UpdateProblem{Write: Write{Claim: testID(99)}, ProblemPatch: ProblemPatch{State: named(c.state)}}
		change, a, err := decideUpdate(by(bob), cmd, old, at(now))
		noError(t, err)
		equal(t, c.state+": has no claim", a.Value.Claim.ID.IsNone(), c.ends)
		equal(t, c.state+": ends the claim", change.Log[len(change.Log)-1].Type == problem.ClaimEnded, c.ends)
	}
	lost := Write{Claim: testID(98)}
	for what, decide := range map[string]func() error{
		"update": func() error {
			_, _, err := decideUpdate(by(bob), UpdateProblem{Write: lost, ProblemPatch: titled("T")}, old, at(now))
			return err
		},
		"comment": func() error {
			_, _, err := decideComment(by(bob), AddComment{Write: lost, Text: patch.Set("x")}, repeatable{loaded: old}, at(now))
			return err
		},
		"keyword": func() error {
			_, _, err := decideSetKeyword(by(bob), SetKeyword{Write: lost, Name: "a"}, old, 9, at(now))
			return err
		},
	} {
		equal(t, what, fault.KindOf(decide()), fault.ClaimLost)
	}
}

// claimNext claims a problem for the administrator.
func (s service) claimNext(t *testing.T, cmd ClaimNext) (problem.ID, bool) {
	t.Helper()
	cmd.Lease = leaseOf(60)
	a, found, err := s.ClaimNext(t.Context(), t.Context(), s.admin, cmd)
	noError(t, err)
	return a.Value.ID, found
}

// D49: each of many callers at once gets another problem, the first one in the order, and
// resolved, blocked and claimed ones nobody gets.
func TestClaimNext(t *testing.T) {
	t.Parallel()
	s := newService(t)
	for i := range 6 {
		s.create(t, fmt.Sprint("Problem ", i))
	}
	_, err := s.UpdateProblem(t.Context(), s.admin, 1, UpdateProblem{ProblemPatch: ProblemPatch{State: named("Closed")}})
	noError(t, err)
	_, err = s.AddRelationship(t.Context(), s.admin, 2, Relate{Type: patch.Set("BlockedBy"), Other: patch.Set[problem.ID](3)})
	noError(t, err)
	_, err = s.TakeClaim(t.Context(), s.admin, 4, TakeClaim{Lease: leaseOf(60)})
	noError(t, err)
	var mu sync.Mutex
	got := map[problem.ID]int{}
	var all sync.WaitGroup
	for range 5 {
		all.Go(func() {
			id, found := s.claimNext(t, ClaimNext{Sort: patch.Set("-identifier")})
			mu.Lock()
			defer mu.Unlock()
			if found {
				got[id]++
			}
		})
	}
	all.Wait()
	equal(t, "problems that were claimed", got, map[problem.ID]int{3: 1, 5: 1, 6: 1})

	s.clock.forward(66 * time.Second)
	id, found := s.claimNext(t, ClaimNext{Predicate: patch.Set("identifier >= 4")})
	equal(t, "claim that expired is taken over", id, problem.ID(4))
	equal(t, "found", found, true)
	_, found = s.claimNext(t, ClaimNext{Predicate: patch.Set("identifier = 99")})
	equal(t, "found", found, false)
}

// A problem found by the search may have been resolved since.
func TestClaimNextLooksAgain(t *testing.T) {
	t.Parallel()
	s := newService(t)
	s.create(t, "One")
	two := s.create(t, "Two")
	n := &next{Service: s.Service, caller: s.admin, cmd: ClaimNext{Lease: leaseOf(60)}, text: Claimable, until: s.core.Time()}
	plan, err := n.compiled(s.core.Time(), "claimed = NO", s.core.Time())
	noError(t, err)
	_, err = s.UpdateProblem(t.Context(), s.admin, two, UpdateProblem{ProblemPatch: ProblemPatch{State: named("Closed")}})
	noError(t, err)
	_, err = n.take(t.Context(), two, plan)
	equal(t, "kind", fault.KindOf(err), fault.Claimed)
}

// D49: who waits gets a problem when one appears, and when a claim ends or expires; who came
// first gets it.
func TestClaimNextWaits(t *testing.T) {
	t.Parallel()
	for what, free := range map[string]func(t *testing.T, s service){
		"a new problem": func(t *testing.T, s service) { s.create(t, "Two") },
		"the claim is ended": func(t *testing.T, s service) {
			_, err := s.EndClaim(t.Context(), s.admin, 1, Write{})
			noError(t, err)
		},
		"the claim expires": func(t *testing.T, _ service) { time.Sleep(40 * time.Second) },
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := newService(t)
				s.Service = New(Options{Store: s.memory, Now: time.Now, Random: rand.Reader, Limits: DefaultLimits()})
				s.create(t, "One")
				_, err := s.TakeClaim(t.Context(), s.admin, 1, TakeClaim{Lease: leaseOf(30)})
				noError(t, err)
				var order []int
				for i := range 2 {
					go func() {
						if _, found := s.claimNext(t, ClaimNext{Wait: patch.Set[int64](60)}); found {
							order = append(order, i)
						}
					}()
					synctest.Wait()
				}
				free(t, s)
				time.Sleep(time.Second) // the clock of the bubble
				synctest.Wait()
				equal(t, "who got it", order, []int{0})
				time.Sleep(time.Minute)
				synctest.Wait()
			})
		})
	}
}

func TestClaimNextRefuses(t *testing.T) {
	t.Parallel()
	s := newService(t)
	for kind, cmd := range map[fault.Kind]ClaimNext{
		fault.RequiredField:    {},
		fault.InvalidValue:     {Lease: leaseOf(60), Wait: patch.Set[int64](61)},
		fault.InvalidPredicate: {Lease: leaseOf(60), Predicate: patch.Set("titel = 'a'")},
	} {
		_, found, err := s.ClaimNext(t.Context(), t.Context(), s.admin, cmd)
		equal(t, string(kind), fault.KindOf(err), kind)
		equal(t, "found", found, false)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	_, _, err := s.ClaimNext(ended, ended, s.admin, ClaimNext{Lease: leaseOf(60)})
	equal(t, "kind", fault.KindOf(err), fault.Unavailable)
}
