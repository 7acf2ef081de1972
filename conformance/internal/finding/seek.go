package finding

import (
	"context"
	"fmt"
	"time"

	"github.com/problemtracking/problems/conformance/internal/bench"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/predicate"
	"github.com/problemtracking/problems/domain/predicate/check"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/store"
)

// findings is the present time of predicates.
var findings = time.Date(2026, time.March, 15, 12, 0, 0, 0, time.UTC)

// Asked is a query as somebody writes it down.
type Asked struct {
	Predicate string // empty for all problems
	Sort      string
	As        ident.ID
	after     *store.Hit
	limit     int // 0 for no limit
}

// String describes the search.
func (a Asked) String() string {
	text := fmt.Sprintf("problems that satisfy %.1000s", a.Predicate)
	if a.Predicate == "" {
		text = "all problems"
	}
	if a.Sort != "" {
		text += "\nsorted by " + a.Sort
	}
	if a.after != nil {
		text += fmt.Sprintf("\nafter problem %d with the keys %v", a.after.ID, a.after.Keys)
	}
	if a.limit > 0 {
		text += fmt.Sprintf("\nat most %d", a.limit)
	}
	return text + "\nas " + a.As.String()
}

// zone is that of the dates in the questions. A store gets them in UTC.
var zone = time.FixedZone("", 5*60*60+45*60)

// Query returns the search as a query of the port.
func (a Asked) Query(catalogue *metadata.Catalogue) (q store.Query, err error) {
	q = store.Query{After: a.after, Limit: a.limit, As: a.As, Catalogue: catalogue}
	if a.limit == 0 {
		q.Limit = store.MostCandidates + 1
	}
	if a.Predicate == "" {
		a.Predicate = "TRUEPREDICATE"
	}
	if q.Plan, err = check.Compile(a.Predicate, predicate.Problem, predicate.Env{Now: findings, User: a.As, Zone: zone}); err != nil {
		return q, fmt.Errorf("the suite asks what cannot be asked: %w", err)
	}
	q.Sort, err = check.CompileOrder(a.Sort, predicate.Problem)
	return q, err
}

// Seeker searches in a Reader, and has read its catalogue once.
type Seeker struct {
	ctx       context.Context
	r         store.Reader
	catalogue *metadata.Catalogue
}

// Seek returns the seeker of a Reader.
func Seek(ctx context.Context, r store.Reader) (Seeker, error) {
	catalogue, err := r.Catalogue(ctx)
	return NewSeeker(ctx, r, catalogue), err
}

// NewSeeker returns the seeker of a Reader with a known catalogue.
func NewSeeker(ctx context.Context, r store.Reader, catalogue *metadata.Catalogue) Seeker {
	return Seeker{ctx, r, catalogue}
}

// Search returns the hits. It has the error of the Reader, or one about a query that nobody can
// ask.
func (s Seeker) Search(a Asked) ([]store.Hit, error) {
	q, err := a.Query(s.catalogue)
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
func seeks(b *bench.Bench, fn func(Seeker) error) {
	b.Helper()
	b.View(func(r store.Reader) error {
		s, err := Seek(b.Ctx, r)
		if err != nil {
			return err
		}
		return fn(s)
	})
}

// Search asks the store, in a View of its own.
func Search(b *bench.Bench, a Asked) (hits []store.Hit) {
	b.Helper()
	seeks(b, func(s Seeker) (err error) {
		hits, err = s.Search(a)
		return err
	})
	return hits
}

// Finds ends the case unless the store finds these problems, in this order.
func Finds(b *bench.Bench, a Asked, want ...problem.ID) {
	b.Helper()
	b.Equal("the list of "+a.String()+"\n", want, numbers(Search(b, a)))
}
