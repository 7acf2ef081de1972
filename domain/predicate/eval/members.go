package eval

import (
	"fmt"
	"slices"

	"github.com/problemtracking/problems/domain/predicate"
)

// each visits the members of a collection one by one, until visit fails. It never
// holds all of them: a path through several to-many keys can reach very many.
func (e *evaluation) each(coll predicate.Expr, visit func(predicate.Value) error) error {
	switch c := coll.(type) {
	case predicate.Path:
		if err := e.bound(c.Slot); err != nil {
			return err
		}
		return e.eachOf(e.vars[c.Slot], c.Steps, visit)
	case predicate.List:
		for _, m := range c.Members {
			if err := e.spend(1); err != nil {
				return err
			}
			v, err := e.value(m)
			if err != nil {
				return err
			}
			if err := visit(v); err != nil {
				return err
			}
		}
		return nil
	case predicate.Filter:
		return e.each(c.Coll, func(m predicate.Value) error {
			e.bind(c.Slot, m)
			ok, err := e.holds(c.Where)
			if !ok || err != nil {
				return err
			}
			return e.eachOf(m, c.Steps, visit)
		})
	}
	v, err := e.value(coll)
	if err != nil {
		return err
	}
	members, ok := v.([]predicate.Value)
	if !ok {
		return fmt.Errorf("predicate: the members of %T", v)
	}
	return e.eachIn(members, nil, visit)
}

// eachOf follows the keys from a value and visits the result. Behind a to-many key it
// visits the results from each member (section 3). From nil, it visits nil or nothing.
func (e *evaluation) eachOf(v predicate.Value, steps []*predicate.Key, visit func(predicate.Value) error) error {
	for i, key := range steps {
		if v == nil {
			if slices.ContainsFunc(steps[i:], (*predicate.Key).IsMany) {
				return nil
			}
			break
		}
		next, err := e.get(v, key)
		if err != nil {
			return err
		}
		if key.Type.Many {
			members, ok := next.([]predicate.Value)
			if !ok && next != nil {
				return fmt.Errorf("predicate: %s is %T", key.Name, next)
			}
			if err := e.spend(membersWork(key, len(members))); err != nil {
				return err
			}
			return e.eachIn(members, steps[i+1:], visit)
		}
		v = next
	}
	return visit(v)
}

func (e *evaluation) eachIn(members []predicate.Value, steps []*predicate.Key, visit func(predicate.Value) error) error {
	for _, m := range members {
		if err := e.spend(1); err != nil {
			return err
		}
		if err := e.eachOf(m, steps, visit); err != nil {
			return err
		}
	}
	return nil
}

// members returns the value of a collection.
func (e *evaluation) members(coll predicate.Expr) (predicate.Value, error) {
	members := []predicate.Value{}
	err := e.each(coll, func(m predicate.Value) error {
		members = append(members, m)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return members, nil
}

// bound fails for a variable without a value. A checked predicate has no such
// variable.
func (e *evaluation) bound(slot int) error {
	if slot >= len(e.vars) {
		return fmt.Errorf("predicate: nothing is bound to variable %d", slot)
	}
	return nil
}

// bind gives a variable its value.
func (e *evaluation) bind(slot int, v predicate.Value) {
	for slot >= len(e.vars) {
		e.vars = append(e.vars, nil)
	}
	e.vars[slot] = v
}
