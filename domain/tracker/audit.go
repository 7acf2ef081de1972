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
	More    bool // whether others follow them
}

// Audit returns the entries of the audit log after the first skip ones, and at most
// limit of them. The log only grows: what was skipped before is what is skipped later.
// It fails with fault.MalformedRequest for a limit that is not 1 to MostOnPage.
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

// audited is an object that the audit log is about.
type audited struct {
	kind audit.Kind
	id   ident.ID
	name string
}

// auditCreated logs that the object was made.
func (st *step) auditCreated(of audited, members []problem.LogMember) {
	st.audit(of, audit.Created, "", "", problem.LogObject(members...))
}

// auditChanges logs each member that differs.
func (st *step) auditChanges(of audited, old, changed []problem.LogMember) {
	for i, m := range changed {
		if from := old[i].Value; from != m.Value {
			st.audit(of, audit.Changed, m.Name, from, m.Value)
		}
	}
}

func (st *step) audit(of audited, t audit.Type, field string, from, to problem.LogValue) {
	st.effect(store.AppendAudit{Entry: audit.Entry{
		ID:      st.ids.Next(),
		Created: st.At,
		Author:  st.Author,
		Batch:   st.Batch,
		Type:    t,
		Kind:    of.kind,
		Object:  of.id,
		Name:    of.name,
		Field:   field,
		From:    from,
		To:      to,
	}})
}

// putToken stores a token of a user with the given name, and logs it. Of its
// members, only revoked can differ from before.
func (st *step) putToken(t access.Token, owner string, isNew bool) {
	of := audited{audit.Token, t.ID, owner}
	if isNew {
		st.auditCreated(of, []problem.LogMember{
			{Name: "user", Value: problem.LogRef(t.User, owner)},
			{Name: "scope", Value: problem.LogText(string(t.Scope))},
			{Name: "expires", Value: problem.LogTime(t.Expires)},
		})
	} else {
		st.audit(of, audit.Changed, "revoked", "", problem.LogTime(t.Revoked))
	}
	st.effect(store.PutToken{Token: t})
}
