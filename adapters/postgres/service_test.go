package postgres_test

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	mathrand "math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/problemtracking/problems/adapters/postgres"
	"github.com/problemtracking/problems/adapters/postgres/postgrestest"
	"github.com/problemtracking/problems/domain/access"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/patch"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/relationship"
	"github.com/problemtracking/problems/domain/store"
	"github.com/problemtracking/problems/domain/tracker"
	"github.com/problemtracking/problems/domain/tracker/usecases"
)

// request is a write. A tag marks what it leaves in the store.
type request struct {
	name string
	do   func(ctx context.Context, d *desk, id problem.ID, tag string) error
	// parts counts how often each thing with the tag is in the store: once after one request.
	parts func(seen scene, tag string) []int
}

func requests() []request {
	logged := func(is func(problem.LogEntry, string) bool) func(scene, string) int {
		return func(seen scene, tag string) (n int) {
			for _, d := range seen.problems {
				n += count(d.Log, func(e problem.LogEntry) bool { return is(e, tag) })
			}
			return n
		}
	}
	titled := logged(func(e problem.LogEntry, tag string) bool { return e.To == problem.LogText(tag) })
	keyed := logged(func(e problem.LogEntry, tag string) bool { return e.Field == tag })
	problems := func(seen scene, tag string) int {
		return count(seen.problems, func(d store.Dossier) bool { return d.Title == tag })
	}
	comments := func(seen scene, tag string) (n int) {
		for _, d := range seen.problems {
			n += count(d.Comments, func(c problem.Comment) bool { return c.Text == tag })
		}
		return n
	}
	return []request{
		{"create", func(ctx context.Context, d *desk, _ problem.ID, tag string) error {
			_, err := d.CreateProblem(ctx, d.caller, tracker.CreateProblem{ProblemPatch: tracker.ProblemPatch{Title: patch.Set(tag)}})
			return err
		}, func(seen scene, tag string) []int { return []int{problems(seen, tag)} }},
		{"update", func(ctx context.Context, d *desk, id problem.ID, tag string) error {
			_, err := d.UpdateProblem(ctx, d.caller, id, tracker.UpdateProblem{ProblemPatch: tracker.ProblemPatch{Title: patch.Set(tag)}})
			return err
		}, func(seen scene, tag string) []int { return []int{titled(seen, tag)} }},
		{"comment", func(ctx context.Context, d *desk, id problem.ID, tag string) error {
			_, err := d.AddComment(ctx, d.caller, id, tracker.AddComment{Text: patch.Set(tag)})
			return err
		}, func(seen scene, tag string) []int { return []int{comments(seen, tag)} }},
		{"comment with a key", func(ctx context.Context, d *desk, id problem.ID, tag string) error {
			_, err := d.AddComment(ctx, d.caller, id, tracker.AddComment{Text: patch.Set(tag), Idempotency: &tracker.Idempotency[problem.Comment]{
				Key: tag, Fingerprint: sha256.Sum256([]byte(tag)), Render: func(tracker.Answer[problem.Comment]) []byte { return []byte(tag) },
			}})
			return err
		}, func(seen scene, tag string) []int { return []int{comments(seen, tag)} }},
		{"keyword", func(ctx context.Context, d *desk, id problem.ID, tag string) error {
			_, err := d.SetKeyword(ctx, d.caller, id, tracker.SetKeyword{Name: tag})
			return err
		}, func(seen scene, tag string) []int { return []int{keyed(seen, tag)} }},
		{"relationship", func(ctx context.Context, d *desk, id problem.ID, tag string) error {
			// The tag is the title of the problem that it leads to.
			other, err := d.healthy.CreateProblem(ctx, d.caller, tracker.CreateProblem{ProblemPatch: tracker.ProblemPatch{Title: patch.Set(tag)}})
			if err != nil {
				return err
			}
			_, err = d.AddRelationship(ctx, d.caller, id, tracker.Relate{Type: patch.Set(string(relationship.BlockerOf)), Other: patch.Set(other.Value.ID)})
			return err
		}, func(seen scene, tag string) []int {
			for _, d := range seen.problems {
				if d.Title == tag {
					mirrors := count(d.Relationships, func(r relationship.Relationship) bool { return r.Type == relationship.BlockedBy })
					return []int{mirrors, count(d.Log, func(e problem.LogEntry) bool { return e.Type == problem.RelationshipAdded }), int(d.Revision - 1)}
				}
			}
			return []int{0}
		}},
	}
}

