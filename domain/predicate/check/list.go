package check

import (
	"slices"

	"github.com/problemtracking/problems/domain/predicate"
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
		as = value{expr: predicate.Const{Of: nilType}}
	}
	switch {
	case wrong >= 0 && !members[wrong].scalar():
		return v, c.noMember(members[wrong])
	case wrong >= 0:
		return v, c.fail(members[wrong].offset, predicate.TypeMismatch, "the members of a list are of one type, not %s and %s", as, members[wrong])
	}
	l := predicate.List{Members: exprs(members), Of: as.expr.Type()}
	if slices.ContainsFunc(members, func(m value) bool { return m.kind() == predicate.Float }) {
		l.Of = floatType
	}
	l.Of.Many = true
	return value{offset: v.offset, expr: l, codes: as.codes}, nil
}

// noMember returns the error of a list or a collection as a member of a list.
func (c *checker) noMember(v value) error {
	return c.fail(v.offset, predicate.TypeMismatch, "a list has single values as members, not %s", v)
}
