package eval

import (
	"context"

	"github.com/problemtracking/problems/domain/predicate"
)

// DecidingWork is the most work to decide a condition in advance. Nobody can cancel
// the request at this point. The limit is that of a regular expression on a hundred
// characters. Slower conditions go to the residual.
const DecidingWork = 100 * matchWork

// ListWork is the same limit for conditions on the members of lists. A predicate can
// have many such conditions, and all may exceed the limit.
const ListWork = 500

// Decide returns a condition without variables as a constant. It keeps the condition when
// deciding it takes more work than the limit: DecidingWork or ListWork.
func Decide(cond predicate.Cond, limit int) predicate.Cond {
	e := evaluation{ctx: context.Background(), effort: effort{limit: limit}}
	holds, err := e.holds(cond)
	if err != nil {
		return cond
	}
	return predicate.Always(holds)
}

// Computed returns a Call, or its value when all arguments are constants.
func Computed(f predicate.Func, of predicate.Type, args ...predicate.Expr) predicate.Expr {
	values := make([]predicate.Value, len(args))
	for i, arg := range args {
		known, ok := arg.(predicate.Const)
		if !ok {
			return predicate.Call{Func: f, Args: args, Of: of}
		}
		values[i] = known.Value
	}
	v := Apply(f, values)
	switch v.(type) {
	case int64:
		of = predicate.Type{Kind: predicate.Int}
	case float64:
		of = predicate.Type{Kind: predicate.Float}
	}
	return predicate.Const{Value: v, Of: of}
}

// Aggregated returns the value of an aggregate of constants, or else the aggregate itself.
func Aggregated(a predicate.Aggregate) predicate.Expr {
	if l, ok := a.Coll.(predicate.List); ok && a.Func == predicate.Count {
		return predicate.Const{Value: int64(len(l.Members)), Of: predicate.Type{Kind: predicate.Int}}
	}
	if !predicate.Closed(a) {
		return a
	}
	limit := ListWork
	if _, ok := a.Coll.(predicate.List); ok {
		limit = DecidingWork
	}
	e := evaluation{ctx: context.Background(), effort: effort{limit: limit}}
	v, err := e.value(a)
	if err != nil {
		return a
	}
	of := a.Type()
	switch v.(type) {
	case int64:
		of = predicate.Type{Kind: predicate.Int}
	case float64:
		of = predicate.Type{Kind: predicate.Float}
	}
	return predicate.Const{Value: v, Of: of}
}