// desk has a service on a store behind a proxy, and one on the same store without the proxy.
type desk struct {
	*usecases.All
	healthy *usecases.All
	store   store.Store // without the proxy
	proxy   *postgrestest.Proxy
	caller  tracker.Caller
	from    *source
	books   ledger
}

func newDesk(t *testing.T, connections int, wrong func(store.Store) store.Store) *desk {
	t.Helper()
	url := postgrestest.Schema(t)
	d := &desk{store: open(t, postgres.Options{URL: url}), proxy: postgrestest.NewProxy(t, url), from: newSource()}
	var cut store.Store = open(t, postgres.Options{URL: d.proxy.URL(), Connections: connections})
	if wrong != nil {
		cut = wrong(cut)
	}
	d.healthy, d.All = d.service(d.store), d.service(cut)
	secret := access.NewSecret([32]byte{1})
	if _, err := d.healthy.Seed(t.Context(), secret); err != nil {
		t.Fatal(err)
	}
	var err error
	if d.caller, err = d.healthy.Authenticate(t.Context(), secret); err != nil {
		t.Fatal(err)
	}
	return d
}

func (d *desk) service(s store.Store) *usecases.All {
	return usecases.New(tracker.Options{Store: s, Now: d.from.time, Random: rand.Reader, Limits: tracker.DefaultLimits()}, nil)
}

func (d *desk) create(t *testing.T) problem.ID {
	t.Helper()
	a, err := d.healthy.CreateProblem(t.Context(), d.caller, tracker.CreateProblem{ProblemPatch: tracker.ProblemPatch{Title: patch.Set("a problem")}})
	if err != nil {
		t.Fatal(err)
	}
	return a.Value.ID
}

// settled reports whether the answer says if the write has happened.
func settled(err error) bool {
	for ; err != nil; err = errors.Unwrap(err) {
		if f, ok := errors.AsType[*fault.Error](err); ok && f.Kind == fault.UnknownOutcome {
			return false
		} else if ok {
			err = f
		}
	}
	return true
}

// enter enters a request into the ledger: its answer, and what it has left in the store.
func (d *desk) enter(t *testing.T, r request, tag string, err error, seen scene) {
	t.Helper()
	said, times := stored, r.parts(seen, tag)
	switch {
	case err != nil && settled(err):
		said = refused
	case err != nil && times[0] == 0:
		said = foundLost
	case err != nil:
		said = foundStored
	}
	if wrong := d.books.enter(said, times...); wrong != "" {
		t.Logf("%s, which gave %v: %s", r.name, err, wrong)
	}
}

// TestServiceCut cuts the connection under every kind of request. The service finds out
// whether a write has happened, and repeats it only if it has not.
func TestServiceCut(t *testing.T) {
	if testing.Short() {
		t.Skip("long: make test-long runs it")
	}
	t.Parallel()
	for _, r := range requests() {
		t.Run(r.name, func(t *testing.T) {
			t.Parallel()
			d := newDesk(t, 1, nil)
			d.cutUnder(t, r)
			d.books.check(t)
		})
	}
}

// TestServiceCutSeesFaults shows that TestServiceCut would find a service that repeats a
// write that has happened.
func TestServiceCutSeesFaults(t *testing.T) {
	if testing.Short() {
		t.Skip("long: make test-long runs it")
	}
	t.Parallel()
	d := newDesk(t, 1, func(s store.Store) store.Store { return forgetful{s} })
	d.cutUnder(t, requests()[slices.IndexFunc(requests(), func(r request) bool { return r.name == "comment" })])
	if t.Logf("%s", &d.books); d.books.duplicate == 0 {
		t.Errorf("no duplicate was noticed: %s", &d.books)
	}
}

// forgetful says of every batch that it never happens, without looking.
type forgetful struct{ store.Store }

