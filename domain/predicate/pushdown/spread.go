package pushdown

import "github.com/problemtracking/problems/domain/predicate"

// maxSpread bounds the conditions and expressions in the place of an Exists in a
// List.
const maxSpread = 100

// spread replaces an Exists in a List by an Or of its condition for each member, for a
// database to decide. It keeps the Exists if the Or would be long, or if the condition
// follows keys from a member not reached by a path. An equality with the member
// becomes an In.
func spread(cond predicate.Cond) predicate.Cond {
	c, ok := cond.(predicate.Exists)
	if !ok {
		return cond
	}
	l, ok := c.Coll.(predicate.List)
	if !ok {
		return cond
	}
	if compare, ok := c.Where.(predicate.Compare); ok && compare.Op == predicate.Equal {
		for _, pair := range [][2]predicate.Expr{{compare.Left, compare.Right}, {compare.Right, compare.Left}} {
			if isVariable(pair[0], c.Slot) && !refersTo(pair[1], c.Slot) {
				return simplify(refolded(predicate.In{Operand: pair[1], Folding: compare.Folding, List: l.Members}))
			}
		}
	}
	size, followed := 0, false
	predicate.Walk(c.Where, func(node any) bool {
		size++
		p, ok := node.(predicate.Path)
		followed = followed || ok && p.Slot == c.Slot && len(p.Steps) > 0
		return true
	})
	if size*len(l.Members) > maxSpread {
		return cond
	}
	var either []predicate.Cond
	for _, m := range l.Members {
		if path, ok := m.(predicate.Path); ok {
			either = append(either, substitute(c.Where, c.Slot, path))
			continue
		}
		if followed {
			return cond
		}
		either = append(either, predicate.Rebuild(c.Where, refolded, func(expr predicate.Expr) predicate.Expr {
			if x, ok := expr.(predicate.Path); ok && x.Slot == c.Slot {
				return m
			}
			return expr
		}))
	}
	return simplify(predicate.Or{Conds: either})
}

// isVariable reports whether an expression is just the variable of a slot.
func isVariable(expr predicate.Expr, slot int) bool {
	p, ok := expr.(predicate.Path)
	return ok && p.Slot == slot && len(p.Steps) == 0
}

// refersTo reports whether a condition or an expression contains the variable of a
// slot.
func refersTo(node any, slot int) bool {
	return !predicate.Walk(node, func(node any) bool {
		p, ok := node.(predicate.Path)
		return !ok || p.Slot != slot
	})
}

// refolded returns a condition with its constants folded, as comparisons expect them.
func refolded(cond predicate.Cond) predicate.Cond {
	fold := func(expr predicate.Expr, f predicate.Folding) predicate.Expr {
		if x, ok := expr.(predicate.Const); ok {
			if s, ok := x.Value.(string); ok {
				x.Value = predicate.Fold(s, f)
				return x
			}
		}
		return expr
	}
	switch c := cond.(type) {
	case predicate.Compare:
		c.Left, c.Right = fold(c.Left, c.Folding), fold(c.Right, c.Folding)
		return c
	case predicate.Like:
		c.Operand = fold(c.Operand, c.Folding)
		return c
	case predicate.In:
		c.Operand = fold(c.Operand, c.Folding)
		c.List = mapped(c.List, func(m predicate.Expr) predicate.Expr { return fold(m, c.Folding) })
		return c
	}
	return cond
}

// mapped returns the results of a function for the nodes.
func mapped[T any](nodes []T, of func(T) T) []T {
	results := make([]T, len(nodes))
	for i, n := range nodes {
		results[i] = of(n)
	}
	return results
}
