package predicate

import (
	"context"
	"slices"
)

// simplify returns a condition that means the same and is easier to compile, in the
// same slots:
//
//   - An Exists in a List is an Or of what its members have to satisfy, unless that is long.
//   - Conditions without a Path are And{} or Or{}, unless it takes much work to tell,
//     and expressions without one a Const.
//   - What Exists goes through is a Path whose last key is to-many, or a Const.
//   - What Filter goes through is such a Path too, but for a Filter whose Steps have
//     a to-many key.
//   - Nothing to-one is followed only to be counted.
func simplify(cond Cond) Cond { return rebuild(cond, simpleCond, simpleExpr) }

// simpleCond simplifies a condition of simple ones.
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

// truthOf returns the condition that always holds, or the one that never does.
func truthOf(holds bool) Cond {
	if holds {
		return And{}
	}
	return Or{}
}

// truthIn returns whether a condition always holds; it is not ok for one that
// depends on something.
func truthIn(cond Cond) (holds, ok bool) {
	switch c := cond.(type) {
	case And:
		return true, len(c.Conds) == 0
	case Or:
		return false, len(c.Conds) == 0
	}
	return false, false
}

// joined returns an And or an Or of the conditions as what it always is, if one of
// them comes out as decisive, as join has it, or all the other way.
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

// decidingWork is the most that is spent on a condition to decide it beforehand, when
// nobody can say any more that he does not wait: that of a regular expression on a
// hundred characters. What takes longer is left to the residual.
const decidingWork = 100 * matchWork

// listWork is the same for conditions on the members of lists, of which a predicate can
// have many that come to no end.
const listWork = 500

// decided returns a condition on these operands as what it always is, if all of them
// are known.
func decided(cond Cond, operands ...Expr) Cond {
	if !all(operands, isConst) {
		return cond
	}
	return decide(cond, decidingWork)
}

// decide returns a condition that depends on nothing as what it always is, unless that
// takes much work.
func decide(cond Cond, most int) Cond {
	e := evaluation{ctx: context.Background(), effort: effort{most: most}}
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

// cutBehindMany divides the keys behind the last to-many one.
func cutBehindMany(steps []*Key) (head, tail []*Key) {
	for i, key := range slices.Backward(steps) {
		if key.Type.Many {
			return steps[:i+1], steps[i+1:]
		}
	}
	return nil, steps
}

// simpleExpr simplifies an expression of simple ones.
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

// countedIn returns a collection with as many members, nil ones included.
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
