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
	"github.com/problemtracking/problems/domain/tracker/internal/kit"
)

// held is a claim of Ann on a loaded problem.
func held(expires time.Time) func(*loaded) {
	return func(l *loaded) { l.Claim = problem.Claim{ID: kit.ID(99), Holder: kit.Ann, Expires: expires} }
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
		{"expired 5 seconds ago", newLoaded(held(kit.Now.Add(-problem.ClaimGrace))), `{"identifier":"` + kit.ID(99).String() + `","holder":` + kit.Ref(kit.Ann, "Ann") + `,"expires":"2015-11-05T12:59:55.000Z"}`},
	} {
		t.Run(c.rule, func(t *testing.T) {
			t.Parallel()
			caller := by(kit.Bob)
			caller.Token = kit.ID(77)
			change, a, err := decideTake(caller, TakeClaim{Lease: leaseOf(60)}, repeatable{loaded: c.old}, kit.At(kit.Now))
			kit.NoError(t, err)
			want := problem.Claim{ID: a.Value.ID, Holder: kit.Bob, Via: kit.ID(77), Expires: kit.Now.Add(time.Minute)}
			kit.Equal(t, "answer", a, Answer[problem.Claim]{Value: want, Catalogue: c.old.catalogue, Revision: 4, New: true})
			p := c.old.Problem
			p.Revision = 4
			kit.Expects(t, change, store.CatalogueAt{Version: kit.CatalogueVersion}, store.ProblemAt{ID: 7, Revision: 3, Batch: kit.StoredBy},
				store.ClaimAt{Problem: 7, Claim: c.old.Claim.ID, Expires: c.old.Claim.Expires})
			kit.Equal(t, "effects", change.Effects, []store.Effect{
				store.PutClaim{Problem: 7, Claim: want}, store.UpdateProblem{Problem: p, Size: kit.LogSize(change, 7)},
			})
			kit.Logged(t, change, `7@4 ClaimTaken claim: `+c.from+` → {"identifier":"`+want.ID.String()+`","holder":`+kit.Ref(kit.Bob, "Bob")+`,"expires":"2015-11-05T13:01:00.000Z"}`)
			kit.Equal(t, "D8: significant", change.Log[0].Type.Significant(), false)
			kit.Equal(t, "D8: via", []ident.ID{change.Via, change.Log[0].Via}, []ident.ID{kit.ID(77), kit.ID(77)})
			caller.Session = kit.ID(78)
			if _, a, err = decideTake(caller, TakeClaim{Lease: leaseOf(60)}, repeatable{loaded: c.old}, kit.At(kit.Now)); err != nil || !a.Value.Via.IsNone() {
				t.Errorf("D8: by a session, begun with the token: %v, %v", a.Value, err)
			}
		})
	}
}

// D49: extending makes no revision and no entry, and expects the lease that it extends.
func TestExtendClaim(t *testing.T) {
	t.Parallel()
	old := newLoaded(held(kit.Now.Add(-time.Hour)))
	change, a, err := decideTake(by(kit.Ann), TakeClaim{Write: Write{Claim: kit.ID(99)}, Lease: leaseOf(30)}, repeatable{loaded: old}, kit.At(kit.Now))
	kit.NoError(t, err)
	want := old.Claim
	want.Expires = kit.Now.Add(30 * time.Second)
	kit.Equal(t, "answer", a, Answer[problem.Claim]{Value: want, Catalogue: old.catalogue, Revision: 3})
	kit.Expects(t, change, store.ClaimAt{Problem: 7, Claim: kit.ID(99), Expires: old.Claim.Expires})
	kit.Equal(t, "effects", change.Effects, []store.Effect{store.PutClaim{Problem: 7, Claim: want}})
	kit.Equal(t, "log entries", len(change.Log), 0)
}

