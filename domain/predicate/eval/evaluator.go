package eval

import (
	"context"

	"github.com/problemtracking/problems/domain/predicate"
)

// Evaluator evaluates conditions and expressions about one object after another, as in
// a search. It reuses its caches from one object to the next. It is for one goroutine.
type Evaluator struct{ evaluation }

// New returns an Evaluator. Its evaluations fail when ctx is done.
func New(ctx context.Context) *Evaluator {
	return &Evaluator{evaluation{ctx: ctx, vars: make([]predicate.Value, 1), lists: map[*predicate.Expr]literals{}}}
}

// Limit bounds the work of all further evaluations together. One unit is about half a
// microsecond. They fail when it is used up.
func (e *Evaluator) Limit(work int) { e.limit, e.spent = work, 0 }

// Holds is [Holds] about an object in slot 0.
func (e *Evaluator) Holds(cond predicate.Cond, root predicate.Entry) (bool, error) {
	e.vars[0] = root
	return e.holds(cond)
}

// HoldsWith is [Holds] with a value for the variable of one slot.
func (e *Evaluator) HoldsWith(cond predicate.Cond, slot int, v predicate.Value) (bool, error) {
	e.bind(slot, v)
	return e.holds(cond)
}

// Value is [Value] about an object in slot 0.
func (e *Evaluator) Value(expr predicate.Expr, root predicate.Entry) (predicate.Value, error) {
	e.vars[0] = root
	return e.value(expr)
}
