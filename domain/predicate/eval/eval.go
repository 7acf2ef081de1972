package eval

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/problemtracking/problems/domain/predicate"
)

// Matches reports whether the object satisfies the predicate. It fails with the errors
// of the visited entries and, when ctx is done, with the error of ctx.
func Matches(ctx context.Context, p *predicate.Plan, root predicate.Entry) (bool, error) {
	vars := make([]predicate.Value, max(p.Slots, 1))
	vars[0] = root
	e := evaluation{ctx: ctx, vars: vars}
	return e.holds(p.Where)
}

// Holds reports whether the condition holds (section 4). vars are the variables by
// slot: entries or, for members of a collection of scalars, scalars. Holds does not
// change vars. It fails as Matches does.
func Holds(ctx context.Context, cond predicate.Cond, vars []predicate.Value) (bool, error) {
	e := evaluation{ctx: ctx, vars: slices.Clone(vars)}
	return e.holds(cond)
}

// Value returns the value of the expression. Its arguments and errors are like those of
// Holds.
func Value(ctx context.Context, expr predicate.Expr, vars []predicate.Value) (predicate.Value, error) {
	e := evaluation{ctx: ctx, vars: slices.Clone(vars)}
	return e.value(expr)
}

// evaluation is the state of one evaluation.
type evaluation struct {
	ctx  context.Context
	vars []predicate.Value // by slot
	effort
	// folded caches, by Folding, the last folded text and its result. Most evaluations
	// compare the same text again and again.
	folded [predicate.Both + 1]struct{ from, to string }
	// lists caches prepared lists by their first member. The value is nil for a list not
	// worth preparing.
	lists map[*predicate.Expr]literals
}

func (e *evaluation) holds(cond predicate.Cond) (bool, error) {
	if err := e.spend(1); err != nil {
		return false, err
	}
	switch c := cond.(type) {
	case predicate.And:
		return e.join(c.Conds, false)
	case predicate.Or:
		return e.join(c.Conds, true)
	case predicate.Not:
		ok, err := e.holds(c.Cond)
		return !ok && err == nil, err
	case predicate.Compare:
		return e.compare(c)
	case predicate.Like:
		return e.like(c)
	case predicate.Match:
		return e.match(c)
	case predicate.In:
		return e.in(c)
	case predicate.Exists:
		return e.exists(c)
	}
	return false, fmt.Errorf("predicate: no condition: %T", cond)
}

// join evaluates And and Or. A condition with the decisive result settles the whole:
// false settles And, true settles Or. join evaluates no condition after it.
func (e *evaluation) join(conds []predicate.Cond, decisive bool) (bool, error) {
	for _, c := range conds {
		if ok, err := e.holds(c); err != nil || ok == decisive {
			return ok, err
		}
	}
	return !decisive, nil
}

func (e *evaluation) compare(c predicate.Compare) (bool, error) {
	left, err := e.value(c.Left)
	if err != nil {
		return false, err
	}
	right, err := e.value(c.Right)
	if err != nil {
		return false, err
	}
	if left, err = e.fold(c.Left, left, c.Folding); err != nil {
		return false, err
	}
	if right, err = e.fold(c.Right, right, c.Folding); err != nil {
		return false, err
	}
	if err := e.spend(textWork(left) + textWork(right)); err != nil {
		return false, err
	}
	if c.Op == predicate.Equal {
		return predicate.EqualValues(left, right), nil
	}
	if left == nil || right == nil {
		return false, nil
	}
	switch c.Op {
	case predicate.Less:
		return predicate.CompareValues(left, right) < 0, nil
	case predicate.LessOrEqual:
		return predicate.CompareValues(left, right) <= 0, nil
	case predicate.Greater:
		return predicate.CompareValues(left, right) > 0, nil
	case predicate.GreaterOrEqual:
		return predicate.CompareValues(left, right) >= 0, nil
	}
	text, ok := left.(string)
	part, also := right.(string)
	if !ok || !also {
		return false, fmt.Errorf("predicate: %s of %T and %T", c.Op, left, right)
	}
	switch c.Op {
	case predicate.Contains:
		// The work is counted already, unless the context needs a look during the search.
		at, err := index(text, part, func(work int) error {
			if work < window/bytesPerWork {
				return nil
			}
			return e.spend(checkInterval)
		})
		return at >= 0 && err == nil, err
	case predicate.BeginsWith:
		return strings.HasPrefix(text, part), nil
	case predicate.EndsWith:
		return strings.HasSuffix(text, part), nil
	}
	return false, fmt.Errorf("predicate: no operator: %s", c.Op)
}

// errFound ends the visit of a collection early.
var errFound = errors.New("predicate: found")

func (e *evaluation) exists(c predicate.Exists) (bool, error) {
	err := e.each(c.Coll, func(m predicate.Value) error {
		e.bind(c.Slot, m)
		ok, err := e.holds(c.Where)
		if ok {
			return errFound
		}
		return err
	})
	if err == errFound {
		return true, nil
	}
	return false, err
}

func (e *evaluation) value(expr predicate.Expr) (predicate.Value, error) {
	switch x := expr.(type) {
	case predicate.Const:
		return x.Value, nil
	case predicate.Path:
		if err := e.bound(x.Slot); err != nil {
			return nil, err
		}
		return e.follow(e.vars[x.Slot], x)
	case predicate.List, predicate.Filter:
		return e.members(x)
	case predicate.Aggregate:
		t := tally{f: x.Func}
		err := e.each(x.Coll, t.add)
		return t.value(), err
	case predicate.Call:
		return e.call(x)
	}
	return nil, fmt.Errorf("predicate: no expression: %T", expr)
}

func (e *evaluation) call(c predicate.Call) (predicate.Value, error) {
	work := 1
	args := make([]predicate.Value, len(c.Args))
	for i, arg := range c.Args {
		v, err := e.value(arg)
		if v == nil || err != nil {
			return nil, err
		}
		args[i] = v
		work += textWork(v)
	}
	if err := e.spend(work); err != nil {
		return nil, err
	}
	return Apply(c.Func, args), nil
}

// follow returns the value at the end of the keys. From nil, the value is nil.
func (e *evaluation) follow(v predicate.Value, path predicate.Path) (predicate.Value, error) {
	if slices.ContainsFunc(path.Steps, (*predicate.Key).IsMany) {
		return e.members(path)
	}
	for _, key := range path.Steps {
		if v == nil {
			return nil, nil
		}
		var err error
		if v, err = e.get(v, key); err != nil {
			return nil, err
		}
	}
	return v, nil
}

func (e *evaluation) get(v predicate.Value, key *predicate.Key) (predicate.Value, error) {
	if key.Zone != nil {
		return key.InZone(v), nil
	}
	entry, ok := v.(predicate.Entry)
	if !ok {
		return nil, fmt.Errorf("predicate: %s of %T", key.Name, v)
	}
	return entry.Get(e.ctx, key)
}
