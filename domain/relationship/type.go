// Package relationship holds the typed links between problems: their types and
// mirrors, and the rules about pairs and cycles (spec section 2, D7).
package relationship

import (
	"errors"
	"strings"
)

// Type is the type of a relationship, seen from its owner.
type Type string

// The relationship types, each beside its mirror.
const (
	RelatedTo   Type = "RelatedTo" // its own mirror
	ParentOf    Type = "ParentOf"
	ChildOf     Type = "ChildOf"
	OriginalOf  Type = "OriginalOf"
	DuplicateOf Type = "DuplicateOf"
	CauseOf     Type = "CauseOf"
	CausedBy    Type = "CausedBy"
	BlockerOf   Type = "BlockerOf"
	BlockedBy   Type = "BlockedBy"
	ClonedTo    Type = "ClonedTo"
	ClonedFrom  Type = "ClonedFrom"
)

// Family is a type together with its mirror, named after the forward one. Two problems
// have at most one relationship in each family.
type Family struct {
	Forward  Type
	Backward Type // equal to Forward in the one family without direction
	code     int
}

var families = [...]Family{
	{RelatedTo, RelatedTo, 100},
	{ParentOf, ChildOf, 200},
	{OriginalOf, DuplicateOf, 300},
	{CauseOf, CausedBy, 400},
	{BlockerOf, BlockedBy, 500},
	{ClonedTo, ClonedFrom, 600},
}

// Families returns all families in the order of their codes.
func Families() []Family { return append([]Family(nil), families[:]...) }

// Types returns all types in the order of their codes.
func Types() []Type {
	var types []Type
	for _, f := range families {
		types = append(types, f.Forward)
		if f.Directed() {
			types = append(types, f.Backward)
		}
	}
	return types
}

// Directed reports whether the family's types differ from their mirrors. Only directed
// families have cycles.
func (f Family) Directed() bool { return f.Forward != f.Backward }

// Family returns the family of t; ok is false when t is not a type.
func (t Type) Family() (f Family, ok bool) {
	for _, f := range families {
		if t == f.Forward || t == f.Backward {
			return f, true
		}
	}
	return Family{}, false
}

// Valid reports whether t is one of the eleven types.
func (t Type) Valid() bool {
	_, ok := t.Family()
	return ok
}

// Mirror returns the type for the other problem. The mirror of the mirror is t again. It
// returns the empty string for an invalid type.
func (t Type) Mirror() Type {
	f, _ := t.Family()
	if t == f.Forward {
		return f.Backward
	}
	return f.Forward
}

// Code returns the number of t in queries and in the order of relationships, 100 to 601
// (D7). It returns 0 for an invalid type.
func (t Type) Code() int {
	f, ok := t.Family()
	switch {
	case !ok:
		return 0
	case t == f.Forward:
		return f.code
	default:
		return f.code + 1
	}
}

// Check refuses any text but the eleven types. The text of the error ends a sentence for
// its author.
func (t Type) Check() error {
	if t.Valid() {
		return nil
	}
	var names []string
	for _, known := range Types() {
		names = append(names, string(known))
	}
	return errors.New("must be one of: " + strings.Join(names, ", "))
}
