package search

import (
	"context"
	"slices"
	"time"

	"github.com/problemtracking/problems/domain/date"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/predicate"
	"github.com/problemtracking/problems/domain/predicate/eval"
	"github.com/problemtracking/problems/domain/predicate/pushdown"
	"github.com/problemtracking/problems/domain/problem"
)

// Fields are the conditions of a query on the fields of a problem alone. A store with
// the fields at hand tries them before it makes a Snapshot. As a rule, they rule most
// problems out. One goroutine at a time may use Fields.
type Fields struct {
	ctx       context.Context
	evaluator *eval.Evaluator
	entry     fieldsEntry // of the current problem
	conds     []fieldsCond
}

// fieldsCond is a condition on the fields of a problem.
type fieldsCond struct {
	predicate.Cond
	// reference is the one reference to the catalogue in the condition, else nil. known
	// caches the result of the condition for each referenced object.
	reference *predicate.Key
	known     map[ident.ID]bool
}

// Fields returns those conditions of the plan, among the ones for a store to decide by
// itself.
func (p *Problems) Fields(ctx context.Context, plan *predicate.Plan) *Fields {
	f := &Fields{ctx: ctx, evaluator: eval.New(ctx), entry: fieldsEntry{of: p}}
	compiled, _ := pushdown.Split(plan)
	for _, cond := range compiled {
		keys := (&predicate.Plan{Where: cond}).Keys()
		if !slices.ContainsFunc(keys, func(key *predicate.Key) bool { return !isField(key) }) {
			f.conds = append(f.conds, fieldsCondOf(cond))
		}
	}
	return f
}

func fieldsCondOf(cond predicate.Cond) fieldsCond {
	if _, steps, ok := pushdown.Reference(cond); ok && len(steps) == 1 {
		return fieldsCond{cond, steps[0], map[ident.ID]bool{}}
	}
	return fieldsCond{Cond: cond}
}

// RuleOut reports whether the fields of a problem exclude it from the results. It fails
// with fault.Unavailable after the context has ended. It does not look at the context
// for each problem.
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

// fieldsEntry is a problem with its fields alone.
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

// isField reports whether fieldsEntry has the key of a problem.
func isField(key *predicate.Key) bool {
	switch key.Name {
	case "watching", "read", "readByAssignee", "claim.holder", "claim.expires":
		return false
	}
	_, part := partOf(key)
	return !part
}

// field returns the value of a key common to problems and savepoints.
func (p *Problems) field(o *problem.Problem, key *predicate.Key) (predicate.Value, error) {
	if key.Field == nil {
		return nil, noKey(key)
	}
	return problem.Value(key.Field, o, valueFor{p, key}), nil
}

// valueFor returns the values of a key.
type valueFor struct {
	of  *Problems
	key *predicate.Key
}

// Text implements problem.Kinds, as do the methods below.
func (v valueFor) Text(f *problem.Field, text *string) predicate.Value {
	if *text == "" && !f.Required {
		return nil
	}
	return *text
}

// Reference returns the entry of the object.
func (v valueFor) Reference(_ *problem.Field, id *ident.ID) predicate.Value {
	return v.of.object(v.key.Type.Entity, *id)
}

// Date returns the end of the day in UTC, or nil: predicate.EndOfDay makes it that of a zone.
func (v valueFor) Date(_ *problem.Field, d *date.Date) predicate.Value {
	if d.IsNone() {
		return nil
	}
	return d.End(time.UTC)
}

// Time returns the time, or nil.
func (v valueFor) Time(f *problem.Field, at *time.Time) predicate.Value {
	if f.Required {
		return *at
	}
	return optional(*at)
}

// referred returns the object behind a key of the catalogue's kinds.
func referred(o *problem.Problem, key *predicate.Key) (id ident.ID, ok bool) {
	if key.Field == nil || key.Field.Kind() != problem.ReferenceField {
		return ident.None, false
	}
	return *key.Field.Reference(o), true
}
