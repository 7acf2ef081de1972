package search

import (
	"cmp"
	"context"
	"errors"
	"iter"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/predicate"
	"github.com/problemtracking/problems/domain/predicate/eval"
	"github.com/problemtracking/problems/domain/predicate/pushdown"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/relationship"
	"github.com/problemtracking/problems/domain/snapshot"
	"github.com/problemtracking/problems/domain/store"
)

var predicates = []string{
	"TRUEPREDICATE",
	"FALSEPREDICATE",
	"state.resolved = NO",
	"title CONTAINS[c] 'slow'",
	"title MATCHES 's.*'",
	"watching = YES OR read = NO",
	"ANY keywords.name = 'a' AND length(title) = 4",
	"NOT ANY comments.author.identifier = $ApiUser",
	"SUBQUERY(relationships, $r, $r.type = 501 AND $r.child.state.resolved = NO).@count > 0",
	"ANY relationships.child.title MATCHES '.*l.*' AND priority != nil",
	"creationDate > FUNCTION(NOW(), 'dateByAddingDays:', -2)",
	"identifier / 2 > 10",
}

var sorts = []string{"", "identifier", "-identifier", "title", "-title", "priority.order,-creationDate", "-component.fullName,title", "assignee.identifier", "read,-state.resolved"}

// Scan returns the same as a naive evaluation of everything, and pages make a whole.
func TestScanIsTheNaiveSearch(t *testing.T) {
	t.Parallel()
	seed := rand.Uint64()
	r := rand.New(rand.NewPCG(seed, 0))
	for range 20 {
		reader := &archive{dossiers: randomDossiers(r, r.IntN(250))}
		for _, text := range predicates {
			q := store.Query{Plan: compile(t, text, predicate.Problem), Sort: order(t, sorts[r.IntN(len(sorts))], predicate.Problem), As: ann, Catalogue: catalogue(), Limit: 1 + r.IntN(60)}
			want := naive(t, reader, q)
			var got []store.Hit
			for {
				page, err := Scan(t.Context(), reader, q)
				if err != nil {
					t.Fatalf("seed %d: %s: %v", seed, text, err)
				}
				if got = append(got, page...); len(page) < q.Limit {
					break
				}
				q.After = &page[len(page)-1]
			}
			if len(got) != len(want) || len(got) > 0 && !reflect.DeepEqual(got, want) {
				t.Fatalf("seed %d: %s by %v, %d at a time:\n%v\nnot\n%v", seed, text, q.Sort, q.Limit, got, want)
			}
		}
	}
}

// naive evaluates the predicate for every problem and sorts by insertion.
func naive(t *testing.T, reader *archive, q store.Query) []store.Hit {
	t.Helper()
	var hits []store.Hit
	for _, d := range reader.dossiers {
		e := NewProblems(reader, q.Catalogue, q.As).entry(Snapshot(d, q.As))
		holds, err := eval.Matches(t.Context(), q.Plan, e)
		if err != nil {
			t.Fatal(err)
		}
		if !holds {
			continue
		}
		hit := store.Hit{ID: d.ID, Revision: d.Revision, Keys: []predicate.Value{}}
		for _, key := range q.Sort {
			value, err := eval.Value(t.Context(), key.Path, []predicate.Value{e})
			if err != nil {
				t.Fatal(err)
			}
			hit.Keys = append(hit.Keys, value)
		}
		i := len(hits) // after equal ones: their numbers are smaller
		for i > 0 && comesBefore(q.Sort, hit.Keys, hits[i-1].Keys) {
			i--
		}
		hits = slices.Insert(hits, i, hit)
	}
	return hits
}

func comesBefore(sort []predicate.Order, a, b []predicate.Value) bool {
	for i, key := range sort {
		switch {
		case a[i] == nil && b[i] == nil:
			continue
		case a[i] == nil || b[i] == nil:
			return b[i] == nil // in both directions
		}
		if c := predicate.CompareValues(a[i], b[i]); c != 0 {
			return c < 0 != key.Descending
		}
	}
	return false
}

// D31: nil last in both directions, ties by ascending identifier.
func TestCompare(t *testing.T) {
	t.Parallel()
	hit := func(id problem.ID, key predicate.Value) store.Hit {
		return store.Hit{ID: id, Keys: []predicate.Value{key}}
	}
	for sort, want := range map[string][]problem.ID{
		"title":  {1, 4, 2, 5, 3, 6},
		"-title": {2, 5, 1, 4, 3, 6},
	} {
		hits := []store.Hit{hit(1, "a"), hit(2, "b"), hit(3, nil), hit(4, "a"), hit(5, "b"), hit(6, nil)}
		slices.SortFunc(hits, func(a, b store.Hit) int { return compareHits(order(t, sort, predicate.Problem), a, b) })
		var got []problem.ID
		for _, h := range hits {
			got = append(got, h.ID)
		}
		if !slices.Equal(got, want) {
			t.Errorf("by %s: %v, not %v", sort, got, want)
		}
	}
}

// simple yields so many problems, different only in their numbers.
func simple(n int, after func() error) iter.Seq2[snapshot.Snapshot, error] {
	return func(yield func(snapshot.Snapshot, error) bool) {
		for i := range n {
			if !yield(snapshot.Snapshot{Problem: problem.Problem{ID: problem.ID(i + 1), Fields: problem.Fields{Title: "Slow", State: open}, Revision: 1}}, nil) {
				return
			}
		}
		if after != nil {
			yield(snapshot.Snapshot{}, after())
		}
	}
}

