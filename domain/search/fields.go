package search

import (
	"context"
	"slices"

	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/predicate"
	"github.com/problemtracking/problems/domain/problem"
)

// Fields are the conditions of a query that the fields of a problem alone decide. A
// store that has these at hand tries them before it makes a Snapshot: most problems
// are ruled out by them as a rule. They are not to be used by several goroutines.
type Fields struct {
	ctx       context.Context
	evaluator *predicate.Evaluator
	entry     fieldsEntry // of the problem that is tried
	conds     []fieldsCond
}

// fieldsCond is a condition on the fields of a problem.
type fieldsCond struct {
	predicate.Cond
	// reference is what the condition is about, if that is one reference to the
	// catalogue, else nil; and known is whether it holds for those that were met.
	reference *predicate.Key
	known     map[ident.ID]bool
}

// Fields returns the conditions of the plan that are of this kind, among those that
// a store can decide by itself.
func (p *Problems) Fields(ctx context.Context, plan *predicate.Plan) *Fields {
	f := &Fields{ctx: ctx, evaluator: predicate.NewEvaluator(ctx), entry: fieldsEntry{of: p}}
	compiled, _ := plan.Split()
	for _, cond := range compiled {
		keys := (&predicate.Plan{Where: cond}).Keys()
		if !slices.ContainsFunc(keys, func(key *predicate.Key) bool { return !isField(key) }) {
			f.conds = append(f.conds, fieldsCondOf(cond))
		}
	}
	return f
}

func fieldsCondOf(cond predicate.Cond) fieldsCond {
	if _, steps, ok := predicate.Reference(cond); ok && len(steps) == 1 {
		return fieldsCond{cond, steps[0], map[ident.ID]bool{}}
	}
	return fieldsCond{Cond: cond}
}

// RuleOut reports whether the fields of a problem show that the query does not find
// it. It fails with fault.Unavailable when it learns that the context has ended, which
// it does not ask for each problem.
func (f *Fields) RuleOut(p *problem.Problem) (bool, error) {
	for i := range f.conds {
		if holds, err := f.holds(&f.conds[i], p); err != nil || !holds {
			return true, ended(f.ctx, err)
		}
	}
	return false, nil
}

func (f *Fields) holds(c *fieldsCond, p *problem.Problem) (holds bool, err error) {
	var to ident.ID
	if c.reference != nil {
		to, _ = referred(p, c.reference)
		if holds, known := c.known[to]; known {
			return holds, nil
		}
	}
	f.entry.Problem = p
	if holds, err = f.evaluator.Holds(c.Cond, &f.entry); err == nil && c.reference != nil {
		c.known[to] = holds
	}
	return holds, err
}

// fieldsEntry is a problem of which nothing but its fields is known.
type fieldsEntry struct {
	of *Problems
	*problem.Problem
}

// Identity implements predicate.Entry.
func (e *fieldsEntry) Identity() any { return e.ID }

// Get implements predicate.Entry.
func (e *fieldsEntry) Get(_ context.Context, key *predicate.Key) (predicate.Value, error) {
	if key.Name == "identifier" {
		return int64(e.ID), nil
	}
	return e.of.field(e.Problem, key)
}

// isField reports whether a key of a problem is one that fieldsEntry has.
func isField(key *predicate.Key) bool {
	switch key.Name {
	case "watching", "read", "readByAssignee":
		return false
	}
	_, part := partOf(key)
	return !part
}

// field returns the value of a key that problems and savepoints have in common.
func (p *Problems) field(o *problem.Problem, key *predicate.Key) (predicate.Value, error) {
	f := key.Field
	switch {
	case f == nil:
		return nil, noKey(key)
	case f.Kind == problem.ReferenceField:
		return p.object(key.Type.Entity, *f.Reference(o)), nil
	case f.Kind == problem.TimeField && f.Required:
		return *f.Time(o), nil
	case f.Kind == problem.TimeField:
		return optional(*f.Time(o)), nil
	case *f.Text(o) == "" && !f.Required:
		return nil, nil
	default:
		return *f.Text(o), nil
	}
}

// referred returns what a key that is a reference to the catalogue refers to.
func referred(o *problem.Problem, key *predicate.Key) (id ident.ID, ok bool) {
	if key.Field == nil || key.Field.Kind != problem.ReferenceField {
		return ident.None, false
	}
	return *key.Field.Reference(o), true
}
