package check

import "github.com/problemtracking/problems/domain/predicate"

// relationshipType is the key with the codes of relationship types.
var relationshipType, _ = predicate.Lookup(predicate.Relationship, "type")

// keyNames returns the names of an entity's keys.
func keyNames(e predicate.Entity) []string {
	var names []string
	for _, key := range predicate.Keys(e) {
		names = append(names, key.Name)
	}
	return names
}

// The types of values.
var (
	boolType   = predicate.Type{Kind: predicate.Bool}
	intType    = predicate.Type{Kind: predicate.Int}
	floatType  = predicate.Type{Kind: predicate.Float}
	stringType = predicate.Type{Kind: predicate.String}
	uuidType   = predicate.Type{Kind: predicate.UUID}
	dateType   = predicate.Type{Kind: predicate.Date}
	nilType    = predicate.Type{Kind: predicate.Nil}
)
