package predicate

import "fmt"

// path follows the keys and aggregates of a path.
func (c *checker) path(n *path) (value, error) {
	v := value{offset: n.start(), expr: Path{Start: c.root}}
	if n.of != nil {
		of, err := c.operand(n.of)
		if err != nil {
			return value{}, err
		}
		of.literal = nil
		v = of
	}
	for i := 0; i < len(n.steps); {
		s := n.steps[i]
		i++
		if s.aggregate == "" {
			if err := c.key(&v, s); err != nil {
				return value{}, err
			}
			continue
		}
		if !v.collection() {
			return value{}, c.fail(s.offset, TypeMismatch, "%s takes a collection, not %s", s.aggregate, v)
		}
		// The keys after @sum and its like are what is summed up.
		for s.aggregate != Count && i < len(n.steps) && n.steps[i].aggregate == "" {
			if err := c.key(&v, n.steps[i]); err != nil {
				return value{}, err
			}
			i++
		}
		if err := c.aggregate(&v, s.aggregate, s.offset); err != nil {
			return value{}, err
		}
	}
	return v, nil
}

// key follows one key.
func (c *checker) key(v *value, s step) error {
	if v.list {
		return c.fail(s.offset, UnknownKey, "a list has no keys")
	}
	t := v.expr.Type()
	if t.Kind != Object {
		return c.fail(s.offset, UnknownKey, "a value of type %s has no keys", t.Member())
	}
	key, ok := Lookup(t.Entity, s.name)
	if !ok {
		return c.fail(s.offset, UnknownKey, "%s has no key %s; %s", t.Entity, quoted(s.name), suggestion(s.name, keyNames(t.Entity)))
	}
	switch e := v.expr.(type) {
	case Path:
		e.Steps = appended(e.Steps, key)
		v.expr = e
		if !c.joinable(e.Slot, e.Steps) {
			return c.tooManyJoins(s)
		}
	case Filter:
		e.Steps = appended(e.Steps, key)
		v.expr = e
		if !c.joinable(e.Slot, e.Steps) {
			return c.tooManyJoins(s)
		}
	}
	v.codes = key == relationshipType
	return nil
}

// appended returns a new slice: the steps of a variable are shared.
func appended(steps []*Key, key *Key) []*Key {
	return append(steps[:len(steps):len(steps)], key)
}

// joinable counts the object that the last key but one leads to, unless it is
// behind a collection, where another scope begins. It is false when there are too
// many.
func (c *checker) joinable(slot int, steps []*Key) bool {
	through := steps[:len(steps)-1]
	if len(through) == 0 {
		return true
	}
	name := fmt.Sprint(slot)
	for _, key := range through {
		if key.Type.Many {
			return true
		}
		name += "." + key.Name
	}
	if !c.joins[name] {
		c.joins[name] = true
		c.joined[slot]++
	}
	return c.joined[slot] <= MaxJoins
}

func (c *checker) tooManyJoins(s step) error {
	return c.fail(s.offset, LimitExceeded, "more than %d different objects are referred to by one variable", MaxJoins)
}

// aggregate makes one value of a collection. The offset is where the aggregate is
// named.
func (c *checker) aggregate(v *value, f AggregateFunc, offset int) error {
	member := v.expr.Type().Member()
	ok := f == Count || member.Kind == Int || member.Kind == Float
	wanted := "numbers"
	if f == Min || f == Max {
		ok = ok || member.Kind == Date
		wanted = "numbers or dates"
	}
	if !ok {
		return c.fail(offset, TypeMismatch, "%s takes a collection of %s, not %s", f, wanted, v)
	}
	v.expr = Aggregate{Func: f, Coll: v.expr}
	v.codes = false
	return nil
}
