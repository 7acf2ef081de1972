package predicate

import (
	"slices"
	"strings"
)

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
		var err error
		if v, err = c.asCollection(v); err != nil {
			return value{}, err
		}
		if !v.collection() {
			return value{}, c.fail(s.offset, TypeMismatch, "%s takes a collection, not %s", s.aggregate, v)
		}
		// @sum, @avg, @min and @max aggregate the keys after them.
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
	coll, err := c.asCollection(*v)
	if err != nil {
		return err
	}
	if v.list && coll.expr.Type().Kind == Object { // the path follows the key from each member
		coll.expr = Filter{Coll: coll.expr, Slot: c.slot(), Where: And{}}
	}
	*v = coll
	t := v.expr.Type()
	if t.Kind != Object {
		hint := ""
		if meant, ok := meantBy(s.name, *v); ok {
			hint = "; did you mean " + meant + "?"
		}
		return c.fail(s.offset, UnknownKey, "a value of type %s has no keys%s", t.Member(), hint)
	}
	key, ok := Lookup(t.Entity, s.name)
	if !ok {
		hint := suggestion(s.name, keyNames(t.Entity))
		if meant, ok := meantBy(s.name, *v); ok {
			hint = "did you mean " + meant + "?"
		}
		return c.fail(s.offset, UnknownKey, "%s has no key %s; %s", t.Entity, quoted(s.name), hint)
	}
	joinable := true
	switch e := v.expr.(type) { // only these expressions are objects or contain some
	case Path:
		e.Steps = appended(e.Steps, key)
		v.expr, joinable = e, c.joinable(e.Slot, e.Steps)
	case Filter:
		e.Steps = appended(e.Steps, key)
		v.expr, joinable = e, c.joinable(e.Slot, e.Steps)
	}
	if !joinable {
		return c.fail(s.offset, TooExpensive, "more than %d different objects are referred to by one variable", MaxJoins)
	}
	v.codes = key == relationshipType
	v.spelled = spelledWith(v.spelled, key)
	return nil
}

// appended returns a new slice, because variables share their steps.
func appended(steps []*Key, key *Key) []*Key {
	return append(steps[:len(steps):len(steps)], key)
}

// pathName returns the keys of a path as one text, different for each path.
func pathName(steps []*Key) string {
	var name strings.Builder
	for _, key := range steps {
		name.WriteString("." + key.Name)
	}
	return name.String()
}

// joinable counts the object behind the last key but one. Behind a collection another
// scope begins, and joinable counts nothing. It returns false above MaxJoins.
func (c *checker) joinable(slot int, steps []*Key) bool {
	through := steps[:len(steps)-1]
	if len(through) == 0 || slices.ContainsFunc(through, isMany) {
		return true
	}
	if to := (join{slot, pathName(through)}); !c.joins[to] {
		c.joins[to] = true
		c.joined[slot]++
	}
	return c.joined[slot] <= MaxJoins
}

// aggregate makes one value of a collection. The offset is where the predicate names
// the aggregate.
func (c *checker) aggregate(v *value, f AggregateFunc, offset int) error {
	member := v.expr.Type().Member()
	ok := f == Count || member.Kind == Int || member.Kind == Float || member.Kind == Nil
	members := "numbers"
	if f == Min || f == Max {
		ok = ok || member.Kind == Date
		members = "numbers or dates"
	}
	if !ok {
		return c.fail(offset, TypeMismatch, "%s takes a collection of %s, not %s", f, members, v)
	}
	v.expr = known(Aggregate{Func: f, Coll: v.expr})
	v.codes, v.spelled = false, ""
	return nil
}

// spelledWith returns a path in the user's spelling, with one more key.
func spelledWith(spelled string, key *Key) string {
	if spelled == "" {
		return key.Name
	}
	return spelled + "." + key.Name
}

// meantBy returns the probable meaning of an unknown key: an aggregate of a
// collection, or a function.
func meantBy(name string, v value) (meant string, ok bool) {
	if v.collection() {
		f := AggregateFunc("@" + strings.ToLower(name))
		if equalFold(name, "size") || equalFold(name, "length") {
			f = Count
		}
		if aggregates[f] {
			return v.spelled + "." + string(f), true
		}
		return "", false
	}
	f, ok := functionsByName.find(name)
	switch atRoot := v.spelled == ""; {
	case !ok || !atRoot && v.kind() == Object:
		return "", false
	case len(f.params) == 0:
		return strings.ToUpper(f.spelling) + "()", true
	}
	return f.spelling + "(…)", true
}
