package httpsuite

import (
	"fmt"
	"slices"
)

// relationshipType is a row of D7's table.
type relationshipType struct{ name, mirror string }

// relationshipTypes are the types in the order of their codes (D7).
var relationshipTypes = []relationshipType{
	{"RelatedTo", "RelatedTo"},
	{"ParentOf", "ChildOf"}, {"ChildOf", "ParentOf"},
	{"OriginalOf", "DuplicateOf"}, {"DuplicateOf", "OriginalOf"},
	{"CauseOf", "CausedBy"}, {"CausedBy", "CauseOf"},
	{"BlockerOf", "BlockedBy"}, {"BlockedBy", "BlockerOf"},
	{"ClonedTo", "ClonedFrom"}, {"ClonedFrom", "ClonedTo"},
}

// links returns "type identifier" of each relationship in R3.
func (s *session) links(p problem) []string {
	s.Helper()
	a := s.admin.get(p.path + "/relationships").is(200)
	list := []string{}
	for i := range a.list("") {
		list = append(list, fmt.Sprint(a.text(fmt.Sprintf("/%d/type", i)), " ", a.number(fmt.Sprintf("/%d/problemIdentifier", i))))
	}
	return list
}

// linked demands exactly these relationships in R3 of p.
func (s *session) linked(p problem, want ...string) {
	s.Helper()
	if got := s.links(p); !slices.Equal(got, want) {
		s.Fatalf("%s has the relationships %q, want %q", p.path, got, want)
	}
}

func (p problem) as(kind string) string { return fmt.Sprint(kind, " ", p.id) }
