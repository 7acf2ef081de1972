package session

import (
	"fmt"
	"strings"

	"github.com/problemtracking/problems/domain/problem"
)

// Problem is a problem of the case.
type Problem struct {
	ID   int64
	Path string
}

// ProblemMembers are the members of a single problem (D1).
var ProblemMembers = func() []string {
	members := []string{"identifier"}
	for _, f := range problem.AllFields() {
		members = append(members, f.Name)
	}
	return append(members, "keywords", "watching", "read", "readByAssignee", "revision", "logs")
}()

// Create makes a problem with the given JSON members beside a title.
func (s *Session) Create(c *Client, members ...string) Problem {
	s.Helper()
	body := "{" + strings.Join(append([]string{`"title":` + Encode(s.Unique("Problem"))}, members...), ",") + "}"
	id := c.Post("/problems", body).Is(201).Number("/identifier")
	return Problem{id, fmt.Sprintf("/problems/%d", id)}
}

// Problem makes a problem of the administrator.
func (s *Session) Problem() Problem {
	s.Helper()
	return s.Create(s.Admin)
}

// Keyword returns the path of a keyword; the name is escaped already.
func (p Problem) Keyword(name string) string { return p.Path + "/keywords/" + name }

// Load returns the problem as the client sees it (R1).
func (p Problem) Load(c *Client) *Answer {
	c.T.Helper()
	return c.Get(p.Path).Is(200)
}

// Untouched runs f and demands that it left the problem as it was: the same
// revision, the same log, the same comments, relationships and watchers.
func (s *Session) Untouched(p Problem, f func()) {
	s.Helper()
	before := s.everything(p)
	f()
	if after := s.everything(p); before != after {
		s.Fatalf("the problem has changed:\n%s\nto\n%s", before, after)
	}
}

func (s *Session) everything(p Problem) string {
	s.Helper()
	var b strings.Builder
	for _, part := range []string{"", "/comments", "/attachments", "/relationships", "/watchers"} {
		b.WriteString(Encode(s.Admin.Get(p.Path + part).Is(200).Value))
		b.WriteByte('\n')
	}
	return b.String()
}
