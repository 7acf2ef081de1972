package search

import (
	"context"
	"errors"
	"iter"
	"slices"
	"strings"

	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/predicate"
	"github.com/problemtracking/problems/domain/predicate/eval"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/snapshot"
	"github.com/problemtracking/problems/domain/store"
)

// Scan is a store.Reader.Search built from Reader.Dossiers, Problem and Problems. It
// looks at every problem, at the moment of the reader. It reads at most 8 MiB of problems at a
// time, or one problem.
func Scan(ctx context.Context, r store.Reader, q store.Query) ([]store.Hit, error) {
	all := snapshots(ctx, r, q.As)
	if ofClaims(q) {
		all = withClaims(ctx, r, q.As, all)
	}
	return Select(ctx, q, NewProblems(r, q.Catalogue, q.As), all)
}

// Among is Scan for the given problems only. They must be in ascending order.
func Among(ctx context.Context, r store.Reader, q store.Query, ids []problem.ID) ([]store.Hit, error) {
	among := func(yield func(snapshot.Snapshot, error) bool) {
		for page := range slices.Chunk(ids, batchSize) {
			found, err := r.Problems(ctx, page, q.As, 0)
			if err != nil {
				yield(snapshot.Snapshot{}, err)
				return
			}
			for _, s := range found {
				if !yield(s, nil) {
					return
				}
			}
		}
	}
	return Select(ctx, q, NewProblems(r, q.Catalogue, q.As), among)
}

// AmongAll is Among for several plans at once, in the view of one user: for each plan it
// returns the problems that satisfy it. It loads every problem once. A plan can fail by
// itself; then the others still have their results.
func AmongAll(ctx context.Context, r store.Reader, c *metadata.Catalogue, as ident.ID, plans []*predicate.Plan, ids []problem.ID) ([]Found, error) {
	results := make([]Found, len(plans))
	ids = candidates(plans, ids)
	for page := range slices.Chunk(ids, batchSize) {
		snapshots, err := r.Problems(ctx, page, as, 0)
		if err != nil {
			return nil, err
		}
		problems := NewProblems(r, c, as)
		entries := make([]*problemEntry, len(snapshots))
		places := make(map[problem.ID]int, len(snapshots))
		for i, s := range snapshots {
			entries[i] = problems.entry(s)
			places[s.ID] = i
		}
		for i, plan := range plans {
			tried := entries
			if id, ok := onlyProblem(plan.Where); ok {
				at, there := places[id]
				if !there {
					continue
				}
				tried = entries[at : at+1]
			}
			if err := results[i].add(ctx, problems, plan, tried); err != nil {
				return nil, err
			}
		}
	}
	return results, nil
}

// candidates returns those of the problems that can satisfy one of the plans.
func candidates(plans []*predicate.Plan, ids []problem.ID) []problem.ID {
	can := make(map[problem.ID]bool)
	for _, plan := range plans {
		id, ok := onlyProblem(plan.Where)
		if !ok {
			return ids
		}
		can[id] = true
	}
	return slices.DeleteFunc(slices.Clone(ids), func(id problem.ID) bool { return !can[id] })
}

// onlyProblem returns the only problem that can satisfy a condition: it compares the
// identifier with a number. Many webhooks follow one problem each.
func onlyProblem(c predicate.Cond) (id problem.ID, ok bool) {
	switch c := c.(type) {
	case predicate.And:
		for _, part := range c.Conds {
			if id, ok := onlyProblem(part); ok {
				return id, true
			}
		}
	case predicate.Compare:
		path, isPath := c.Left.(predicate.Path)
		constant, isConst := c.Right.(predicate.Const)
		if !isPath && !isConst { // the other way round
			path, isPath = c.Right.(predicate.Path)
			constant, isConst = c.Left.(predicate.Const)
		}
		if number, isInt := constant.Value.(int64); c.Op == predicate.Equal && isPath && isConst && isInt && isIdentifier(path) {
			return problem.ID(number), true
		}
	}
	return 0, false
}

// isIdentifier reports whether a path is the identifier of the searched problem.
func isIdentifier(p predicate.Path) bool {
	return p.Slot == 0 && len(p.Steps) == 1 && p.Steps[0].Of == predicate.Problem && p.Steps[0].Name == "identifier"
}

// Found holds the problems that satisfy a plan, or why it failed.
type Found struct {
	IDs map[problem.ID]bool
	Err error
}

