package check

import (
	"slices"
	"strings"

	"github.com/problemtracking/problems/domain/predicate"
	"github.com/problemtracking/problems/domain/predicate/eval"
	"github.com/problemtracking/problems/domain/predicate/internal/syntax"
	"github.com/problemtracking/problems/domain/problem"
)

// path follows the keys and aggregates of a path.
func (c *checker) path(n *syntax.Path) (value, error) {
	v := value{offset: n.Start(), expr: predicate.Path{Start: c.root}}
	if n.Of != nil {
		of, err := c.operand(n.Of)
		if err != nil {
			return value{}, err
		}
		of.literal = nil
		v = of
	}
	for i := 0; i < len(n.Steps); {
		s, words := joined(v, n.Steps[i:])
		i += words
		if s.Aggregate == "" {
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
			return value{}, c.fail(s.Offset, predicate.TypeMismatch, "%s takes a collection, not %s", s.Aggregate, v)
		}
		// @sum, @avg, @min and @max aggregate the keys after them.
		for s.Aggregate != predicate.Count && i < len(n.Steps) && n.Steps[i].Aggregate == "" {
			s, words := joined(v, n.Steps[i:])
			if err := c.key(&v, s); err != nil {
				return value{}, err
			}
			i += words
		}
		if err := c.aggregate(&v, s.Aggregate, s.Offset); err != nil {
			return value{}, err
		}
	}
	return v, nil
}

// joined returns the next step of a path, and its number of words: a key can have two, as in
// claim.holder.
func joined(v value, steps []syntax.Step) (s syntax.Step, words int) {
	s = steps[0]
	values := []value{v}
	if v.list {
		values = v.members
	}
	for _, v := range values {
		if v.list || len(steps) == 1 {
			break
		}
		if key, ok := predicate.Lookup(v.expr.Type().Entity, s.Name+"."+steps[1].Name); ok {
			s.Name = key.Name
			return s, 2
		}
	}
	return s, 1
}

// key follows one key.
func (c *checker) key(v *value, s syntax.Step) error {
	coll, err := c.asCollection(*v)
	if err != nil {
		return err
	}
	if v.list && coll.expr.Type().Kind == predicate.Object { // the path follows the key from each member
		coll.expr = predicate.Filter{Coll: coll.expr, Slot: c.slot(), Where: predicate.And{}}
	}
	*v = coll
	t := v.expr.Type()
	if t.Kind != predicate.Object {
		hint := ""
		if meant, ok := meantBy(s.Name, *v); ok {
			hint = "; " + didYouMean(meant)
		}
		return c.fail(s.Offset, predicate.UnknownKey, "a value of type %s has no keys%s", t.Member(), hint)
	}
	key, ok := predicate.Lookup(t.Entity, s.Name)
	if !ok {
		hint, meant := suggestion(s.Name, keyNames(t.Entity))
		if call, ok := meantBy(s.Name, *v); ok {
			hint, meant = didYouMean(call), ""
		}
		if _, ok := abbreviations[strings.ToLower(s.Name)]; ok && t.Entity == predicate.Problem {
			hint = "write " + s.Name + " = YES or " + s.Name + " = NO, and for the members of a collection within a SUBQUERY"
		}
		if behindDashes(c.text, s.Offset) {
			hint, meant = syntax.NoComments, ""
		}
		return c.failMeaning(meant, s.Offset, predicate.UnknownKey, "%s has no key %s; %s", t.Entity, syntax.Quoted(s.Name), hint)
	}
	joinable := true
	switch e := v.expr.(type) { // only these expressions are objects or contain some
	case predicate.Path:
		e.Steps = appended(e.Steps, key)
		joinable = c.joinable(e.Slot, e.Steps)
		e.Steps = c.ending(e.Steps)
		v.expr = e
	case predicate.Filter:
		e.Steps = appended(e.Steps, key)
		joinable = c.joinable(e.Slot, e.Steps)
		e.Steps = c.ending(e.Steps)
		v.expr = e
	}
	if !joinable {
		return c.fail(s.Offset, predicate.TooExpensive, "more than %d different objects are referred to by one variable", predicate.MaxJoins)
	}
	v.codes = key == relationshipType
	v.spelled = spelledWith(v.spelled, key)
	return nil
}

// ending adds the key behind a date.
func (c *checker) ending(steps []*predicate.Key) []*predicate.Key {
	if f := steps[len(steps)-1].Field; c.end == nil || f == nil || f.Kind() != problem.DateField {
		return steps
	}
	return appended(steps, c.end)
}

// appended returns a new slice, because variables share their steps.
func appended(steps []*predicate.Key, key *predicate.Key) []*predicate.Key {
	return append(steps[:len(steps):len(steps)], key)
}

// pathName returns the keys of a path as one text, different for each path.
func pathName(steps []*predicate.Key) string {
	var name strings.Builder
	for _, key := range steps {
		name.WriteString("." + key.Name)
	}
	return name.String()
}

// joinable counts the object behind the last key but one. Behind a collection another
// scope begins, and joinable counts nothing. It returns false above MaxJoins.
func (c *checker) joinable(slot int, steps []*predicate.Key) bool {
	through := steps[:len(steps)-1]
	if len(through) == 0 || slices.ContainsFunc(through, (*predicate.Key).IsMany) {
		return true
	}
	if to := (join{slot, pathName(through)}); !c.joins[to] {
		c.joins[to] = true
		c.joined[slot]++
	}
	return c.joined[slot] <= predicate.MaxJoins
}

// aggregate makes one value of a collection. The offset is where the predicate names
// the aggregate.
func (c *checker) aggregate(v *value, f predicate.AggregateFunc, offset int) error {
	member := v.expr.Type().Member()
	ok := f == predicate.Count || member.Kind == predicate.Int || member.Kind == predicate.Float || member.Kind == predicate.Nil
	members := "numbers"
	if f == predicate.Min || f == predicate.Max {
		ok = ok || member.Kind == predicate.Date
		members = "numbers or dates"
	}
	if !ok {
		return c.fail(offset, predicate.TypeMismatch, "%s takes a collection of %s, not %s", f, members, v)
	}
	v.expr = eval.Aggregated(predicate.Aggregate{Func: f, Coll: v.expr})
	v.codes, v.spelled = false, ""
	return nil
}

// spelledWith returns a path in the user's spelling, with one more key.
func spelledWith(spelled string, key *predicate.Key) string {
	if spelled == "" {
		return key.Name
	}
	return spelled + "." + key.Name
}

// meantBy returns the probable meaning of an unknown key: an aggregate of a
// collection, or a function.
func meantBy(name string, v value) (meant string, ok bool) {
	if v.collection() {
		f := predicate.AggregateFunc("@" + strings.ToLower(name))
		if syntax.EqualFold(name, "size") || syntax.EqualFold(name, "length") {
			f = predicate.Count
		}
		if slices.Contains(predicate.Aggregates(), f) {
			return v.spelled + "." + string(f), true
		}
		return "", false
	}
	f, ok := functionsByName.find(name)
	switch atRoot := v.spelled == ""; {
	case !ok || !atRoot && v.kind() == predicate.Object:
		return "", false
	case len(f.params) == 0:
		return strings.ToUpper(f.spelling) + "()", true
	}
	return f.spelling + "(…)", true
}
