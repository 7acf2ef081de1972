package sqlsearch

import (
	"fmt"

	"github.com/problemtracking/problems/domain/predicate"
)

// aggregate returns one value of a collection: a number or a time.
func (c *compiler) aggregate(a predicate.Aggregate) (operand, error) {
	s, done := c.open()
	defer done()
	path, slot, where, steps, err := gathered(a.Coll)
	if err != nil {
		return operand{}, err
	}
	owner, of, err := c.collection(s, path, slot)
	if err != nil {
		return operand{}, err
	}
	condition := constant(true)
	if where != nil {
		if condition, err = c.cond(where); err != nil {
			return operand{}, err
		}
	}
	v, key, err := c.reach(s, c.variables[slot], steps)
	if err != nil {
		return operand{}, err
	}
	result := operand{kind: a.Type().Kind, nullable: true}
	what := "count(*)"
	if a.Func == predicate.Count {
		result.nullable = false
	} else {
		value, err := c.value(v, key)
		if err != nil {
			return operand{}, err
		}
		if len(value.args) > 0 {
			return operand{}, fmt.Errorf("no SQL for %s of %s", a.Func, value.kind)
		}
		switch a.Func {
		case predicate.Sum:
			what = fill(c.Sum, map[string]fragment{"{value}": value.fragment}).sql
		case predicate.Min:
			what = "min(" + value.sql + ")"
		case predicate.Max:
			what = "max(" + value.sql + ")"
		default:
			return operand{}, fmt.Errorf("no SQL for %s", a.Func)
		}
	}
	result.fragment = text("(SELECT "+what+" FROM "+s.from+" WHERE "+of+" = "+owner+" AND ", condition, ")")
	return result, nil
}

// unbound is the slot of members without a condition.
const unbound = -1

// gathered splits a collection: the path to its members and their slot, the condition on
// them, and the keys to follow from each.
func gathered(coll predicate.Expr) (path predicate.Path, slot int, where predicate.Cond, steps []*predicate.Key, err error) {
	switch coll := coll.(type) {
	case predicate.Path:
		last := 0
		for i, key := range coll.Steps {
			if key.Type.Many {
				last = i + 1
			}
		}
		path = predicate.Path{Slot: coll.Slot, Start: coll.Start, Steps: coll.Steps[:last]}
		return path, unbound, nil, coll.Steps[last:], nil
	case predicate.Filter:
		path, ok := coll.Coll.(predicate.Path)
		if ok {
			return path, coll.Slot, coll.Where, coll.Steps, nil
		}
	}
	return path, 0, nil, nil, fmt.Errorf("no SQL for what is made of %T", coll)
}
