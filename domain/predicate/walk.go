package predicate

import "slices"

// walk calls visit for each node at and below a condition or an expression, from the
// outer to the inner ones and in the order they are written in, until visit returns
// false. It reports whether visit never did.
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

// readsPaths reports whether a condition or an expression depends on any variable.
func readsPaths(node any) bool {
	return !walk(node, func(n any) bool {
		_, ok := n.(Path)
		return !ok
	})
}

// substitute returns the condition with a variable replaced by what a path leads to.
func substitute(cond Cond, slot int, by Path) Cond {
	if by.Slot == slot && len(by.Steps) == 0 {
		return cond
	}
	s := substitution{slot, by}
	return s.cond(cond)
}

type substitution struct {
	slot int
	by   Path
}

func (s substitution) cond(cond Cond) Cond {
	switch c := cond.(type) {
	case And:
		return And{s.conds(c.Conds)}
	case Or:
		return Or{s.conds(c.Conds)}
	case Not:
		return Not{s.cond(c.Cond)}
	case Compare:
		c.Left, c.Right = s.expr(c.Left), s.expr(c.Right)
		return c
	case Like:
		c.Operand = s.expr(c.Operand)
		return c
	case Match:
		c.Operand = s.expr(c.Operand)
		return c
	case In:
		c.Operand, c.List = s.expr(c.Operand), s.exprs(c.List)
		return c
	case Exists:
		c.Coll, c.Where = s.expr(c.Coll), s.cond(c.Where)
		return c
	}
	return cond
}

func (s substitution) conds(conds []Cond) []Cond {
	replaced := make([]Cond, len(conds))
	for i, c := range conds {
		replaced[i] = s.cond(c)
	}
	return replaced
}

func (s substitution) expr(expr Expr) Expr {
	switch x := expr.(type) {
	case Path:
		if x.Slot == s.slot {
			return Path{s.by.Slot, s.by.Start, slices.Concat(s.by.Steps, x.Steps)}
		}
	case Filter:
		x.Coll, x.Where = s.expr(x.Coll), s.cond(x.Where)
		return x
	case Aggregate:
		x.Coll = s.expr(x.Coll)
		return x
	case Call:
		x.Args = s.exprs(x.Args)
		return x
	}
	return expr
}

func (s substitution) exprs(exprs []Expr) []Expr {
	replaced := make([]Expr, len(exprs))
	for i, x := range exprs {
		replaced[i] = s.expr(x)
	}
	return replaced
}
