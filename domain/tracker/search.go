package tracker

import (
	"context"
	"errors"
	"iter"
	"time"

	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/patch"
	"github.com/problemtracking/problems/domain/predicate"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/search"
	"github.com/problemtracking/problems/domain/store"
)

// Limits of a search (D31; limits of the query language).
const (
	// MostFound is how many objects a search without limit can find. One more fails
	// with fault.TooManyResults.
	MostFound = 10_000
	// MostOnPage is the greatest limit of a search.
	MostOnPage = 1000
	// usualOnPage is the limit of the list of all problems, unless it has another
	// (D32).
	usualOnPage = 100
	// searchFor is how long a store may take to find what is searched.
	searchFor = 5 * time.Second
	// searches is how many are made at a time, and waitFor how long one waits for its
	// turn, unless the Options say otherwise.
	searches = 2
	waitFor  = 10 * time.Second
)

// Search is what is searched for. A member that is null counts as not sent.
type Search struct {
	// Predicate is what has to hold, in the query language.
	Predicate patch.Field[string]
	// Saved names the saved query whose predicate and order are taken. Either this or
	// Predicate is sent.
	Saved patch.Field[ident.ID]
	// Sort is the order of the results: a comma list of key paths, "-" descends. When
	// not sent, it is that of the saved query, or by identifier.
	Sort patch.Field[string]
	// Limit is how many results are wanted at most: 1 to MostOnPage. When not sent,
	// all are.
	Limit patch.Field[int64]
	// After, when not nil, is where the results before ended.
	After *Position
	// Faults are what the driving adapter found wrong with the members, to be
	// reported in the place that D18 has for the faults of a body.
	Faults fault.List
}

// SearchProblems is the command of the search for problems.
type SearchProblems struct {
	Search
	// Parts are what the problems are loaded with, but for large ones.
	Parts store.Parts
}

// Position is where a page of results ends, so that the next one begins there,
// whatever was created or changed meanwhile. It is good for the same search by the
// same user.
type Position struct {
	User  ident.ID
	Query [32]byte  // of what was searched, the predicate and the order
	Now   time.Time // NOW() of the first page, and so of all
	// Keys are what the last result was sorted by, then.
	Keys []predicate.Value
	// Problem is the last result, in a search for problems; else Object.
	Problem problem.ID
	Object  ident.ID
}

// FoundProblems are the problems that a search has found, in its order. Those whose Size
// is above store.Small come without their parts: LoadProblem has them.
type FoundProblems struct {
	// First are the first of them, at the moment of the search.
	First Answer[[]store.Snapshot]
	// Rest are the others, batch by batch, each as the problems are when it is
	// loaded: while it is ranged over, which can be done once. An error ends them. It
	// is nil when there are no others.
	Rest iter.Seq2[Answer[[]store.Snapshot], error]
	// Next is where the next page begins; nil when there is none.
	Next *Position
}

// SearchProblems finds problems (D31). It fails with fault.InvalidPredicate,
// fault.TooManyResults, fault.QueryTooExpensive, fault.NotFound for an unknown
// saved query, fault.InvalidValue for a limit that cannot be, fault.MalformedRequest
// for a position that cannot be and when there is not one thing to search for, or
// fault.Unavailable when it is not its turn in time.
func (s *Service) SearchProblems(ctx context.Context, caller Caller, cmd SearchProblems) (FoundProblems, error) {
	q, err := s.prepare(ctx, caller, predicate.Problem, cmd.Search)
	if err != nil {
		return FoundProblems{}, err
	}
	release, err := s.searches.acquire(ctx, caller.User)
	if err != nil {
		return FoundProblems{}, err
	}
	defer release()
	var hits, rest []store.Hit
	var more bool
	var found FoundProblems
	err = s.store.View(ctx, func(r store.Reader) error {
		catalogue, err := s.cache.catalogueNow(ctx, r)
		if err != nil {
			return err
		}
		if hits, err = s.find(ctx, r, q.problems(catalogue)); err != nil {
			return err
		}
		if more, err = q.more(len(hits)); err != nil {
			return err
		}
		hits = hits[:min(len(hits), q.show())]
		found.First, rest, err = s.firstHits(ctx, r, caller, hits, cmd.Parts)
		return err
	})
	if err != nil {
		return FoundProblems{}, err
	}
	if more {
		last := hits[len(hits)-1]
		found.Next = q.position(last.Keys)
		found.Next.Problem = last.ID
	}
	if len(rest) > 0 {
		found.Rest = s.rest(ctx, caller, rest, cmd.Parts, found.First.Value)
	}
	return found, nil
}

// ListProblems is the search that all problems satisfy, with a limit of 100 unless
// there is another (D32). What the command says to search for does not count.
func (s *Service) ListProblems(ctx context.Context, caller Caller, cmd SearchProblems) (FoundProblems, error) {
	cmd.Predicate, cmd.Saved = patch.Set("TRUEPREDICATE"), patch.Field[ident.ID]{}
	if !given(cmd.Limit) && !cmd.Faults.Covers(fault.At("limit")) {
		cmd.Limit = patch.Set[int64](usualOnPage)
	}
	return s.SearchProblems(ctx, caller, cmd)
}

// find has the store search, within the time that a search may take.
func (s *Service) find(ctx context.Context, r store.Reader, q store.Query) (hits []store.Hit, err error) {
	err = s.withinTime(ctx, func(ctx context.Context) error {
		hits, err = r.Search(ctx, q)
		return err
	})
	return hits, err
}

var errTime = errors.New("the time of a search ran out")

// withinTime bounds the time of a search. That the request has ended is another
// error: fault.Unavailable.
func (s *Service) withinTime(ctx context.Context, search func(context.Context) error) error {
	bounded, cancel := context.WithTimeoutCause(ctx, s.searchFor, errTime)
	defer cancel()
	err := search(bounded)
	if err != nil && context.Cause(bounded) == errTime && fault.Is(err, fault.Unavailable) {
		return fault.Wrap(fault.QueryTooExpensive, err, "the search took longer than %v: add a condition that leaves less to look at, such as one on the state or on a date", s.searchFor)
	}
	return err
}

// FoundObjects are the metadata objects or users that a search has found.
type FoundObjects struct {
	IDs       []ident.ID
	Catalogue *metadata.Catalogue
	// Next is where the next page begins; nil when there is none.
	Next *Position
}

// SearchObjects finds the metadata objects of a kind, or users (D31). Their searches
// are not saved. It fails as SearchProblems does.
func (s *Service) SearchObjects(ctx context.Context, caller Caller, kind predicate.Entity, cmd Search) (FoundObjects, error) {
	q, err := s.prepare(ctx, caller, kind, cmd)
	if err != nil {
		return FoundObjects{}, err
	}
	catalogue, err := s.catalogue(ctx)
	if err != nil {
		return FoundObjects{}, err
	}
	release, err := s.lookups.acquire(ctx, caller.User)
	if err != nil {
		return FoundObjects{}, err
	}
	defer release()
	var found []search.Object
	err = s.withinTime(ctx, func(ctx context.Context) error {
		found, err = search.Objects(ctx, q.objects(catalogue))
		return err
	})
	if err != nil {
		return FoundObjects{}, err
	}
	more, err := q.more(len(found))
	if err != nil {
		return FoundObjects{}, err
	}
	out := FoundObjects{Catalogue: catalogue}
	if more {
		found = found[:q.limit]
		last := found[len(found)-1]
		out.Next = q.position(last.Keys)
		out.Next.Object = last.ID
	}
	for _, object := range found {
		out.IDs = append(out.IDs, object.ID)
	}
	return out, nil
}
