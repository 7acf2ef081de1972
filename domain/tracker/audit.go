package tracker

import (
	"context"

	"github.com/problemtracking/problems/domain/access"
	"github.com/problemtracking/problems/domain/audit"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/store"
)

// AuditPage is some entries of the audit log, oldest first.
type AuditPage struct {
	Entries []audit.Entry
	More    bool // more entries follow
}

// Audit returns entries of the audit log: at most limit after the first skip. The log
// only grows, so the same skip always leaves out the same entries. It fails with
// fault.MalformedRequest for a limit outside 1 to MostOnPage.
func (s *Service) Audit(ctx context.Context, skip, limit int) (Answer[AuditPage], error) {
	if limit < 1 || limit > MostOnPage {
		return Answer[AuditPage]{}, fault.New(fault.MalformedRequest, "limit has to be 1 to %d", MostOnPage)
	}
	var a Answer[AuditPage]
	err := s.store.View(ctx, func(r store.Reader) (err error) {
		if a.Catalogue, err = s.cache.catalogueNow(ctx, r); err != nil {
			return err
		}
		a.Value.Entries, err = r.Audit(ctx, skip, limit+1)
		return err
	})
	if err != nil {
		return Answer[AuditPage]{}, err
	}
	if a.Value.More = len(a.Value.Entries) > limit; a.Value.More {
		a.Value.Entries = a.Value.Entries[:limit]
	}
	return a, nil
}

// audited is the object of an audit entry.
type audited struct {
	kind audit.Kind
	id   ident.ID
	name string
}

// auditCreated logs the creation of the object.
func (cb *changeBuilder) auditCreated(of audited, members []problem.LogMember) {
	cb.audit(of, audit.Created, "", "", problem.LogObject(members...))
}

// auditChanges logs each member that differs.
func (cb *changeBuilder) auditChanges(of audited, old, changed []problem.LogMember) {
	for i, m := range changed {
		if from := old[i].Value; from != m.Value {
			cb.audit(of, audit.Changed, m.Name, from, m.Value)
		}
	}
}

func (cb *changeBuilder) audit(of audited, t audit.Type, field string, from, to problem.LogValue) {
	cb.effect(store.AppendAudit{Entry: audit.Entry{
		ID:      cb.ids.Next(),
		Created: cb.At,
		Author:  cb.Author,
		Batch:   cb.Batch,
		Type:    t,
		Kind:    of.kind,
		Object:  of.id,
		Name:    of.name,
		Field:   field,
		From:    from,
		To:      to,
	}})
}

// putToken stores a token of a user with the given name, and logs it. An existing token
// can differ from before only in revoked.
func (cb *changeBuilder) putToken(t access.Token, owner string, isNew bool) {
	of := audited{audit.Token, t.ID, owner}
	if isNew {
		cb.auditCreated(of, []problem.LogMember{
			{Name: "user", Value: problem.LogRef(t.User, owner)},
			{Name: "scope", Value: problem.LogText(string(t.Scope))},
			{Name: "expires", Value: problem.LogTime(t.Expires)},
		})
	} else {
		cb.audit(of, audit.Changed, "revoked", "", problem.LogTime(t.Revoked))
	}
	cb.effect(store.PutToken{Token: t})
}
