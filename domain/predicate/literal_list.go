package predicate

import (
	"context"
	"slices"
)

// asCollection returns a list as the collection of its members. Literals convert to
// the type of the other members. Any other value stays as it is. asCollection fails
// when the members are of several types.
func (c *checker) asCollection(v value) (value, error) {
	if !v.list {
		return v, nil
	}
	return c.collectionOf(v, slices.Clone(v.members))
}

// listed is asCollection for a list on one side of a comparison. Its literals convert
// to the type of the other side, too.
func (c *checker) listed(v, with value) (value, error) {
	var others []value
	switch {
	case with.list:
		others = with.members
	case with.collection():
		_, member := c.member(with)
		others = []value{member}
	default:
		others = []value{with}
	}
	as, typed := model(slices.Concat(others, v.members))
	members := slices.Clone(v.members)
	for i, m := range members {
		if !typed || !m.scalar() {
			continue
		}
		converted, ok, err := c.convert(m, as)
		if err != nil {
			return v, err
		}
		if ok {
			members[i] = converted
		}
	}
	return c.collectionOf(v, members)
}

// collectionOf returns a list as a collection of these members.
func (c *checker) collectionOf(v value, members []value) (value, error) {
	wrong, err := c.unify(members)
	if err != nil {
		return v, err
	}
	as, typed := model(members)
	if !typed {
		as = value{expr: Const{Of: nilType}}
	}
	switch {
	case wrong >= 0 && !members[wrong].scalar():
		return v, c.noMember(members[wrong])
	case wrong >= 0:
		return v, c.fail(members[wrong].offset, TypeMismatch, "the members of a list are of one type, not %s and %s", as, members[wrong])
	}
	l := List{Members: exprs(members), Of: as.expr.Type()}
	if slices.ContainsFunc(members, func(m value) bool { return m.kind() == Float }) {
		l.Of = floatType
	}
	l.Of.Many = true
	return value{offset: v.offset, expr: l, codes: as.codes}, nil
}

// noMember returns the error of a list or a collection as a member of a list.
func (c *checker) noMember(v value) error {
	return c.fail(v.offset, TypeMismatch, "a list has single values as members, not %s", v)
}

// known returns the value of an aggregate of constants, or else the aggregate itself.
func known(a Aggregate) Expr {
	if l, ok := a.Coll.(List); ok && a.Func == Count {
		return Const{Value: int64(len(l.Members)), Of: intType}
	}
	if !closed(a) {
		return a
	}
	limit := listWork
	if _, ok := a.Coll.(List); ok {
		limit = decidingWork
	}
	e := evaluation{ctx: context.Background(), effort: effort{limit: limit}}
	v, err := e.value(a)
	if err != nil {
		return a
	}
	of := a.Type()
	switch v.(type) {
	case int64:
		of = intType
	case float64:
		of = floatType
	}
	return Const{Value: v, Of: of}
}

// closed reports whether a condition or an expression binds all its variables itself.
func closed(node any) bool {
	bound := boundIn(node)
	return walk(node, func(node any) bool {
		p, ok := node.(Path)
		return !ok || bound[p.Slot]
	})
}

// maxSpread bounds the conditions and expressions in the place of an Exists in a
// List.
const maxSpread = 100

// spread replaces an Exists in a List by an Or of its condition for each member, for a
// database to decide. It keeps the Exists if the Or would be long, or if the condition
// follows keys from a member not reached by a path. An equality with the member
// becomes an In.
func spread(cond Cond) Cond {
	c, ok := cond.(Exists)
	if !ok {
		return cond
	}
	l, ok := c.Coll.(List)
	if !ok {
		return cond
	}
	if compare, ok := c.Where.(Compare); ok && compare.Op == Equal {
		for _, pair := range [][2]Expr{{compare.Left, compare.Right}, {compare.Right, compare.Left}} {
			if isVariable(pair[0], c.Slot) && !refersTo(pair[1], c.Slot) {
				return simplify(refolded(In{Operand: pair[1], Folding: compare.Folding, List: l.Members}))
			}
		}
	}
	size, followed := 0, false
	walk(c.Where, func(node any) bool {
		size++
		p, ok := node.(Path)
		followed = followed || ok && p.Slot == c.Slot && len(p.Steps) > 0
		return true
	})
	if size*len(l.Members) > maxSpread {
		return cond
	}
	var either []Cond
	for _, m := range l.Members {
		if path, ok := m.(Path); ok {
			either = append(either, substitute(c.Where, c.Slot, path))
			continue
		}
		if followed {
			return cond
		}
		either = append(either, rebuild(c.Where, refolded, func(expr Expr) Expr {
			if x, ok := expr.(Path); ok && x.Slot == c.Slot {
				return m
			}
			return expr
		}))
	}
	return simplify(Or{either})
}

// isVariable reports whether an expression is just the variable of a slot.
func isVariable(expr Expr, slot int) bool {
	p, ok := expr.(Path)
	return ok && p.Slot == slot && len(p.Steps) == 0
}

// refersTo reports whether a condition or an expression contains the variable of a
// slot.
func refersTo(node any, slot int) bool {
	return !walk(node, func(node any) bool {
		p, ok := node.(Path)
		return !ok || p.Slot != slot
	})
}

// refolded returns a condition with its constants folded, as comparisons expect them.
func refolded(cond Cond) Cond {
	fold := func(expr Expr, f Folding) Expr {
		if x, ok := expr.(Const); ok {
			if s, ok := x.Value.(string); ok {
				x.Value = Fold(s, f)
				return x
			}
		}
		return expr
	}
	switch c := cond.(type) {
	case Compare:
		c.Left, c.Right = fold(c.Left, c.Folding), fold(c.Right, c.Folding)
		return c
	case Like:
		c.Operand = fold(c.Operand, c.Folding)
		return c
	case In:
		c.Operand = fold(c.Operand, c.Folding)
		c.List = each(c.List, func(m Expr) Expr { return fold(m, c.Folding) })
		return c
	}
	return cond
}