// planWork limits the work of one plan for one batch of problems in AmongAll, in units of
// package eval: some seconds of a processor, enough for the texts of the largest problem. It
// is no limit of time: loads would use it up, and so would a process that has to wait.
const planWork = 8_000_000

// planAgain limits what a plan loads again for one batch of problems, in bytes. A database
// takes up to half a minute for it. Nothing counts that is loaded for the first time.
const planAgain = 1 << 30

// add evaluates the plan for each of the entries. Its error is one of the store, or the end
// of ctx.
func (f *Found) add(ctx context.Context, problems *Problems, plan *predicate.Plan, entries []*problemEntry) error {
	if f.Err != nil {
		return nil
	}
	if err := problems.preload(ctx, needsOf(plan), entries); err != nil {
		return err
	}
	evaluator := eval.New(ctx)
	evaluator.Limit(planWork)
	problems.again, problems.mostAgain = 0, planAgain
	for _, e := range entries {
		holds, err := e.satisfies(evaluator, plan.Where)
		if _, of := errors.AsType[*fault.Error](err); of || err != nil && ctx.Err() != nil {
			return ended(ctx, err)
		}
		if err != nil {
			f.Err = fault.Wrap(fault.QueryTooExpensive, err, "the predicate takes too much work")
			return nil
		}
		if holds {
			if f.IDs == nil {
				f.IDs = make(map[problem.ID]bool)
			}
			f.IDs[e.snapshot.ID] = true
		}
	}
	return nil
}

// ofClaims reports whether a query asks for claims, which are in no dossier.
func ofClaims(q store.Query) bool {
	isClaim := func(key *predicate.Key) bool { return strings.HasPrefix(key.Name, "claim.") }
	return !predicate.Walk(q.Plan.Where, func(node any) bool {
		path, _ := node.(predicate.Path)
		filter, _ := node.(predicate.Filter)
		return !slices.ContainsFunc(path.Steps, isClaim) && !slices.ContainsFunc(filter.Steps, isClaim)
	}) || slices.ContainsFunc(q.Sort, func(o predicate.Order) bool { return slices.ContainsFunc(o.Path.Steps, isClaim) })
}

// withClaims adds the claims to problems.
func withClaims(ctx context.Context, r store.Reader, as ident.ID, all iter.Seq2[snapshot.Snapshot, error]) iter.Seq2[snapshot.Snapshot, error] {
	return func(yield func(snapshot.Snapshot, error) bool) {
		for s, err := range all {
			if err == nil {
				var with snapshot.Snapshot
				with, err = r.Problem(ctx, s.ID, as, 0)
				s.Claim = with.Claim
			}
			if !yield(s, err) {
				return
			}
		}
	}
}

// snapshots returns all problems. Large ones have no parts: a batch has many problems, and
// memory is for the parts of one large problem at a time.
func snapshots(ctx context.Context, r store.Reader, as ident.ID) iter.Seq2[snapshot.Snapshot, error] {
	return func(yield func(snapshot.Snapshot, error) bool) {
		for d, err := range store.AllDossiers(ctx, r) {
			s := Snapshot(d, as)
			if err == nil && d.Size() > snapshot.Small {
				s = withoutParts(s)
			}
			if !yield(s, err) {
				return
			}
		}
	}
}

// Snapshot returns the problem of a dossier in the user's view, for predicates. Its
// parts are not nil. It has no data of related problems, and no version of the
// catalogue.
func Snapshot(d store.Dossier, as ident.ID) snapshot.Snapshot {
	s := snapshot.Snapshot{
		Problem:        d.Problem,
		Watching:       slices.Contains(d.Watchers, as),
		Read:           slices.Contains(d.Readers, as),
		ReadByAssignee: !d.Assignee.IsNone() && slices.Contains(d.Readers, d.Assignee),
		Keywords:       present(d.Keywords),
		Log:            present(d.Log),
		Comments:       present(d.Comments),
		Relationships:  make([]snapshot.Related, len(d.Relationships)),
		Watchers:       present(d.Watchers),
		Savepoints:     present(d.Savepoints),
		Attachments:    present(d.Attachments),
	}
	for i, r := range d.Relationships {
		s.Relationships[i].Relationship = r
	}
	return s
}

// present returns a slice that is not nil.
func present[T any](all []T) []T {
	if all == nil {
		return []T{}
	}
	return all
}
