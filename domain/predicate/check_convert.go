package predicate

import (
	"strings"

	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/relationship"
)

// unify converts literals so that all values are of one type. The place of the
// first that is not is wrong; it is negative when there is none.
func (c *checker) unify(values []value) (wrong int, err error) {
	as := model(values)
	for i, v := range values {
		converted, ok, err := c.convert(v, as)
		if err != nil {
			return i, err
		}
		if !ok {
			return i, nil
		}
		values[i] = converted
	}
	return -1, nil
}

// model returns the value whose type the others have to have: the first that is
// no literal and not nil; among literals, a Bool, for Ints can become that.
func model(values []value) value {
	var first value
	for _, v := range values {
		switch {
		case !v.scalar() || v.kind() == Nil:
		case v.literal == nil:
			return v
		case first.expr == nil || v.kind() == Bool && first.kind() != Bool:
			first = v
		}
	}
	if first.expr == nil {
		first.expr = Const{Of: nilType}
	}
	return first
}

// convert returns a value as one of the type of another, which only literals can
// become. It is false when it is of another type.
func (c *checker) convert(v, as value) (value, bool, error) {
	if !v.scalar() || !as.scalar() {
		return v, false, nil
	}
	have, want := v.expr.Type(), as.expr.Type()
	if v.literal != nil {
		converted, err := c.literal(v, as)
		if converted.Of.Kind != Nil || err != nil {
			v.expr = converted
			return v, true, err
		}
	}
	switch {
	case have.Kind == Nil || want.Kind == Nil || have == want:
		return v, true, nil
	default:
		return v, v.is(Int, Float) && as.is(Int, Float), nil
	}
}

// literal converts a literal, if there is a conversion.
func (c *checker) literal(v, as value) (Const, error) {
	known := v.expr.(Const)
	switch literal := known.Value.(type) {
	case string:
		switch {
		case as.kind() == UUID:
			id, ok := parseUUID(literal)
			if !ok {
				return known, c.fail(v.offset, TypeMismatch, "the string is not a UUID of 36 characters, which it is compared with")
			}
			return Const{Value: id, Of: uuidType}, nil
		case as.codes:
			code := relationshipCode(literal)
			if code == 0 {
				return known, c.fail(v.offset, TypeMismatch, "the string is not a type of relationship; %s", suggestion(literal, relationshipTypes()))
			}
			return Const{Value: code, Of: intType}, nil
		}
	case int64:
		if as.kind() == Bool && (literal == 0 || literal == 1) {
			return Const{Value: literal == 1, Of: boolType}, nil
		}
	}
	return Const{Of: nilType}, nil
}

// parseUUID reads a UUID of 36 characters in any letter case.
func parseUUID(s string) (ident.ID, bool) {
	id, err := ident.Parse(strings.ToLower(s))
	return id, err == nil
}

// relationshipCode returns the number of a type of relationship by its name (D7),
// or 0 when there is none.
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
