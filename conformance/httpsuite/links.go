package httpsuite

import (
	"fmt"
	"slices"
)

// relationshipType is a row of D7's table.
type relationshipType struct{ Name, Mirror string }

// RelationshipTypes are the types in the order of their codes (D7).
var RelationshipTypes = []relationshipType{
	{"RelatedTo", "RelatedTo"},
	{"ParentOf", "ChildOf"}, {"ChildOf", "ParentOf"},
	{"OriginalOf", "DuplicateOf"}, {"DuplicateOf", "OriginalOf"},
	{"CauseOf", "CausedBy"}, {"CausedBy", "CauseOf"},
	{"BlockerOf", "BlockedBy"}, {"BlockedBy", "BlockerOf"},
	{"ClonedTo", "ClonedFrom"}, {"ClonedFrom", "ClonedTo"},
}

// Links returns "type identifier" of each relationship in R3.
func (s *Session) Links(p Problem) []string {
	s.Helper()
	a := s.Admin.Get(p.Path + "/relationships").Is(200)
	list := []string{}
	for i := range a.List("") {
		list = append(list, fmt.Sprint(a.Text(fmt.Sprintf("/%d/type", i)), " ", a.Number(fmt.Sprintf("/%d/problemIdentifier", i))))
	}
	return list
}

// Linked demands exactly these relationships in R3 of p.
func (s *Session) Linked(p Problem, want ...string) {
	s.Helper()
	if got := s.Links(p); !slices.Equal(got, want) {
		s.Fatalf("%s has the relationships %q, want %q", p.Path, got, want)
	}
}

func (p Problem) As(kind string) string { return fmt.Sprint(kind, " ", p.ID) }
