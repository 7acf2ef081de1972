package check

import (
	"strings"

	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/predicate"
	"github.com/problemtracking/problems/domain/relationship"
)

// unify converts literals until all values are of one type. It returns the index of
// the first value of another type, or a negative number.
func (c *checker) unify(values []value) (wrong int, err error) {
	as, typed := model(values)
	for i, v := range values {
		switch {
		case !v.scalar():
			return i, nil
		case !typed: // only nil can stay without a type
			continue
		}
		converted, ok, err := c.convert(v, as)
		if !ok || err != nil {
			return i, err
		}
		values[i] = converted
	}
	return -1, nil
}

// model returns the value with the type for all the others: the first one with a type
// of its own, neither literal nor nil. Among literals it prefers a Bool, because an
// Int can become a Bool. ok is false when there is none.
func model(values []value) (as value, ok bool) {
	for _, v := range values {
		switch {
		case !v.scalar() || v.kind() == predicate.Nil:
		case v.literal == nil:
			return v, true
		case !ok || v.kind() == predicate.Bool && as.kind() != predicate.Bool:
			as, ok = v, true
		}
	}
	return as, ok
}

// convert returns a scalar as one of the type of another. Only literals convert. ok is
// false when the types differ.
func (c *checker) convert(v, as value) (value, bool, error) {
	if v.literal != nil {
		converted, ok, err := c.literal(v, as)
		if err != nil {
			return v, false, err
		}
		if ok {
			v.expr = converted
			return v, true, nil
		}
	}
	same := v.kind() == predicate.Nil || v.expr.Type() == as.expr.Type()
	return v, same || v.is(predicate.Int, predicate.Float) && as.is(predicate.Int, predicate.Float), nil
}

// literal converts a literal. ok is false when there is no conversion.
func (c *checker) literal(v, as value) (converted predicate.Const, ok bool, err error) {
	switch literal := v.literal.Value.(type) {
	case string:
		switch {
		case as.kind() == predicate.UUID:
			id, ok := parseUUID(literal)
			if !ok {
				return predicate.Const{}, false, c.fail(v.offset, predicate.TypeMismatch, "the other operand is a UUID, but the string is not one of 36 characters")
			}
			return predicate.Const{Value: id, Of: uuidType}, true, nil
		case as.codes:
			code := relationshipCode(literal)
			if code == 0 {
				hint, _ := suggestion(literal, relationshipTypes())
				return predicate.Const{}, false, c.fail(v.offset, predicate.TypeMismatch, "the string is not a type of relationship; %s", hint)
			}
			return predicate.Const{Value: code, Of: intType}, true, nil
		}
	case int64:
		if as.kind() == predicate.Bool && (literal == 0 || literal == 1) {
			return predicate.Const{Value: literal == 1, Of: boolType}, true, nil
		}
	}
	return predicate.Const{}, false, nil
}

// parseUUID reads a UUID of 36 characters in any letter case.
func parseUUID(s string) (ident.ID, bool) {
	id, err := ident.Parse(strings.ToLower(s))
	return id, err == nil
}

// relationshipCode returns the number of a type of relationship by its name (D7), or 0
// for an unknown name.
func relationshipCode(name string) int64 {
	return int64(relationship.Type(name).Code())
}

// relationshipTypes returns the names of the types of relationships.
func relationshipTypes() []string {
	var names []string
	for _, t := range relationship.Types() {
		names = append(names, string(t))
	}
	return names
}
