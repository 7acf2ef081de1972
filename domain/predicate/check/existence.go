package check

import "github.com/problemtracking/problems/domain/predicate"

// existences replaces comparisons of a SUBQUERY's count by an Exists where the
// question is only about one member. An Exists ends at the first member.
func existences(cond predicate.Cond) predicate.Cond {
	return predicate.Rebuild(cond, func(cond predicate.Cond) predicate.Cond {
		switch c := cond.(type) {
		case predicate.Compare:
			return existence(c)
		case predicate.Not:
			if not, ok := c.Cond.(predicate.Not); ok {
				if exists, ok := not.Cond.(predicate.Exists); ok {
					return exists
				}
			}
		}
		return cond
	}, nil)
}

// existence returns an Exists for a comparison of a filtered collection's count with 0
// or 1, if the comparison only asks for one member.
func existence(c predicate.Compare) predicate.Cond {
	op, count, limit := c.Op, c.Left, c.Right
	if predicate.IsConst(count) {
		count, limit = limit, count
		if mirrored, ok := mirrors[op]; ok {
			op = mirrored
		}
	}
	counted, ok := count.(predicate.Aggregate)
	if !ok || counted.Func != predicate.Count || !predicate.IsConst(limit) {
		return c
	}
	members, ok := counted.Coll.(predicate.Filter)
	if !ok || len(members.Steps) > 0 {
		return c
	}
	exists := predicate.Exists{Coll: members.Coll, Slot: members.Slot, Where: members.Where}
	zero, one := limit.(predicate.Const).Value == int64(0), limit.(predicate.Const).Value == int64(1)
	switch {
	case zero && op == predicate.Greater, one && op == predicate.GreaterOrEqual:
		return exists
	case zero && (op == predicate.LessOrEqual || op == predicate.Equal), one && op == predicate.Less:
		return predicate.Not{Cond: exists}
	}
	return c
}

// mirrors maps each order to the one with the same meaning for swapped operands.
var mirrors = map[predicate.Op]predicate.Op{predicate.Less: predicate.Greater, predicate.LessOrEqual: predicate.GreaterOrEqual, predicate.Greater: predicate.Less, predicate.GreaterOrEqual: predicate.LessOrEqual}
