package session

import (
	"fmt"
	"slices"
)

// RelationshipType is a row of D7's table.
type RelationshipType struct{ Name, Mirror string }

// RelationshipTypes are the types in the order of their codes (D7).
var RelationshipTypes = []RelationshipType{
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

// As is p as the other end of a relationship, in the form of [Session.Links].
func (p Problem) As(kind string) string { return fmt.Sprint(kind, " ", p.ID) }

// Link returns the body of W6 and W7 towards p.
func Link(kind string, p Problem) string {
	return fmt.Sprintf(`{"type":%q,"problemIdentifier":%d}`, kind, p.ID)
}

// Relate adds a relationship that has to be new.
func (s *Session) Relate(a Problem, kind string, b Problem) {
	s.Helper()
	s.Admin.Put(a.Path+"/relationships", Link(kind, b)).Is(201)
}
