package sqlstore

import (
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/problem"
)

// fieldColumns are the columns that problems and savepoints share, in the order
// of fieldValues and of fieldsInto.
const (
	fieldColumns = "title, state, priority, classification, component, milestone, assignee, " +
		"originator, created, modifier, modified, resolver, resolved, revision"
	// problemColumns are those of problems but for the number, in the order of
	// problemValues.
	problemColumns = fieldColumns + ", title_c, title_cd, batch, size"
)

// problemValues returns the values of a problem of this size that is stored by the
// batch.
func (d *Dialect) problemValues(p problem.Problem, size int64, batch ident.ID) []any {
	return append(withFolded(d.fieldValues(p), problem.Text(p.Title)), d.ID(batch), size)
}

func (d *Dialect) fieldValues(p problem.Problem) []any {
	return []any{
		p.Title, d.ID(p.State), d.ID(p.Priority), d.ID(p.Classification), d.ID(p.Component), d.ID(p.Milestone), d.ID(p.Assignee),
		d.ID(p.Originator), micros(p.Created), d.ID(p.Modifier), micros(p.Modified), d.ID(p.Resolver), micros(p.Resolved), p.Revision,
	}
}

// fieldsInto returns where the columns are read into.
func (d *Dialect) fieldsInto(p *problem.Problem) []any {
	return []any{
		&p.Title, d.IDInto(&p.State), d.IDInto(&p.Priority), d.IDInto(&p.Classification), d.IDInto(&p.Component), d.IDInto(&p.Milestone), d.IDInto(&p.Assignee),
		d.IDInto(&p.Originator), (*moment)(&p.Created), d.IDInto(&p.Modifier), (*moment)(&p.Modified), d.IDInto(&p.Resolver), (*moment)(&p.Resolved), &p.Revision,
	}
}
