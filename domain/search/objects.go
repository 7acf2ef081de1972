package search

import (
	"cmp"
	"context"
	"iter"

	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/predicate"
	"github.com/problemtracking/problems/domain/predicate/eval"
	"github.com/problemtracking/problems/domain/store"
	"github.com/problemtracking/problems/domain/user"
)

// ObjectQuery finds the metadata objects of one kind, or the users, by a predicate and
// in an order (D31).
type ObjectQuery struct {
	// Plan is the condition. Its root is the kind.
	Plan *predicate.Plan
	// Sort is the order. Objects equal under it are in the order of their identifiers.
	Sort []predicate.Order
	// After, when not nil, leaves out all objects up to and including its position in the
	// order.
	After *Object
	// Limit is the greatest number of results, at least 1.
	Limit     int
	Catalogue *metadata.Catalogue
}

// Object is a metadata object or user found by an ObjectQuery.
type Object struct {
	ID ident.ID
	// Keys are its values under ObjectQuery.Sort, one for each.
	Keys []predicate.Value
}

// Objects finds the objects of the query. It fails with fault.Unavailable when ctx ends.
func Objects(ctx context.Context, q ObjectQuery) ([]Object, error) {
	compare := func(a, b Object) int { return cmp.Or(compareKeys(q.Sort, a.Keys, b.Keys), a.ID.Compare(b.ID)) }
	all, err := Identifiers(q.Catalogue, q.Plan.Root)
	if err != nil {
		return nil, err
	}
	found := best[Object]{limit: q.Limit, compare: compare}
	evaluator := eval.New(ctx)
	for id := range all {
		if err := store.Ended(ctx); err != nil {
			return nil, err
		}
		e := Metadata(q.Catalogue, q.Plan.Root, id)
		holds, err := evaluator.Holds(q.Plan.Where, e)
		if err != nil {
			return nil, ended(ctx, err)
		}
		if !holds {
			continue
		}
		object := Object{ID: id}
		if object.Keys, err = keysOf(evaluator, q.Sort, e); err != nil {
			return nil, ended(ctx, err)
		}
		if q.After == nil || compare(object, *q.After) > 0 {
			found.add(object)
		}
	}
	return found.sorted(), nil
}

// Identifiers returns the identifiers of all metadata objects of one kind, or of all
// users. It fails with fault.Internal for any other kind.
func Identifiers(catalogue *metadata.Catalogue, kind predicate.Entity) (iter.Seq[ident.ID], error) {
	c := catalogue.Content()
	switch kind {
	case predicate.State:
		return each(c.States, func(o *metadata.State) ident.ID { return o.ID }), nil
	case predicate.Priority:
		return each(c.Priorities, func(o *metadata.Priority) ident.ID { return o.ID }), nil
	case predicate.Classification:
		return each(c.Classifications, func(o *metadata.Classification) ident.ID { return o.ID }), nil
	case predicate.Component:
		return each(c.Components, func(o *metadata.Component) ident.ID { return o.ID }), nil
	case predicate.Milestone:
		return each(c.Milestones, func(o *metadata.Milestone) ident.ID { return o.ID }), nil
	case predicate.User:
		return each(c.Users, func(o *user.User) ident.ID { return o.ID }), nil
	}
	return nil, fault.New(fault.Internal, "a %s is no object of the catalogue", kind)
}

func each[T any](all []T, id func(*T) ident.ID) iter.Seq[ident.ID] {
	return func(yield func(ident.ID) bool) {
		for i := range all {
			if !yield(id(&all[i])) {
				return
			}
		}
	}
}
