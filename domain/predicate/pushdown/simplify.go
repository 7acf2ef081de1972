package pushdown

import (
	"slices"

	"github.com/problemtracking/problems/domain/predicate"
	"github.com/problemtracking/problems/domain/predicate/eval"
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
func simplify(cond predicate.Cond) predicate.Cond {
	return predicate.Rebuild(cond, simpleCond, simpleExpr)
}

// simpleCond simplifies a condition with simplified parts.
func simpleCond(cond predicate.Cond) predicate.Cond {
	switch c := cond.(type) {
	case predicate.And:
		return joined(cond, c.Conds, false)
	case predicate.Or:
		return joined(cond, c.Conds, true)
	case predicate.Not:
		if holds, ok := truthIn(c.Cond); ok {
			return predicate.Always(!holds)
		}
	case predicate.Compare:
		return decided(cond, c.Left, c.Right)
	case predicate.Like:
		return decided(cond, c.Operand)
	case predicate.Match:
		return decided(cond, c.Operand)
	case predicate.In:
		return decided(cond, append(slices.Clone(c.List), c.Operand)...)
	case predicate.Exists:
		cond := existsIn(c.Coll, c.Slot, c.Where)
		if predicate.Closed(cond) {
			return eval.Decide(cond, eval.ListWork)
		}
		return spread(cond)
	}
	return cond
}

// truthIn returns the truth of a constant condition. It is not ok for any other
// condition.
func truthIn(cond predicate.Cond) (holds, ok bool) {
	switch c := cond.(type) {
	case predicate.And:
		return true, len(c.Conds) == 0
	case predicate.Or:
		return false, len(c.Conds) == 0
	}
	return false, false
}

// joined returns an And or an Or of the conditions. Like join, it returns a constant
// if one condition has the decisive result, or all have the other one.
func joined(cond predicate.Cond, conds []predicate.Cond, decisive bool) predicate.Cond {
	others := 0
	for _, c := range conds {
		switch holds, ok := truthIn(c); {
		case !ok:
			others++
		case holds == decisive:
			return predicate.Always(decisive)
		}
	}
	if others == 0 {
		return predicate.Always(!decisive)
	}
	return cond
}

// decided returns a condition on these operands as a constant, if all of them are
// constants.
func decided(cond predicate.Cond, operands ...predicate.Expr) predicate.Cond {
	if !all(operands, predicate.IsConst) {
		return cond
	}
	return eval.Decide(cond, eval.DecidingWork)
}

// existsIn returns the Exists with this condition on the members of a collection.
func existsIn(coll predicate.Expr, slot int, where predicate.Cond) predicate.Cond {
	switch c := coll.(type) {
	case predicate.Path:
		head, tail := cutBehindMany(c.Steps)
		c.Steps = head
		return predicate.Exists{Coll: c, Slot: slot, Where: substitute(where, slot, predicate.Path{Slot: slot, Start: c.Type().Member(), Steps: tail})}
	case predicate.Filter:
		member := predicate.Path{Slot: c.Slot, Start: c.Coll.Type().Member(), Steps: c.Steps}
		var inner predicate.Cond
		if slices.ContainsFunc(c.Steps, (*predicate.Key).IsMany) {
			inner = existsIn(member, slot, where)
		} else {
			inner = substitute(where, slot, member)
		}
		return existsIn(c.Coll, c.Slot, predicate.And{Conds: []predicate.Cond{c.Where, inner}})
	}
	return predicate.Exists{Coll: coll, Slot: slot, Where: where}
}

// cutBehindMany divides the keys behind the last to-many key.
func cutBehindMany(steps []*predicate.Key) (head, tail []*predicate.Key) {
	for i, key := range slices.Backward(steps) {
		if key.Type.Many {
			return steps[:i+1], steps[i+1:]
		}
	}
	return nil, steps
}

// simpleExpr simplifies an expression with simplified parts.
func simpleExpr(expr predicate.Expr) predicate.Expr {
	switch x := expr.(type) {
	case predicate.Filter:
		return filterOf(x.Coll, x.Slot, x.Where, x.Steps)
	case predicate.Aggregate:
		if x.Func == predicate.Count {
			x.Coll = countedIn(x.Coll)
		}
		return eval.Aggregated(x)
	case predicate.Call:
		return eval.Computed(x.Func, x.Of, x.Args...)
	}
	return expr
}

// filterOf returns the Filter of a collection.
func filterOf(coll predicate.Expr, slot int, where predicate.Cond, steps []*predicate.Key) predicate.Expr {
	switch c := coll.(type) {
	case predicate.Path:
		head, tail := cutBehindMany(c.Steps)
		c.Steps = head
		where = substitute(where, slot, predicate.Path{Slot: slot, Start: c.Type().Member(), Steps: tail})
		return predicate.Filter{Coll: c, Slot: slot, Where: where, Steps: slices.Concat(tail, steps)}
	case predicate.Filter:
		if !slices.ContainsFunc(c.Steps, (*predicate.Key).IsMany) {
			member := predicate.Path{Slot: c.Slot, Start: c.Coll.Type().Member(), Steps: c.Steps}
			where = predicate.And{Conds: []predicate.Cond{c.Where, substitute(where, slot, member)}}
			return predicate.Filter{Coll: c.Coll, Slot: c.Slot, Where: where, Steps: slices.Concat(c.Steps, steps)}
		}
	}
	return predicate.Filter{Coll: coll, Slot: slot, Where: where, Steps: steps}
}

// countedIn returns a collection with the same number of members, nil included.
func countedIn(coll predicate.Expr) predicate.Expr {
	switch c := coll.(type) {
	case predicate.Path:
		c.Steps, _ = cutBehindMany(c.Steps)
		return c
	case predicate.Filter:
		c.Steps, _ = cutBehindMany(c.Steps)
		return c
	}
	return coll
}

// substitute replaces a variable in the condition by the end of a path.
func substitute(cond predicate.Cond, slot int, by predicate.Path) predicate.Cond {
	if by.Slot == slot && len(by.Steps) == 0 {
		return cond
	}
	return predicate.Rebuild(cond, nil, func(expr predicate.Expr) predicate.Expr {
		if x, ok := expr.(predicate.Path); ok && x.Slot == slot {
			return predicate.Path{Slot: by.Slot, Start: by.Start, Steps: slices.Concat(by.Steps, x.Steps)}
		}
		return expr
	})
}
