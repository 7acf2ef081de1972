package predicate

import (
	"strings"
	"time"

	"github.com/problemtracking/problems/domain/date"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/problem"
)

// The types of keys.
var (
	boolType   = Type{Kind: Bool}
	intType    = Type{Kind: Int}
	stringType = Type{Kind: String}
	uuidType   = Type{Kind: UUID}
	dateType   = Type{Kind: Date}
)

func many(e Entity) Type { return Type{Kind: Object, Entity: e, Many: true} }

// required, optional and folded make keys of a type: never nil, possibly nil, and with
// folded forms in the stores.
func required(t Type, names ...string) []Key {
	var keys []Key
	for _, name := range names {
		keys = append(keys, Key{Name: name, Type: t})
	}
	return keys
}

func optional(t Type, names ...string) []Key {
	keys := required(t, names...)
	for i := range keys {
		keys[i].Nullable = true
	}
	return keys
}

func folded(keys []Key) []Key {
	for i := range keys {
		keys[i].Folded = true
	}
	return keys
}

// lengthy makes keys with texts up to the length of a request.
func lengthy(keys []Key) []Key {
	for i := range keys {
		keys[i].Long = true
	}
	return keys
}

// entity holds the keys of an entity.
type entity struct {
	keys   []*Key          // in the order of the schema
	byName map[string]*Key // by any spelling, in lower case
}

func entityOf(name Entity, groups ...[]Key) entity {
	e := entity{byName: map[string]*Key{}}
	for _, group := range groups {
		for _, key := range group {
			key.Of = name
			e.keys = append(e.keys, &key)
			e.byName[strings.ToLower(key.Name)] = &key
		}
	}
	return e
}

// alias adds another spelling of a key.
func (e entity) alias(spelling, name string) entity {
	e.byName[strings.ToLower(spelling)] = e.byName[strings.ToLower(name)]
	return e
}

// schema holds the keys of all entities (section 3 of the query language).
var schema = map[Entity]entity{
	Problem: entityOf(Problem,
		required(intType, "identifier"),
		problemFields(true),
		required(boolType, "watching", "read", "readByAssignee"),
		optional(one(User), "claim.holder"), // a key of two words
		optional(dateType, "claim.expires"),
		required(many(Savepoint), "history"),
		required(many(Log), "logs"),
		required(many(Keyword), "keywords"),
		required(many(Comment), "comments"),
		required(many(Attachment), "attachments"),
		required(many(Relationship), "relationships"),
		required(many(User), "watchers"),
	).alias("id", "identifier"),
	Savepoint: entityOf(Savepoint,
		problemFields(false),
	),
	User: entityOf(User,
		required(uuidType, "identifier"),
		required(stringType, "name"),
		optional(stringType, "email"),
		required(boolType, "inactive"),
	),
	Component: entityOf(Component,
		required(uuidType, "identifier"),
		required(stringType, "name", "fullName"),
		required(boolType, "closed"),
		optional(one(Component), "successor", "parent"),
		required(many(Component), "children"),
	),
	Milestone: entityOf(Milestone,
		required(uuidType, "identifier"),
		optional(one(Component), "component"),
		required(stringType, "name"),
		required(dateType, "creationDate"),
		optional(dateType, "startDate", "endDate"),
	),
	Priority: entityOf(Priority,
		required(uuidType, "identifier"),
		required(stringType, "name"),
		required(intType, "order"),
	),
	Classification: entityOf(Classification,
		required(uuidType, "identifier"),
		required(stringType, "name"),
	),
	State: entityOf(State,
		required(uuidType, "identifier"),
		required(stringType, "name"),
		required(boolType, "resolved", "initial"),
		required(intType, "order"),
		required(many(State), "nextStates", "previousStates"),
	),
	Keyword: entityOf(Keyword,
		folded(required(stringType, "name")),
		lengthy(folded(optional(stringType, "value"))),
	),
	Comment: entityOf(Comment,
		required(one(User), "author"),
		required(dateType, "creationDate"),
		lengthy(folded(required(stringType, "text"))),
	),
	Attachment: entityOf(Attachment,
		required(stringType, "name", "mediaType"),
		required(intType, "size"),
		required(one(User), "author"),
	),
	Log: entityOf(Log,
		required(stringType, "type"),
		required(dateType, "creationDate"),
		required(one(User), "author"),
		required(boolType, "isSignificant"),
	),
	Relationship: entityOf(Relationship,
		required(intType, "type", "problemIdentifier"),
		required(one(Problem), "child"),
		required(intType, "parentId"),
		required(one(Problem), "parent"),
	).alias("childId", "problemIdentifier"),
}

// problemFields returns the keys for the fields of a problem. Problems and savepoints
// share them. Stores keep the folded forms of texts for problems alone.
func problemFields(folded bool) (keys []Key) {
	for _, f := range problem.AllFields() {
		key := problem.Value(f, new(problem.Problem), keyOf{referred})
		key.Name, key.Nullable, key.Field = f.Name, !f.Required, f
		key.Folded = key.Folded && folded
		keys = append(keys, key)
	}
	return keys
}

// keyOf returns the key for a field of each kind, with all that depends on the kind.
// It carries its map: Go initialises only what a package names before the schema.
type keyOf struct {
	entities map[metadata.Kind]Entity
}

func (keyOf) Text(f *problem.Field, _ *string) Key {
	return Key{Type: stringType, Folded: f.Folded, Long: f.Rule.Max == 0}
}

func (k keyOf) Reference(f *problem.Field, _ *ident.ID) Key {
	return Key{Type: one(k.entities[f.To])}
}

func (keyOf) Date(*problem.Field, *date.Date) Key { return Key{Type: dateType} }

func (keyOf) Time(*problem.Field, *time.Time) Key { return Key{Type: dateType} }

// EndOfDay returns the key behind a date: it leads from the end of the day in UTC, the value
// of a date in an Entry, to its end in a zone. No text names it. It is nil for UTC, where
// both are the same.
func EndOfDay(zone *time.Location) *Key {
	if zone == nil || zone == time.UTC {
		return nil
	}
	return &Key{Type: dateType, Zone: zone}
}

// InZone returns the value of a key of EndOfDay.
func (k *Key) InZone(v Value) Value {
	end, ok := v.(time.Time)
	if !ok {
		return nil
	}
	return date.Of(end).End(k.Zone)
}

// referred are the entities of referenced metadata.
var referred = map[metadata.Kind]Entity{
	metadata.States: State, metadata.Priorities: Priority, metadata.Classifications: Classification,
	metadata.Components: Component, metadata.Milestones: Milestone, metadata.Users: User,
}

// Keys returns the keys of an entity in the order of the schema, or none for an
// unknown entity. The keys are shared: each key has one pointer everywhere.
func Keys(e Entity) []*Key { return append([]*Key(nil), schema[e].keys...) }

// Lookup returns the key of an entity by its name, or by another spelling (id,
// childId), in any letter case. It returns false for an unknown name.
func Lookup(e Entity, name string) (*Key, bool) {
	key, ok := schema[e].byName[strings.ToLower(name)]
	return key, ok
}

func one(e Entity) Type { return Type{Kind: Object, Entity: e} }
