package predicate

import (
	"slices"
)

// Plan is a checked predicate: typed, with literals converted and constants computed.
// A Plan never changes, so goroutines can share it.
type Plan struct {
	// Root is the entity of the searched objects.
	Root Entity
	// Where is the condition for these objects.
	Where Cond
	// Slots is the number of variables. Slot 0 is the root object. Every SUBQUERY and
	// every qualifier binds its member to a slot of its own.
	Slots int
}

// Keys returns the predicate's keys of the root, each once. A store can use them to
// load objects in batches.
func (p *Plan) Keys() []*Key {
	var keys []*Key
	Walk(p.Where, func(node any) bool {
		if path, ok := node.(Path); ok && path.Slot == 0 && len(path.Steps) > 0 && !slices.Contains(keys, path.Steps[0]) {
			keys = append(keys, path.Steps[0])
		}
		return true
	})
	return keys
}

// Order is one key of the order of results (D31). nil comes after every value, in
// ascending and in descending order. Strings compare by code point, and UUIDs by their
// bytes. false is less than true.
type Order struct {
	// Path begins at slot 0 and has only to-one keys. Its kind is not Object.
	Path       Path
	Descending bool
}
