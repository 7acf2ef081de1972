package predicate

import "context"

// Evaluator evaluates conditions and expressions about one object after another, as in
// a search. It reuses its caches from one object to the next. It is for one goroutine.
type Evaluator struct{ evaluation }

// NewEvaluator returns an Evaluator. Its evaluations fail when ctx is done.
func NewEvaluator(ctx context.Context) *Evaluator {
	return &Evaluator{evaluation{ctx: ctx, vars: make([]Value, 1), lists: map[*Expr]literals{}}}
}

// Holds is [Holds] about an object in slot 0.
func (e *Evaluator) Holds(cond Cond, root Entry) (bool, error) {
	e.vars[0] = root
	return e.holds(cond)
}

// Eval is [Eval] about an object in slot 0.
func (e *Evaluator) Eval(expr Expr, root Entry) (Value, error) {
	e.vars[0] = root
	return e.value(expr)
}
