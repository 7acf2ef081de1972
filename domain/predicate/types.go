package predicate

import (
	"time"

	"github.com/problemtracking/problems/domain/problem"
)

// Kind is the kind of a value.
type Kind string

// The kinds. Where an operator takes numbers, Int and Float mix.
const (
	Nil    Kind = "Nil"
	Bool   Kind = "Bool"
	Int    Kind = "Int"
	Float  Kind = "Float"
	String Kind = "String"
	UUID   Kind = "UUID"
	Date   Kind = "Date"
	Object Kind = "Entity"
)

// Type is the type of an expression or a key. Many is true for a collection. The other
// members then describe its members.
type Type struct {
	Kind   Kind
	Entity Entity // of an Object
	Many   bool
}

// Member returns the type of a collection's members.
func (t Type) Member() Type {
	t.Many = false
	return t
}

// String returns the type for errors, such as "Collection(User)".
func (t Type) String() string {
	name := string(t.Kind)
	if t.Kind == Object {
		name = string(t.Entity)
	}
	if t.Many {
		return "Collection(" + name + ")"
	}
	return name
}

// Entity is a kind of object with keys.
type Entity string

// The entities. All but Savepoint, Keyword, Comment, Attachment, Log and Relationship can be
// searched.
const (
	Problem        Entity = "Problem"
	Savepoint      Entity = "Savepoint"
	User           Entity = "User"
	Component      Entity = "Component"
	Milestone      Entity = "Milestone"
	Priority       Entity = "Priority"
	Classification Entity = "Classification"
	State          Entity = "State"
	Keyword        Entity = "Keyword"
	Comment        Entity = "Comment"
	Attachment     Entity = "Attachment"
	Log            Entity = "Log"
	Relationship   Entity = "Relationship"
)

// Key is an attribute or a relation of an entity's objects.
type Key struct {
	// Name is the key in the schema's spelling, such as "creationDate". Two spellings of
	// one key (id, identifier) have one Key.
	Name     string
	Of       Entity
	Type     Type // Many: to-many
	Nullable bool
	// Folded is true if stores keep the folded forms of the value beside it. They can then
	// compare with [c] and [cd] by themselves.
	Folded bool
	// Field describes the problem's field behind the key, in problems and in savepoints.
	// It is nil for other keys.
	Field *problem.Field
	// Long is true for a text of any accepted length, up to a megabyte. Other texts have a
	// thousand characters at most.
	Long bool
	// Zone is the zone of a key of [EndOfDay]; nil for other keys. Such a key is the last one
	// of a path, behind a date.
	Zone *time.Location
}

// IsMetadata reports whether an entity's objects are in the catalogue. The catalogue
// holds users, and the metadata of problems. Its objects refer to each other alone.
func (e Entity) IsMetadata() bool {
	switch e {
	case User, Component, Milestone, Priority, Classification, State:
		return true
	}
	return false
}

// IsMany reports whether the key leads to a collection.
func (k *Key) IsMany() bool { return k.Type.Many }
