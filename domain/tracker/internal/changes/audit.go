package changes

import (
	"github.com/problemtracking/problems/domain/audit"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/store"
)

// Audited is the object of an audit entry.
type Audited struct {
	Kind audit.Kind
	ID   ident.ID
	Name string
}

// AuditCreated logs the creation of the object.
func (cb *Builder) AuditCreated(of Audited, members []problem.LogMember) {
	cb.Audit(of, audit.Created, "", "", problem.LogObject(members...))
}

// AuditChanges logs each member that differs.
func (cb *Builder) AuditChanges(of Audited, old, changed []problem.LogMember) {
	for i, m := range changed {
		if from := old[i].Value; from != m.Value {
			cb.Audit(of, audit.Changed, m.Name, from, m.Value)
		}
	}
}

// Audit logs one entry about the object.
func (cb *Builder) Audit(of Audited, t audit.Type, field string, from, to problem.LogValue) {
	cb.AddEffect(store.AppendAudit{Entry: audit.Entry{
		ID:      cb.NextID(),
		Created: cb.At,
		Author:  cb.Author,
		Batch:   cb.Batch,
		Type:    t,
		Kind:    of.Kind,
		Object:  of.ID,
		Name:    of.Name,
		Field:   field,
		From:    from,
		To:      to,
	}})
}
