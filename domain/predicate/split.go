package predicate

import "slices"

// Split divides the predicate into conditions that a database can decide by itself,
// and the residual, which has to be evaluated for each object that satisfies them;
// it is nil when nothing is left. Together they mean what the predicate means. A
// condition of the top-level AND is on one side as a whole (section 7).
//
// Compiled conditions are in the slots of the Plan and have this form only:
//
//   - And, Or, Not.
//   - Any condition that Reference finds the reference of, whatever is in it.
//   - Compare and In of operands, Like of a Path to a column.
//   - Exists in a collection, with a compiled condition.
//
// A column is a Path that ends before the catalogue: at a scalar of the problem or of
// what belongs to one, at a problem, or at a reference to metadata (Equal alone). Its
// steps are to-one: there is none but child and parent to follow. With Case or Both,
// each Path is to a Folded key.
//
// An operand is a column, a Const, or an Aggregate, other than Average, of a
// collection or of a column behind one.
//
// Databases cannot be stopped within one row. What they search long texts for is
// therefore bounded, in all of the predicate: see mostSearching. A condition beyond that
// is residual, and as much of it as the bound allows is compiled besides.
//
// A collection is a Path whose last key is to-many, as others before it may be, or,
// in an Aggregate, a Filter of such a Path by a compiled condition, with Steps as of a
// column or, to-many at the end, of a collection.
func (p *Plan) Split() (compiled []Cond, residual *Plan) {
	var rest []Cond
	left := mostSearching
	for _, c := range conjuncts(p.Where) {
		simple := simplify(c)
		switch {
		case isTrue(simple):
			continue
		case !compilable(simple):
			rest = append(rest, c)
			continue
		}
		work := searching(simple)
		if work > left {
			rest = append(rest, c)
			simple = simplify(weakened(simple))
			if work = searching(simple); work > left || isTrue(simple) {
				continue
			}
		}
		left -= work
		compiled = append(compiled, simple)
	}
	switch len(rest) {
	case 0:
		return compiled, nil
	case 1:
		return compiled, &Plan{Root: p.Root, Where: rest[0], Slots: p.Slots}
	}
	return compiled, &Plan{Root: p.Root, Where: And{rest}, Slots: p.Slots}
}

// conjuncts returns what has to hold for a condition to hold, all of it.
func conjuncts(cond Cond) []Cond {
	and, ok := cond.(And)
	if !ok {
		return []Cond{cond}
	}
	var conds []Cond
	for _, c := range and.Conds {
		conds = append(conds, conjuncts(c)...)
	}
	return conds
}

func isTrue(cond Cond) bool {
	and, ok := cond.(And)
	return ok && len(and.Conds) == 0
}

// compilable reports whether a simplified condition has the form that Split promises.
func compilable(cond Cond) bool {
	if _, _, ok := Reference(cond); ok {
		return true
	}
	switch c := cond.(type) {
	case And:
		return all(c.Conds, compilable)
	case Or:
		return all(c.Conds, compilable)
	case Not:
		return compilable(c.Cond)
	case Compare:
		return isOperand(c.Left, c.Folding) && isOperand(c.Right, c.Folding)
	case Like:
		p, ok := c.Operand.(Path)
		return ok && isColumn(p, c.Folding)
	case In:
		return isOperand(c.Operand, c.Folding) && all(c.List, func(x Expr) bool { return isOperand(x, c.Folding) })
	case Exists:
		p, ok := c.Coll.(Path)
		return ok && isStored(p.Start, p.Steps) && compilable(c.Where)
	}
	return false // a Match
}

func all[T any](list []T, has func(T) bool) bool {
	return !slices.ContainsFunc(list, func(x T) bool { return !has(x) })
}

func isOperand(expr Expr, f Folding) bool {
	switch x := expr.(type) {
	case Const:
		return true
	case Path:
		return isColumn(x, f)
	case Aggregate:
		return isAggregate(x)
	}
	return false
}

// isColumn reports whether a path leads to something that a row has and that can be
// compared with this folding: a scalar, a problem, or a reference to metadata.
func isColumn(p Path, f Folding) bool {
	switch t := p.Type(); {
	case t.Many || !isStored(p.Start, p.Steps):
		return false
	case t.Kind == Object:
		return t.Entity == Problem || t.Entity.IsMetadata()
	}
	switch f {
	case Exact:
		return true
	case Marks:
		return false
	}
	return len(p.Steps) > 0 && p.Steps[len(p.Steps)-1].Folded
}

// isStored reports whether the keys are followed among problems and what belongs to
// them, and not within the catalogue.
func isStored(start Type, steps []*Key) bool {
	from := start.Entity
	for _, key := range steps {
		if from.IsMetadata() {
			return false
		}
		from = key.Type.Entity
	}
	return true
}

// isAggregate leaves the Average out: databases differ in how they round it.
func isAggregate(a Aggregate) bool {
	if a.Func == Average || a.Coll.Type().Kind == Float {
		return false
	}
	switch coll := a.Coll.(type) {
	case Path:
		return isStored(coll.Start, coll.Steps)
	case Filter:
		from, ok := coll.Coll.(Path)
		return ok && isStored(from.Start, slices.Concat(from.Steps, coll.Steps)) && compilable(coll.Where)
	}
	return false
}

// Keys returns the keys that the predicate asks the root for, each once: so that what
// they lead to can be loaded for many objects together.
func (p *Plan) Keys() []*Key {
	var keys []*Key
	walk(p.Where, func(node any) bool {
		if path, ok := node.(Path); ok && path.Slot == 0 && len(path.Steps) > 0 && !slices.Contains(keys, path.Steps[0]) {
			keys = append(keys, path.Steps[0])
		}
		return true
	})
	return keys
}
