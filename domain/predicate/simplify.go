package predicate

import (
	"context"
	"slices"
)

// simplify returns a condition with the same meaning and the same slots, but easier to
// compile:
//
//   - An Exists in a List becomes an Or over the members, unless the Or is long.
//   - A condition without a Path becomes And{} or Or{}, unless deciding it takes much work.
//   - An expression without a Path becomes a Const, with the same exception.
//   - The collection of an Exists is a Const, or a Path with a to-many key at its end.
//   - So is the collection of a Filter, or it is a Filter with a to-many key in its Steps.
//   - A count follows no to-one keys.
func simplify(cond Cond) Cond { return rebuild(cond, simpleCond, simpleExpr) }

// simpleCond simplifies a condition with simplified parts.
func simpleCond(cond Cond) Cond {
	switch c := cond.(type) {
	case And:
		return joined(cond, c.Conds, false)
	case Or:
		return joined(cond, c.Conds, true)
	case Not:
		if holds, ok := truthIn(c.Cond); ok {
			return truthOf(!holds)
		}
	case Compare:
		return decided(cond, c.Left, c.Right)
	case Like:
		return decided(cond, c.Operand)
	case Match:
		return decided(cond, c.Operand)
	case In:
		return decided(cond, append(slices.Clone(c.List), c.Operand)...)
	case Exists:
		cond := existsIn(c.Coll, c.Slot, c.Where)
		if closed(cond) {
			return decide(cond, listWork)
		}
		return spread(cond)
	}
	return cond
}

// truthOf returns the condition for always true, or the one for always false.
func truthOf(holds bool) Cond {
	if holds {
		return And{}
	}
	return Or{}
}

// truthIn returns the truth of a constant condition. It is not ok for any other
// condition.
func truthIn(cond Cond) (holds, ok bool) {
	switch c := cond.(type) {
	case And:
		return true, len(c.Conds) == 0
	case Or:
		return false, len(c.Conds) == 0
	}
	return false, false
}

// joined returns an And or an Or of the conditions. Like join, it returns a constant
// if one condition has the decisive result, or all have the other one.
func joined(cond Cond, conds []Cond, decisive bool) Cond {
	others := 0
	for _, c := range conds {
		switch holds, ok := truthIn(c); {
		case !ok:
			others++
		case holds == decisive:
			return truthOf(decisive)
		}
	}
	if others == 0 {
		return truthOf(!decisive)
	}
	return cond
}

// decidingWork is the most work to decide a condition in advance. Nobody can cancel
// the request at this point. The limit is that of a regular expression on a hundred
// characters. Slower conditions go to the residual.
const decidingWork = 100 * matchWork

// listWork is the same limit for conditions on the members of lists. A predicate can
// have many such conditions, and all may exceed the limit.
const listWork = 500

// decided returns a condition on these operands as a constant, if all of them are
// constants.
func decided(cond Cond, operands ...Expr) Cond {
	if !all(operands, isConst) {
		return cond
	}
	return decide(cond, decidingWork)
}

// decide returns a condition without variables as a constant, unless deciding it takes
// much work.
func decide(cond Cond, limit int) Cond {
	e := evaluation{ctx: context.Background(), effort: effort{limit: limit}}
	holds, err := e.holds(cond)
	if err != nil {
		return cond
	}
	return truthOf(holds)
}

func isConst(expr Expr) bool {
	_, ok := expr.(Const)
	return ok
}

// existsIn returns the Exists with this condition on the members of a collection.
func existsIn(coll Expr, slot int, where Cond) Cond {
	switch c := coll.(type) {
	case Path:
		head, tail := cutBehindMany(c.Steps)
		c.Steps = head
		return Exists{c, slot, substitute(where, slot, Path{slot, c.Type().Member(), tail})}
	case Filter:
		member := Path{c.Slot, c.Coll.Type().Member(), c.Steps}
		var inner Cond
		if slices.ContainsFunc(c.Steps, isMany) {
			inner = existsIn(member, slot, where)
		} else {
			inner = substitute(where, slot, member)
		}
		return existsIn(c.Coll, c.Slot, And{[]Cond{c.Where, inner}})
	}
	return Exists{coll, slot, where}
}

// cutBehindMany divides the keys behind the last to-many key.
func cutBehindMany(steps []*Key) (head, tail []*Key) {
	for i, key := range slices.Backward(steps) {
		if key.Type.Many {
			return steps[:i+1], steps[i+1:]
		}
	}
	return nil, steps
}

// simpleExpr simplifies an expression with simplified parts.
func simpleExpr(expr Expr) Expr {
	switch x := expr.(type) {
	case Filter:
		return filterOf(x.Coll, x.Slot, x.Where, x.Steps)
	case Aggregate:
		if x.Func == Count {
			x.Coll = countedIn(x.Coll)
		}
		return known(x)
	case Call:
		return computed(x.Func, x.Of, x.Args...)
	}
	return expr
}

// filterOf returns the Filter of a collection.
func filterOf(coll Expr, slot int, where Cond, steps []*Key) Expr {
	switch c := coll.(type) {
	case Path:
		head, tail := cutBehindMany(c.Steps)
		c.Steps = head
		where = substitute(where, slot, Path{slot, c.Type().Member(), tail})
		return Filter{c, slot, where, slices.Concat(tail, steps)}
	case Filter:
		if !slices.ContainsFunc(c.Steps, isMany) {
			member := Path{c.Slot, c.Coll.Type().Member(), c.Steps}
			where = And{[]Cond{c.Where, substitute(where, slot, member)}}
			return Filter{c.Coll, c.Slot, where, slices.Concat(c.Steps, steps)}
		}
	}
	return Filter{coll, slot, where, steps}
}

// countedIn returns a collection with the same number of members, nil included.
func countedIn(coll Expr) Expr {
	switch c := coll.(type) {
	case Path:
		c.Steps, _ = cutBehindMany(c.Steps)
		return c
	case Filter:
		c.Steps, _ = cutBehindMany(c.Steps)
		return c
	}
	return coll
}