func (forgetful) Outcome(context.Context, ident.ID, time.Time) (store.Receipt, bool, error) {
	return store.Receipt{}, false, nil
}

// cuts is the number of places at which a request is cut, and of those at which its answers
// are. The flag -postgres.exhaustive triples it.
const cuts = 8

// cutUnder cuts the connection under requests of one kind: some while they load,
// some while they commit.
func (d *desk) cutUnder(t *testing.T, r request) {
	t.Helper()
	traffic := d.measure(t, r)
	places := int64(cuts)
	if *exhaustive {
		places *= 3
	}
	for i := range places {
		for direction, total := range map[postgrestest.Direction]int64{postgrestest.ToServer: traffic.ToServer, postgrestest.ToClient: traffic.ToClient} {
			d.cutOnce(t, r, direction, (2*i+1)*total/(2*places))
		}
	}
}

// measure returns how many bytes a request and its answers have.
func (d *desk) measure(t *testing.T, r request) (traffic postgrestest.Traffic) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	for range 2 { // the second finds prepared statements
		id := d.create(t)
		before := carried(d.proxy)
		if err := r.do(ctx, d, id, d.from.id().String()); err != nil {
			t.Fatal(err)
		}
		now := carried(d.proxy)
		traffic = postgrestest.Traffic{ToServer: now.ToServer - before.ToServer, ToClient: now.ToClient - before.ToClient}
	}
	return traffic
}

// cutOnce cuts the connection once under a request. Each cut has a deadline of its
// own, so that a busy machine may take its time for all of them.
func (d *desk) cutOnce(t *testing.T, r request, direction postgrestest.Direction, after int64) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	if _, err := d.Tokens(ctx); err != nil && !fault.Is(err, fault.Unavailable) { // connects again
		t.Fatal(err)
	}
	if err := r.do(ctx, d, d.create(t), d.from.id().String()); err != nil { // prepares its statements
		t.Fatal(err)
	}
	id := d.create(t)
	tag := d.from.id().String()
	done := d.proxy.CutAfter(direction, after)
	err := r.do(ctx, d, id, tag)
	d.proxy.CutNever()
	select {
	case <-done:
	default:
		t.Errorf("the connection was not cut")
	}
	seen, looking := look(ctx, d.store, id, replyKey{})
	if looking != nil {
		t.Fatal(looking)
	}
	d.enter(t, r, tag, err, seen)
}

// TestServiceUnderCuts sends many requests at once through connections that are cut again and
// again, also while the service asks for the outcome of an earlier write.
func TestServiceUnderCuts(t *testing.T) {
	if testing.Short() {
		t.Skip("long: make test-long runs it")
	}
	t.Parallel()
	const clients, each, seed = 8, 24, 3
	d := newDesk(t, clients, nil)
	ctx, cancel := context.WithTimeout(t.Context(), 10*patience)
	defer cancel()
	first := d.create(t)
	type tried struct {
		request
		tag string
		err error
	}
	var mu sync.Mutex
	var all []tried
	var working, cutting sync.WaitGroup
	for range clients {
		working.Go(func() {
			for i := range each {
				r := requests()[i%len(requests())]
				tag := d.from.id().String()
				err := r.do(ctx, d, first, tag)
				mu.Lock()
				all = append(all, tried{r, tag, err})
				mu.Unlock()
			}
		})
	}
	number := 0
	over := make(chan struct{})
	cutting.Go(func() {
		random := mathrand.New(mathrand.NewPCG(seed, seed))
		for {
			done := d.proxy.CutAfter(postgrestest.Direction(random.IntN(2)), random.Int64N(12000))
			select {
			case <-done:
				number++
			case <-over:
				return
			}
		}
	})
	working.Wait()
	close(over)
	cutting.Wait()
	d.proxy.CutNever()
	seen, err := look(ctx, d.store, first, replyKey{})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range all {
		d.enter(t, r.request, r.tag, r.err, seen)
	}
	t.Logf("%d cuts", number)
	if number < clients {
		t.Errorf("%d cuts are too few to show something", number)
	}
	d.books.check(t)
}
