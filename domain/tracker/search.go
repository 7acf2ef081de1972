package tracker

import (
	"context"
	"iter"
	"time"

	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/patch"
	"github.com/problemtracking/problems/domain/predicate"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/search"
	"github.com/problemtracking/problems/domain/snapshot"
	"github.com/problemtracking/problems/domain/store"
	"github.com/problemtracking/problems/domain/tracker/internal/body"
	"github.com/problemtracking/problems/domain/tracker/internal/core"
)

// Limits of a search (D31; limits of the query language).
const (
	// MostFound is the largest number of objects found by a search without limit. One
	// more fails with fault.TooManyResults.
	MostFound = 10_000
	// MostOnPage is the greatest limit of a page.
	MostOnPage = core.MostOnPage
	// usualOnPage is the default limit of the list of all problems (D32).
	usualOnPage = 100
	// searchFor is the default time limit of a search in the store.
	searchFor = 5 * time.Second
	// searches is the default number of concurrent searches, and waitFor the default
	// limit of the wait for one: see Options.
	searches = 2
	waitFor  = 10 * time.Second
)

// Search is the command of a search. A member with the value null counts as not sent.
type Search struct {
	// Predicate selects the objects, in the query language.
	Predicate patch.Field[string]
	// Saved names the saved query with the predicate and order. Exactly one of Saved
	// and Predicate is sent.
	Saved patch.Field[ident.ID]
	// Sort is the order of the results: a comma list of key paths, "-" descends, nil last. The
	// default is the order of the saved query, or by identifier.
	Sort patch.Field[string]
	// Limit is the largest number of results: 1 to MostOnPage. By default, the search
	// returns all.
	Limit patch.Field[int64]
	// After, when not nil, is the end of the previous page.
	After *Position
	// Faults are the faults found in the members by the driving adapter. The service
	// reports them together with the faults of a body, in the order of D18.
	Faults fault.List
}

// SearchProblems is the command of the search for problems.
type SearchProblems struct {
	Search
	// Parts are the parts loaded with each problem, except large ones.
	Parts snapshot.Parts
	// CountTo, unless 0, asks for the number of results too, as far as this number. It
	// has no effect on a search without a limit.
	CountTo int
}

// Position is the end of a page of results and so the start of the next page, even
// after later creations and changes. It is valid for the same search by the same user.
type Position struct {
	User  ident.ID
	Query [32]byte  // of the kind, the predicate and the order
	Now   time.Time // NOW() of the first page, and so of all
	// Keys are the sort keys of the last result, as of its page.
	Keys []predicate.Value
	// Problem is the last result in a search for problems. Otherwise Object is.
	Problem problem.ID
	Object  ident.ID
}

// FoundProblems are the problems found by a search, in its order. Problems with a Size
// above snapshot.Small come without their parts: Reader.Problem returns them.
type FoundProblems struct {
	// First are the first of them, at the moment of the search.
	First Answer[[]snapshot.Snapshot]
	// Rest are the other problems, or nil if there are none. The iteration loads some of
	// them at once, and shows these as of that moment. Only one iteration is possible. An
	// error ends it.
	Rest iter.Seq2[Answer[[]snapshot.Snapshot], error]
	// Next is the start of the next page, or nil if there is none.
	Next *Position
	// Count is the number of results from this page on, if it was asked for. CountedAll
	// is false when there are more.
	Count      int
	CountedAll bool
}

// Search finds problems (D31). It fails with fault.InvalidPredicate,
// fault.TooManyResults, fault.QueryTooExpensive, fault.NotFound for an unknown saved
// query, and fault.InvalidValue for an impossible limit. It fails with
// fault.MalformedRequest for an impossible position, and without exactly one predicate
// or saved query. It fails with fault.Unavailable when the wait for the search limit is
// too long.
func (as Reader) Search(ctx context.Context, cmd SearchProblems) (FoundProblems, error) {
	q, err := as.prepare(ctx, predicate.Problem, cmd.Search)
	if err != nil {
		return FoundProblems{}, err
	}
	release, err := as.s.searches.Acquire(ctx, as.caller.User)
	if err != nil {
		return FoundProblems{}, err
	}
	defer release()
	var hits, rest []store.Hit
	var more bool
	var found FoundProblems
	err = as.s.core.Store.View(ctx, func(r store.Reader) error {
		catalogue, err := as.s.core.Catalogues.Now(ctx, r)
		if err != nil {
			return err
		}
		wanted := q.problems(catalogue)
		if q.limit > 0 {
			wanted.Limit = max(wanted.Limit, cmd.CountTo+1)
		}
		if hits, err = as.reads.Find(ctx, r, wanted); err != nil {
			return err
		}
		if cmd.CountTo > 0 {
			found.Count, found.CountedAll = min(len(hits), cmd.CountTo), len(hits) < wanted.Limit
		}
		if more, err = q.more(len(hits)); err != nil {
			return err
		}
		hits = hits[:min(len(hits), q.show())]
		found.First, rest, err = as.firstHits(ctx, r, hits, cmd.Parts)
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
		found.Rest = as.rest(ctx, rest, cmd.Parts, found.First.Value)
	}
	return found, nil
}

// List returns all problems, by default with a limit of 100 (D32). It ignores
// the Predicate and Saved of the command.
func (as Reader) List(ctx context.Context, cmd SearchProblems) (FoundProblems, error) {
	cmd.Predicate, cmd.Saved = patch.Set("TRUEPREDICATE"), patch.Field[ident.ID]{}
	if !body.Given(cmd.Limit) && !cmd.Faults.Covers(fault.At("limit")) {
		cmd.Limit = patch.Set[int64](usualOnPage)
	}
	return as.Search(ctx, cmd)
}

// FoundObjects are the metadata objects or users found by a search.
type FoundObjects struct {
	IDs       []ident.ID
	Catalogue *metadata.Catalogue
	// Next is the start of the next page, or nil if there is none.
	Next *Position
}

// Objects finds the metadata objects of a kind, or users (D31). Their searches
// are not saved. It fails as Search does.
func (as Reader) Objects(ctx context.Context, kind predicate.Entity, cmd Search) (FoundObjects, error) {
	q, err := as.prepare(ctx, kind, cmd)
	if err != nil {
		return FoundObjects{}, err
	}
	catalogue, err := as.s.core.Catalogue(ctx)
	if err != nil {
		return FoundObjects{}, err
	}
	release, err := as.s.lookups.Acquire(ctx, as.caller.User)
	if err != nil {
		return FoundObjects{}, err
	}
	defer release()
	var found []search.Object
	err = as.s.core.WithinTime(ctx, func(ctx context.Context) error {
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