// FIND-004: a query may look at so many candidates and not at one more. The limit and
// the start of the page make no difference.
func TestCandidatesAreCounted(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text  string
		n     int
		fails bool
	}{
		{"title MATCHES 'S.*'", store.MostCandidates, false},
		{"title MATCHES 'S.*'", store.MostCandidates + 1, true},
		{"title MATCHES 'x'", store.MostCandidates + 1, true},
		{"title MATCHES 'S.*' AND identifier > 1", store.MostCandidates + 1, false},
		{"identifier > 1", store.MostCandidates + 2, false},
	} {
		for _, q := range []store.Query{
			{Limit: 1},
			{Limit: 10_001},
			{Limit: 1, After: &store.Hit{ID: 10_000}},
			{Limit: 1, Sort: order(t, "-title", predicate.Problem)},
		} {
			q.Plan, q.Catalogue, q.As = compile(t, c.text, predicate.Problem), catalogue(), ann
			_, err := Select(t.Context(), q, NewProblems(nil, q.Catalogue, ann), simple(c.n, nil))
			if fails := fault.Is(err, fault.QueryTooExpensive); fails != c.fails || err != nil && !fails {
				t.Errorf("%s among %d, limit %d: %v", c.text, c.n, q.Limit, err)
			}
		}
	}
}

// Select stops looking when nothing more can be found.
func TestSelectEndsEarly(t *testing.T) {
	t.Parallel()
	q := store.Query{Plan: compile(t, "title = 'Slow'", predicate.Problem), Catalogue: catalogue(), As: ann, Limit: 2, After: &store.Hit{ID: 5}}
	hits, err := Select(t.Context(), q, NewProblems(nil, q.Catalogue, ann), simple(1000, func() error { return errors.New("went on to the end") }))
	if err != nil || len(hits) != 2 || hits[0].ID != 6 || hits[1].ID != 7 {
		t.Errorf("%v, %v", hits, err)
	}
}

// countdown is a context with an end after so many looks at it.
type countdown struct {
	context.Context
	left int
}

func (c *countdown) Err() error {
	if c.left--; c.left < 0 {
		return context.Canceled
	}
	return nil
}

func TestSelectFails(t *testing.T) {
	t.Parallel()
	q := store.Query{Plan: compile(t, "title = 'Slow'", predicate.Problem), Catalogue: catalogue(), As: ann, Limit: 2000}
	failure := errors.New("the disk is gone")
	if _, err := Select(t.Context(), q, NewProblems(nil, q.Catalogue, ann), simple(10, func() error { return failure })); err != failure {
		t.Errorf("%v, not the error of the snapshots", err)
	}
	over, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Select(over, q, NewProblems(nil, q.Catalogue, ann), simple(10, nil)); !fault.Is(err, fault.Unavailable) {
		t.Errorf("when the context has ended: %v", err)
	}
	// It ends within an evaluation of many members.
	d := sample()
	for i := range 500 {
		d.Relationships = append(d.Relationships, relationship.Relationship{Owner: 12, Type: relationship.RelatedTo, Other: problem.ID(1000 + i)})
	}
	q.Plan = compile(t, "SUBQUERY(relationships, $r, SUBQUERY(relationships, $s, $s.type = $r.problemIdentifier).@count > 0).@count > 0", predicate.Problem)
	_, err := Scan(&countdown{t.Context(), 5}, &archive{dossiers: []store.Dossier{d}}, q)
	if _, isFault := errors.AsType[*fault.Error](err); !isFault || !fault.Is(err, fault.Unavailable) {
		t.Errorf("when the context ends meanwhile: %v", err)
	}
	if _, err := Scan(t.Context(), &archive{dossiers: []store.Dossier{sample()}, err: failure}, q); err != failure {
		t.Errorf("%v, not the error of the reader", err)
	}
}

// A store gets the same if it evaluates the compiled conditions itself.
func TestResidual(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	reader := &archive{dossiers: randomDossiers(r, 300)}
	q := store.Query{Plan: compile(t, "state.resolved = NO AND length(title) = 4 AND ANY comments.text MATCHES 'x+'", predicate.Problem), Catalogue: catalogue(), As: ann, Limit: 1000}
	want := naive(t, reader, q)
	compiled, residual := pushdown.Split(q.Plan)
	candidates := func(yield func(snapshot.Snapshot, error) bool) {
		for _, d := range reader.dossiers {
			s := strip(Snapshot(d, ann), 0)
			e := NewProblems(reader, q.Catalogue, ann).entry(s)
			holds, err := eval.Holds(t.Context(), predicate.And{Conds: compiled}, []predicate.Value{e})
			if err != nil || holds && !yield(s, nil) {
				return
			}
		}
	}
	before := reader.many
	got, err := Residual(t.Context(), q, residual, NewProblems(reader, q.Catalogue, ann), candidates)
	if err != nil || len(got) == 0 || !reflect.DeepEqual(got, want) {
		t.Errorf("%v (%v), not %v", got, err, want)
	}
	if bulks := reader.many - before; bulks != (len(want)+batchSize-1)/batchSize && bulks > 3 {
		t.Errorf("loaded %d times together", bulks)
	}
}

// best holds the best items, and never more than twice as many.
func TestBest(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(3, 4))
	for _, limit := range []int{1, 2, 7, 100} {
		b := best[int]{limit: limit, compare: cmp.Compare[int]}
		var all []int
		for range 500 {
			n := r.IntN(1000)
			all = append(all, n)
			if b.add(n); len(b.items) >= 2*limit {
				t.Fatalf("keeps %d of %d", len(b.items), limit)
			}
		}
		slices.Sort(all)
		if got := b.sorted(); !slices.Equal(got, all[:limit]) {
			t.Errorf("%v, not %v", got, all[:limit])
		}
	}
}
