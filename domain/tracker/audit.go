package tracker

import (
	"context"

	"github.com/problemtracking/problems/domain/audit"
	"github.com/problemtracking/problems/domain/fault"
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
		if a.Catalogue, err = s.catalogues.Now(ctx, r); err != nil {
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
