package conformance

import (
	"context"
	"fmt"
	"time"

	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/predicate"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/store"
)

// findings is the time that predicates take for now.
var findings = time.Date(2026, time.March, 15, 12, 0, 0, 0, time.UTC)

// asked is a query as somebody writes it down.
type asked struct {
	predicate string // empty for all problems
	sort      string
	as        ident.ID
	after     *store.Hit
	limit     int // 0 for no limit
}

// String says what was asked.
func (a asked) String() string {
	text := fmt.Sprintf("problems that satisfy %.1000s", a.predicate)
	if a.predicate == "" {
		text = "all problems"
	}
	if a.sort != "" {
		text += "\nsorted by " + a.sort
	}
	if a.after != nil {
		text += fmt.Sprintf("\nafter problem %d with the keys %v", a.after.ID, a.after.Keys)
	}
	if a.limit > 0 {
		text += fmt.Sprintf("\nat most %d", a.limit)
	}
	return text + "\nas " + a.as.String()
}

// query returns what a store is asked.
func (a asked) query(catalogue *metadata.Catalogue) (q store.Query, err error) {
	q = store.Query{After: a.after, Limit: a.limit, As: a.as, Catalogue: catalogue}
	if a.limit == 0 {
		q.Limit = store.MostCandidates + 1
	}
	if a.predicate == "" {
		a.predicate = "TRUEPREDICATE"
	}
	if q.Plan, err = predicate.Compile(a.predicate, predicate.Problem, predicate.Env{Now: findings, User: a.as}); err != nil {
		return q, fmt.Errorf("the suite asks what cannot be asked: %w", err)
	}
	q.Sort, err = predicate.CompileOrder(a.sort, predicate.Problem)
	return q, err
}

// seeker asks a Reader, whose catalogue it has read once.
type seeker struct {
	ctx       context.Context
	r         store.Reader
	catalogue *metadata.Catalogue
}

// seek returns the seeker of a Reader.
func seek(ctx context.Context, r store.Reader) (seeker, error) {
	catalogue, err := r.Catalogue(ctx)
	return seeker{ctx, r, catalogue}, err
}

func (s seeker) search(a asked) ([]store.Hit, error) {
	q, err := a.query(s.catalogue)
	if err != nil {
		return nil, err
	}
	hits, err := s.r.Search(s.ctx, q)
	if err != nil {
		err = fmt.Errorf("Search of %v: %w", a, err)
	}
	return hits, err
}

// seeks looks at the store with a seeker.
func seeks(b *bench, fn func(seeker) error) {
	b.Helper()
	b.view(func(r store.Reader) error {
		s, err := seek(b.ctx, r)
		if err != nil {
			return err
		}
		return fn(s)
	})
}

// search asks the store, in a View of its own.
func search(b *bench, a asked) (hits []store.Hit) {
	b.Helper()
	seeks(b, func(s seeker) (err error) {
		hits, err = s.search(a)
		return err
	})
	return hits
}

// finds ends the case unless the store finds these problems, in this order.
func finds(b *bench, a asked, want ...problem.ID) {
	b.Helper()
	b.equal("the list of "+a.String()+"\n", want, numbers(search(b, a)))
}