func TestTakeClaimRefuses(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		rule string
		old  loaded
		cmd  TakeClaim
		kind fault.Kind
	}{
		{"held", newLoaded(held(kit.Now.Add(time.Hour))), TakeClaim{Lease: leaseOf(60)}, fault.Claimed},
		{"expired 4.999 seconds ago", newLoaded(held(kit.Now.Add(time.Millisecond - problem.ClaimGrace))), TakeClaim{Lease: leaseOf(60)}, fault.Claimed},
		{"another claim", newLoaded(held(kit.Now)), TakeClaim{Write: Write{Claim: kit.ID(98)}, Lease: leaseOf(60)}, fault.ClaimLost},
		{"none to extend", newLoaded(), TakeClaim{Write: Write{Claim: kit.ID(99)}, Lease: leaseOf(60)}, fault.ClaimLost},
		{"If-Match comes first", newLoaded(), TakeClaim{Write: Write{Claim: kit.ID(99), IfMatch: &Match{}}, Lease: leaseOf(60)}, fault.StaleRevision},
		{"no lease", newLoaded(), TakeClaim{}, fault.RequiredField},
		{"null", newLoaded(), TakeClaim{Lease: patch.Null[int64]()}, fault.InvalidValue},
		{"too short", newLoaded(), TakeClaim{Lease: leaseOf(29)}, fault.InvalidValue},
		{"too long", newLoaded(), TakeClaim{Lease: leaseOf(86_401)}, fault.InvalidValue},
	} {
		t.Run(c.rule, func(t *testing.T) {
			t.Parallel()
			// Ann has it, and is refused as well: two processes of one user are two workers.
			change, _, err := decideTake(by(kit.Ann), c.cmd, repeatable{loaded: c.old}, kit.At(kit.Now))
			kit.Equal(t, "kind", fault.KindOf(err), c.kind)
			kit.Nothing(t, change)
		})
	}
}

func TestEndClaim(t *testing.T) {
	t.Parallel()
	old := newLoaded(held(kit.Now.Add(time.Hour)))
	for _, w := range []Write{{}, {Claim: kit.ID(99)}} {
		change, a, err := decideEnd(by(kit.Bob), w, old, kit.At(kit.Now))
		kit.NoError(t, err)
		kit.Equal(t, "revision", a.Revision, int64(4))
		kit.Equal(t, "effect", change.Effects[0], store.Effect(store.PutClaim{Problem: 7}))
		kit.Logged(t, change, `7@4 ClaimEnded claim: {"identifier":"`+kit.ID(99).String()+`","holder":`+kit.Ref(kit.Ann, "Ann")+`,"expires":"2015-11-05T14:00:00.000Z"} → null`)
	}
	change, _, err := decideEnd(by(kit.Bob), Write{}, newLoaded(), kit.At(kit.Now))
	kit.NoError(t, err)
	kit.Nothing(t, change)
	_, _, err = decideEnd(by(kit.Bob), Write{Claim: kit.ID(98)}, old, kit.At(kit.Now))
	kit.Equal(t, "kind", fault.KindOf(err), fault.ClaimLost)
}

// D49: resolving ends the claim in the same batch, and other writes leave it. Any write can
// name the claim.
func TestClaimAmidWrites(t *testing.T) {
	t.Parallel()
	old := newLoaded(held(kit.Now.Add(time.Hour)))
	for _, c := range []struct {
		state string
		ends  bool
	}{{"Closed", true}, {"In Progress", false}} {
		cmd := UpdateProblem{Write: Write{Claim: kit.ID(99)}, ProblemPatch: ProblemPatch{State: kit.Named(c.state)}}
		change, a, err := decideUpdate(by(kit.Bob), cmd, old, kit.At(kit.Now))
		kit.NoError(t, err)
		kit.Equal(t, c.state+": has no claim", a.Value.Claim.ID.IsNone(), c.ends)
		kit.Equal(t, c.state+": ends the claim", change.Log[len(change.Log)-1].Type == problem.ClaimEnded, c.ends)
	}
	lost := Write{Claim: kit.ID(98)}
	for what, decide := range map[string]func() error{
		"update": func() error {
			_, _, err := decideUpdate(by(kit.Bob), UpdateProblem{Write: lost, ProblemPatch: titled("T")}, old, kit.At(kit.Now))
			return err
		},
		"comment": func() error {
			_, _, err := decideComment(by(kit.Bob), AddComment{Write: lost, Text: patch.Set("x")}, repeatable{loaded: old}, kit.At(kit.Now))
			return err
		},
		"keyword": func() error {
			_, _, err := decideSetKeyword(by(kit.Bob), SetKeyword{Write: lost, Name: "a"}, old, 9, kit.At(kit.Now))
			return err
		},
	} {
		kit.Equal(t, what, fault.KindOf(decide()), fault.ClaimLost)
	}
}

