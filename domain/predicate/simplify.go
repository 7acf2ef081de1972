package predicate

import (
	"context"
	"slices"
)

// simplify returns a condition that means the same and is easier to compile, in the
// same slots:
//
//   - Conditions and expressions without a Path are And{}, Or{} or a Const.
//   - What Exists goes through is a Path whose last key is to-many, or a Const.
//   - What Filter goes through is such a Path too, but for a Filter whose Steps have
//     a to-many key.
//   - Nothing to-one is followed only to be counted.
func simplify(cond Cond) Cond {
	if !readsPaths(cond) {
		return decided(cond)
	}
	switch c := cond.(type) {
	case And:
		return And{simplifyAll(c.Conds)}
	case Or:
		return Or{simplifyAll(c.Conds)}
	case Not:
		return Not{simplify(c.Cond)}
	case Compare:
		c.Left, c.Right = simplifyExpr(c.Left), simplifyExpr(c.Right)
		return c
	case Like:
		c.Operand = simplifyExpr(c.Operand)
		return c
	case Match:
		c.Operand = simplifyExpr(c.Operand)
		return c
	case In:
		c.Operand = simplifyExpr(c.Operand)
		c.List = slices.Clone(c.List)
		for i, member := range c.List {
			c.List[i] = simplifyExpr(member)
		}
		return c
	case Exists:
		return existsIn(simplifyExpr(c.Coll), c.Slot, simplify(c.Where))
	}
	return cond
}

func simplifyAll(conds []Cond) []Cond {
	simple := make([]Cond, len(conds))
	for i, c := range conds {
		simple[i] = simplify(c)
	}
	return simple
}

// decided returns the condition that always holds, or never does, as this one.
func decided(cond Cond) Cond {
	ok, err := Holds(context.Background(), cond, nil)
	switch {
	case err != nil:
		return cond
	case ok:
		return And{}
	}
	return Or{}
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

func simplifyExpr(expr Expr) Expr {
	if c, ok := expr.(Call); ok && !readsPaths(c) {
		if v, err := Eval(context.Background(), c, nil); err == nil {
			return Const{v, c.Of}
		}
	}
	switch x := expr.(type) {
	case Filter:
		return filterOf(simplifyExpr(x.Coll), x.Slot, simplify(x.Where), x.Steps)
	case Aggregate:
		x.Coll = simplifyExpr(x.Coll)
		if x.Func == Count {
			x.Coll = counted(x.Coll)
		}
		return x
	case Call:
		x.Args = slices.Clone(x.Args)
		for i, arg := range x.Args {
			x.Args[i] = simplifyExpr(arg)
		}
		return x
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

// counted returns a collection with as many members, nil ones included.
func counted(coll Expr) Expr {
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
