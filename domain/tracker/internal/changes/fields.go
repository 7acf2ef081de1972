package changes

import (
	"time"

	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/patch"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/store"
)

// clientFields are the fields set by clients.
var clientFields = problem.ClientFields()

// Update sets the fields of a problem and, if sent, the author's read mark.
func (cb *Builder) Update(s *store.Snapshot, c *metadata.Catalogue, fields problem.Fields, read patch.Field[bool]) {
	old := s.Problem
	if fields != old.Fields {
		s.Fields = fields
		cb.Significant(s)
		cb.Resolve(&s.Problem, fields.State != old.State, c)
		cb.StoreSavepoint(s)
		s.Size += s.TextSize() - old.TextSize()
		cb.logChanges(s, old.Fields, c)
		cb.StoreProblem(s)
	}
	if read.Sent && read.Value != s.Read {
		if fields == old.Fields {
			cb.ExpectProblem(s)
		}
		cb.MarkRead(s, read.Value)
	}
}

// Resolve records the resolver and the time of the resolution: the latest move into a
// resolved state, also from another one (D1).
func (cb *Builder) Resolve(p *problem.Problem, moved bool, c *metadata.Catalogue) {
	state, _ := c.State(p.State)
	switch {
	case !state.Resolved:
		p.Resolver, p.Resolved = ident.None, time.Time{}
	case moved:
		p.Resolver, p.Resolved = cb.Author, cb.At
	}
}

// logChanges logs each field that differs.
func (cb *Builder) logChanges(s *store.Snapshot, old problem.Fields, c *metadata.Catalogue) {
	for _, f := range clientFields {
		if !f.Same(&old, &s.Fields) {
			cb.AddLog(s, problem.FieldChanged, f.Name, f.Log(&old, c.Name), f.Log(&s.Fields, c.Name))
		}
	}
}

// LogFields returns the fields with a value, in the form of the log.
func LogFields(f problem.Fields, c *metadata.Catalogue) problem.LogValue {
	members := make([]problem.LogMember, 0, len(clientFields))
	for _, field := range clientFields {
		members = append(members, problem.LogMember{Name: field.Name, Value: field.Log(&f, c.Name)})
	}
	return problem.LogObject(members...)
}
