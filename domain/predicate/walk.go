package predicate

import "slices"

// walk calls visit for each node at and below a condition or an expression, until
// visit returns false. Outer nodes come first, then inner ones in the written order.
// walk reports whether visit always returned true.
func walk(node any, visit func(node any) bool) bool {
	if !visit(node) {
		return false
	}
	switch n := node.(type) {
	case And:
		return walkEach(n.Conds, visit)
	case Or:
		return walkEach(n.Conds, visit)
	case Not:
		return walk(n.Cond, visit)
	case Compare:
		return walk(n.Left, visit) && walk(n.Right, visit)
	case Like:
		return walk(n.Operand, visit)
	case Match:
		return walk(n.Operand, visit)
	case In:
		return walk(n.Operand, visit) && walkEach(n.List, visit)
	case Exists:
		return walk(n.Coll, visit) && walk(n.Where, visit)
	case List:
		return walkEach(n.Members, visit)
	case Filter:
		return walk(n.Coll, visit) && walk(n.Where, visit)
	case Aggregate:
		return walk(n.Coll, visit)
	case Call:
		return walkEach(n.Args, visit)
	}
	return true
}

func walkEach[T any](nodes []T, visit func(node any) bool) bool {
	return !slices.ContainsFunc(nodes, func(n T) bool { return !walk(n, visit) })
}

// rebuild replaces each condition and expression at and below the condition by the
// result of the functions. It proceeds from the inner to the outer ones.
func rebuild(cond Cond, onCond func(Cond) Cond, onExpr func(Expr) Expr) Cond {
	return rebuilding{onCond, onExpr}.cond(cond)
}

type rebuilding struct {
	onCond func(Cond) Cond
	onExpr func(Expr) Expr
}

func (r rebuilding) cond(cond Cond) Cond {
	switch c := cond.(type) {
	case And:
		cond = And{each(c.Conds, r.cond)}
	case Or:
		cond = Or{each(c.Conds, r.cond)}
	case Not:
		cond = Not{r.cond(c.Cond)}
	case Compare:
		c.Left, c.Right = r.expr(c.Left), r.expr(c.Right)
		cond = c
	case Like:
		c.Operand = r.expr(c.Operand)
		cond = c
	case Match:
		c.Operand = r.expr(c.Operand)
		cond = c
	case In:
		c.Operand, c.List = r.expr(c.Operand), each(c.List, r.expr)
		cond = c
	case Exists:
		c.Coll, c.Where = r.expr(c.Coll), r.cond(c.Where)
		cond = c
	}
	return r.onCond(cond)
}

func (r rebuilding) expr(expr Expr) Expr {
	switch x := expr.(type) {
	case List:
		x.Members = each(x.Members, r.expr)
		expr = x
	case Filter:
		x.Coll, x.Where = r.expr(x.Coll), r.cond(x.Where)
		expr = x
	case Aggregate:
		x.Coll = r.expr(x.Coll)
		expr = x
	case Call:
		x.Args = each(x.Args, r.expr)
		expr = x
	}
	return r.onExpr(expr)
}

// each applies a function to each of the nodes.
func each[T any](nodes []T, of func(T) T) []T {
	made := make([]T, len(nodes))
	for i, n := range nodes {
		made[i] = of(n)
	}
	return made
}

// same leaves a node as it is.
func same[T any](node T) T { return node }

// substitute replaces a variable in the condition by the end of a path.
func substitute(cond Cond, slot int, by Path) Cond {
	if by.Slot == slot && len(by.Steps) == 0 {
		return cond
	}
	return rebuild(cond, same, func(expr Expr) Expr {
		if x, ok := expr.(Path); ok && x.Slot == slot {
			return Path{by.Slot, by.Start, slices.Concat(by.Steps, x.Steps)}
		}
		return expr
	})
}
