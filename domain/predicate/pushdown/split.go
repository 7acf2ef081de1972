package pushdown

import (
	"slices"

	"github.com/problemtracking/problems/domain/predicate"
)

// Split divides the predicate into conditions for the database and a residual. The
// residual needs evaluation for each object in the database's result; it is nil if
// nothing is left. Together, the parts mean the same as the predicate. Each condition
// of the top-level AND is on one side as a whole (section 7).
//
// Compiled conditions are in the slots of the Plan and have this form only:
//
//   - And, Or, Not.
//   - Any condition on one reference, as found by Reference, with any content.
//   - Compare and In of operands, Like of a Path to a column.
//   - Exists in a collection, with a compiled condition.
//
// A column is a Path to a value outside of the catalogue: a scalar of the problem or of
// its parts, a problem, or a reference to metadata (Equal alone). Its steps are to-one,
// and so only child and parent. With Case or Both, each Path is to a Folded key.
//
// An operand is a column, a Const, or an Aggregate, other than Average, of a
// collection or of a column behind one.
//
// A database cannot stop within one row. Split therefore bounds its searches in long
// texts for the whole predicate: see maxSearching. A condition beyond the bound is
// residual. Split also compiles as much of it as the bound allows.
//
// A collection is a Path with a to-many key at its end; others may be to-many too. In
// an Aggregate it can also be a Filter of such a Path by a compiled condition. The
// Steps of the Filter are like those of a column or, to-many at the end, of a
// collection.
func Split(p *predicate.Plan) (compiled []predicate.Cond, residual *predicate.Plan) {
	return split(p, compilable)
}

// SplitUnfolded is Split for a store without folded forms of this version. Conditions with
// Case or Both are residual.
func SplitUnfolded(p *predicate.Plan) (compiled []predicate.Cond, residual *predicate.Plan) {
	return split(p, func(cond predicate.Cond) bool { return compilable(cond) && !folds(cond) })
}

func split(p *predicate.Plan, compilable func(predicate.Cond) bool) (compiled []predicate.Cond, residual *predicate.Plan) {
	var rest []predicate.Cond
	left := maxSearching
	for _, c := range conjuncts(p.Where) {
		simple := simplify(c)
		if hasZones(simple) {
			simple = simplify(withoutZones(simple))
		}
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
		return compiled, &predicate.Plan{Root: p.Root, Where: rest[0], Slots: p.Slots}
	}
	return compiled, &predicate.Plan{Root: p.Root, Where: predicate.And{Conds: rest}, Slots: p.Slots}
}

// folds reports whether a part of the condition compares with Case or Both.
func folds(cond predicate.Cond) bool {
	folded := func(f predicate.Folding) bool { return f == predicate.Case || f == predicate.Both }
	return !predicate.Walk(cond, func(node any) bool {
		switch c := node.(type) {
		case predicate.Compare:
			return !folded(c.Folding)
		case predicate.Like:
			return !folded(c.Folding)
		case predicate.In:
			return !folded(c.Folding)
		}
		return true
	})
}

// conjuncts returns the conditions of a conjunction, nested ones included.
func conjuncts(cond predicate.Cond) []predicate.Cond {
	and, ok := cond.(predicate.And)
	if !ok {
		return []predicate.Cond{cond}
	}
	var conds []predicate.Cond
	for _, c := range and.Conds {
		conds = append(conds, conjuncts(c)...)
	}
	return conds
}

func isTrue(cond predicate.Cond) bool {
	and, ok := cond.(predicate.And)
	return ok && len(and.Conds) == 0
}

// compilable reports whether a simplified condition has the form promised by Split.
func compilable(cond predicate.Cond) bool {
	if _, _, ok := Reference(cond); ok {
		return true
	}
	switch c := cond.(type) {
	case predicate.And:
		return all(c.Conds, compilable)
	case predicate.Or:
		return all(c.Conds, compilable)
	case predicate.Not:
		return compilable(c.Cond)
	case predicate.Compare:
		return isOperand(c.Left, c.Folding) && isOperand(c.Right, c.Folding)
	case predicate.Like:
		p, ok := c.Operand.(predicate.Path)
		return ok && isColumn(p, c.Folding)
	case predicate.In:
		return isOperand(c.Operand, c.Folding) && all(c.List, func(x predicate.Expr) bool { return isOperand(x, c.Folding) })
	case predicate.Exists:
		p, ok := c.Coll.(predicate.Path)
		return ok && isStored(p.Start, p.Steps) && compilable(c.Where)
	}
	return false // a Match
}

func all[T any](list []T, has func(T) bool) bool {
	return !slices.ContainsFunc(list, func(x T) bool { return !has(x) })
}

func isOperand(expr predicate.Expr, f predicate.Folding) bool {
	switch x := expr.(type) {
	case predicate.Const:
		return true
	case predicate.Path:
		return isColumn(x, f)
	case predicate.Aggregate:
		return isAggregate(x)
	}
	return false
}

// isColumn reports whether a path leads to a column with this folding: a scalar, a
// problem, or a reference to metadata.
func isColumn(p predicate.Path, f predicate.Folding) bool {
	switch t := p.Type(); {
	case t.Many || !isStored(p.Start, p.Steps):
		return false
	case t.Kind == predicate.Object:
		return t.Entity == predicate.Problem || t.Entity.IsMetadata()
	}
	switch f {
	case predicate.Exact:
		return true
	case predicate.Marks:
		return false
	}
	return len(p.Steps) > 0 && p.Steps[len(p.Steps)-1].Folded
}

// isStored reports whether the keys stay among problems and their parts, outside of
// the catalogue.
func isStored(start predicate.Type, steps []*predicate.Key) bool {
	from := start.Entity
	for _, key := range steps {
		if from.IsMetadata() || key.Zone != nil {
			return false
		}
		from = key.Type.Entity
	}
	return true
}

// isAggregate leaves the Average out, because databases differ in its rounding.
func isAggregate(a predicate.Aggregate) bool {
	if a.Func == predicate.Average || a.Coll.Type().Kind == predicate.Float {
		return false
	}
	switch coll := a.Coll.(type) {
	case predicate.Path:
		return isStored(coll.Start, coll.Steps)
	case predicate.Filter:
		from, ok := coll.Coll.(predicate.Path)
		return ok && isStored(from.Start, slices.Concat(from.Steps, coll.Steps)) && compilable(coll.Where)
	}
	return false
}