// claimNext claims a problem for the administrator.
func (s service) claimNext(t *testing.T, cmd ClaimNext) (problem.ID, bool) {
	t.Helper()
	cmd.Lease = leaseOf(60)
	a, found, err := s.ClaimNext(t.Context(), t.Context(), s.admin, cmd)
	kit.NoError(t, err)
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
	_, err := s.UpdateProblem(t.Context(), s.admin, 1, UpdateProblem{ProblemPatch: ProblemPatch{State: kit.Named("Closed")}})
	kit.NoError(t, err)
	_, err = s.AddRelationship(t.Context(), s.admin, 2, Relate{Type: patch.Set("BlockedBy"), Other: patch.Set[problem.ID](3)})
	kit.NoError(t, err)
	_, err = s.TakeClaim(t.Context(), s.admin, 4, TakeClaim{Lease: leaseOf(60)})
	kit.NoError(t, err)
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
	kit.Equal(t, "problems that were claimed", got, map[problem.ID]int{3: 1, 5: 1, 6: 1})

	s.clock.Forward(66 * time.Second)
	id, found := s.claimNext(t, ClaimNext{Predicate: patch.Set("identifier >= 4")})
	kit.Equal(t, "claim that expired is taken over", id, problem.ID(4))
	kit.Equal(t, "found", found, true)
	_, found = s.claimNext(t, ClaimNext{Predicate: patch.Set("identifier = 99")})
	kit.Equal(t, "found", found, false)
}

// A problem found by the search may have been resolved since.
func TestClaimNextLooksAgain(t *testing.T) {
	t.Parallel()
	s := newService(t)
	s.create(t, "One")
	two := s.create(t, "Two")
	n := &next{Service: s.Service, caller: s.admin, cmd: ClaimNext{Lease: leaseOf(60)}, text: Claimable, until: s.core.Time()}
	plan, err := n.compiled(s.core.Time(), "claimed = NO", s.core.Time())
	kit.NoError(t, err)
	_, err = s.UpdateProblem(t.Context(), s.admin, two, UpdateProblem{ProblemPatch: ProblemPatch{State: kit.Named("Closed")}})
	kit.NoError(t, err)
	_, err = n.take(t.Context(), two, plan)
	kit.Equal(t, "kind", fault.KindOf(err), fault.Claimed)
}

// D49: who waits gets a problem when one appears, and when a claim ends or expires; who came
// first gets it.
func TestClaimNextWaits(t *testing.T) {
	t.Parallel()
	for what, free := range map[string]func(t *testing.T, s service){
		"a new problem": func(t *testing.T, s service) { s.create(t, "Two") },
		"the claim is ended": func(t *testing.T, s service) {
			_, err := s.EndClaim(t.Context(), s.admin, 1, Write{})
			kit.NoError(t, err)
		},
		"the claim expires": func(t *testing.T, _ service) { time.Sleep(40 * time.Second) },
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := newService(t)
				s.use(New(Options{Store: s.memory, Now: time.Now, Random: rand.Reader, Limits: DefaultLimits()}))
				s.create(t, "One")
				_, err := s.TakeClaim(t.Context(), s.admin, 1, TakeClaim{Lease: leaseOf(30)})
				kit.NoError(t, err)
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
				kit.Equal(t, "who got it", order, []int{0})
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
		kit.Equal(t, string(kind), fault.KindOf(err), kind)
		kit.Equal(t, "found", found, false)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	_, _, err := s.ClaimNext(ended, ended, s.admin, ClaimNext{Lease: leaseOf(60)})
	kit.Equal(t, "kind", fault.KindOf(err), fault.Unavailable)
}
