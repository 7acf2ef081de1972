package pushdown

import (
	"slices"
	"time"

	"github.com/problemtracking/problems/domain/date"
	"github.com/problemtracking/problems/domain/predicate"
)

// hasZones reports whether a condition is about the ends of days in a zone.
func hasZones(cond predicate.Cond) bool {
	return !predicate.Walk(cond, func(node any) bool {
		path, ok := node.(predicate.Path)
		filter, also := node.(predicate.Filter)
		return !(ok && endsInZone(path.Steps) || also && endsInZone(filter.Steps))
	})
}

func endsInZone(steps []*predicate.Key) bool {
	return len(steps) > 0 && steps[len(steps)-1].Zone != nil
}

// withoutZones returns a condition with the same meaning that compares days in place of their
// ends in a zone, where the other side is a constant. A database knows no zones.
func withoutZones(cond predicate.Cond) predicate.Cond {
	return predicate.Rebuild(cond, func(cond predicate.Cond) predicate.Cond {
		switch c := cond.(type) {
		case predicate.Compare:
			return comparedDays(c)
		case predicate.In:
			return amongDays(c)
		}
		return cond
	}, nil)
}

// dayOf returns an expression for the end of the same day in UTC. It is not ok for one that
// is not about a day in a zone.
func dayOf(expr predicate.Expr) (day predicate.Expr, zone *time.Location, ok bool) {
	switch x := expr.(type) {
	case predicate.Path:
		if endsInZone(x.Steps) {
			zone, x.Steps = cutZone(x.Steps)
			return x, zone, true
		}
	case predicate.Filter:
		if endsInZone(x.Steps) {
			zone, x.Steps = cutZone(x.Steps)
			return x, zone, true
		}
	case predicate.Aggregate: // days are in the order of their ends
		if day, zone, ok = dayOf(x.Coll); ok && (x.Func == predicate.Min || x.Func == predicate.Max) {
			x.Coll = day
			return x, zone, true
		}
	}
	return nil, nil, false
}

func cutZone(steps []*predicate.Key) (*time.Location, []*predicate.Key) {
	last := len(steps) - 1
	return steps[last].Zone, slices.Clip(steps[:last])
}

// turned are the operators for swapped operands.
var turned = map[predicate.Op]predicate.Op{
	predicate.Equal: predicate.Equal, predicate.Less: predicate.Greater, predicate.LessOrEqual: predicate.GreaterOrEqual,
	predicate.Greater: predicate.Less, predicate.GreaterOrEqual: predicate.LessOrEqual,
}

func comparedDays(c predicate.Compare) predicate.Cond {
	op, left, right := c.Op, c.Left, c.Right
	if predicate.IsConst(left) {
		op, left, right = turned[op], right, left
	}
	day, zone, isDay := dayOf(left)
	limit, isConst := right.(predicate.Const)
	if !isDay || !isConst {
		return c
	}
	return comparedDay(op, day, limit, zone)
}

// comparedDay compares a day with those that end around a time.
func comparedDay(op predicate.Op, day predicate.Expr, limit predicate.Const, zone *time.Location) predicate.Cond {
	compare := func(op predicate.Op, d date.Date) predicate.Cond {
		return predicate.Compare{Op: op, Left: day, Right: predicate.Const{Value: d.End(time.UTC), Of: limit.Of}}
	}
	at, ok := limit.Value.(time.Time)
	if !ok { // nil
		return predicate.Compare{Op: op, Left: day, Right: limit}
	}
	last, first := date.Around(at, zone)
	switch op {
	case predicate.Less:
		return compare(op, first)
	case predicate.LessOrEqual:
		return compare(op, last)
	case predicate.Greater:
		return compare(op, last)
	case predicate.GreaterOrEqual:
		return compare(op, first)
	}
	if first > last { // no day ends at this time
		return predicate.Always(false)
	}
	return predicate.And{Conds: []predicate.Cond{compare(predicate.GreaterOrEqual, first), compare(predicate.LessOrEqual, last)}}
}

func amongDays(c predicate.In) predicate.Cond {
	day, zone, ok := dayOf(c.Operand)
	if !ok || !all(c.List, predicate.IsConst) {
		return c
	}
	var either []predicate.Cond
	for _, member := range c.List {
		either = append(either, comparedDay(predicate.Equal, day, member.(predicate.Const), zone))
	}
	return predicate.Or{Conds: either}
}
