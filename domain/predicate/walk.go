package predicate

import "slices"

// Walk calls visit for each node at and below a condition or an expression, until
// visit returns false. Outer nodes come first, then inner ones in the written order.
// Walk reports whether visit always returned true.
func Walk(node any, visit func(node any) bool) bool {
	if !visit(node) {
		return false
	}
	switch n := node.(type) {
	case And:
		return walkEach(n.Conds, visit)
	case Or:
		return walkEach(n.Conds, visit)
	case Not:
		return Walk(n.Cond, visit)
	case Compare:
		return Walk(n.Left, visit) && Walk(n.Right, visit)
	case Like:
		return Walk(n.Operand, visit)
	case Match:
		return Walk(n.Operand, visit)
	case In:
		return Walk(n.Operand, visit) && walkEach(n.List, visit)
	case Exists:
		return Walk(n.Coll, visit) && Walk(n.Where, visit)
	case List:
		return walkEach(n.Members, visit)
	case Filter:
		return Walk(n.Coll, visit) && Walk(n.Where, visit)
	case Aggregate:
		return Walk(n.Coll, visit)
	case Call:
		return walkEach(n.Args, visit)
	}
	return true
}

// walkEach is Walk for each of the nodes, until visit returns false.
func walkEach[T any](nodes []T, visit func(node any) bool) bool {
	return !slices.ContainsFunc(nodes, func(n T) bool { return !Walk(n, visit) })
}

// Rebuild replaces each condition and expression at and below the condition by the
// result of the functions. It proceeds from the inner to the outer ones. Without a
// function, it leaves them as they are.
func Rebuild(cond Cond, onCond func(Cond) Cond, onExpr func(Expr) Expr) Cond {
	if onCond == nil {
		onCond = func(c Cond) Cond { return c }
	}
	if onExpr == nil {
		onExpr = func(x Expr) Expr { return x }
	}
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

// BoundIn returns the slots bound inside a condition or an expression.
func BoundIn(node any) map[int]bool {
	bound := make(map[int]bool)
	Walk(node, func(node any) bool {
		switch n := node.(type) {
		case Exists:
			bound[n.Slot] = true
		case Filter:
			bound[n.Slot] = true
		}
		return true
	})
	return bound
}

// Closed reports whether a condition or an expression binds all its variables itself.
func Closed(node any) bool {
	bound := BoundIn(node)
	return Walk(node, func(node any) bool {
		p, ok := node.(Path)
		return !ok || bound[p.Slot]
	})
}
