package predicate

import (
	"strings"
	"testing"
)

// TestSchema checks the keys of all entities against section 3 of the query
// language: "?" is nullable, "*" to-many, "~" has folded forms in stores.
func TestSchema(t *testing.T) {
	t.Parallel()
	const common = "state:State priority:Priority? classification:Classification? " +
		"component:Component? milestone:Milestone? assignee:User? due:Date? originator:User " +
		"modifier:User modificationDate:Date resolver:User? resolveDate:Date? creationDate:Date"
	for e, want := range map[Entity]string{
		Problem: "identifier:Int title:String~ " + common + " watching:Bool read:Bool readByAssignee:Bool claim.holder:User? claim.expires:Date? " +
			"history:Savepoint* logs:Log* keywords:Keyword* comments:Comment* attachments:Attachment* relationships:Relationship* watchers:User*",
		Savepoint:      "title:String " + common,
		User:           "identifier:UUID name:String email:String? inactive:Bool",
		Component:      "identifier:UUID name:String fullName:String closed:Bool successor:Component? parent:Component? children:Component*",
		Milestone:      "identifier:UUID component:Component? name:String creationDate:Date startDate:Date? endDate:Date?",
		Priority:       "identifier:UUID name:String order:Int",
		Classification: "identifier:UUID name:String",
		State:          "identifier:UUID name:String resolved:Bool initial:Bool order:Int nextStates:State* previousStates:State*",
		Keyword:        "name:String~ value:String?~",
		Comment:        "author:User creationDate:Date text:String~",
		Attachment:     "name:String mediaType:String size:Int author:User",
		Log:            "type:String creationDate:Date author:User isSignificant:Bool",
		Relationship:   "type:Int problemIdentifier:Int child:Problem parentId:Int parent:Problem",
		"Nothing":      "",
	} {
		var keys []string
		for _, key := range Keys(e) {
			s := key.Name + ":" + key.Type.Member().String()
			if key.Nullable {
				s += "?"
			}
			if key.Type.Many {
				s += "*"
			}
			if key.Folded {
				s += "~"
			}
			keys = append(keys, s)
			if key.Of != e {
				t.Errorf("%s of %s says that it is of %s", key.Name, e, key.Of)
			}
		}
		if got := strings.Join(keys, " "); got != want {
			t.Errorf("%s has\n%s, want\n%s", e, got, want)
		}
	}
}

// TestLookup checks that a key is the same pointer in every spelling.
func TestLookup(t *testing.T) {
	t.Parallel()
	for e := range schema {
		for _, key := range Keys(e) {
			for _, name := range []string{key.Name, strings.ToLower(key.Name), strings.ToUpper(key.Name)} {
				if got, ok := Lookup(e, name); !ok || got != key {
					t.Errorf("%s of %s is %+v, %t", name, e, got, ok)
				}
			}
		}
	}
	for _, c := range []struct {
		e        Entity
		spelling string
		name     string // empty: there is none
	}{
		{Problem, "id", "identifier"},
		{Problem, "ID", "identifier"},
		{Relationship, "childId", "problemIdentifier"},
		{Relationship, "CHILDID", "problemIdentifier"},
		{User, "id", ""},
		{Relationship, "id", ""},
		{Savepoint, "id", ""},
		{Problem, "", ""},
		{Problem, "tıtle", ""},
		{"problem", "title", ""},
		{"", "title", ""},
	} {
		key, ok := Lookup(c.e, c.spelling)
		if ok != (c.name != "") || ok && key.Name != c.name {
			t.Errorf("%s of %q is %+v, %t; want %q", c.spelling, c.e, key, ok, c.name)
		}
	}
}

// TestKeysAreNotTheSchema checks that a change of the result of Keys changes nothing
// else.
func TestKeysAreNotTheSchema(t *testing.T) {
	t.Parallel()
	Keys(Priority)[0] = nil
	if Keys(Priority)[0] == nil {
		t.Error("Keys returns the schema itself")
	}
}
