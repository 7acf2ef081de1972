package admin

import (
	"context"
	"slices"

	"github.com/problemtracking/problems/domain/audit"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/store"
	"github.com/problemtracking/problems/domain/tracker/internal/core"
)

// AuditPage is some entries of the audit log, oldest first.
type AuditPage struct {
	Entries []audit.Entry
	More    bool // more entries follow
}

// Audit returns entries of the audit log: at most limit after the first skip. The log
// only grows, so the same skip always leaves out the same entries. It fails with
// fault.MalformedRequest for a limit outside 1 to core.MostOnPage.
func (s *Service) Audit(ctx context.Context, skip, limit int) (core.Answer[AuditPage], error) {
	if limit < 1 || limit > core.MostOnPage {
		return core.Answer[AuditPage]{}, fault.New(fault.MalformedRequest, "limit has to be 1 to %d", core.MostOnPage)
	}
	var a core.Answer[AuditPage]
	err := s.core.Store.View(ctx, func(r store.Reader) (err error) {
		if a.Catalogue, err = s.core.Catalogues.Now(ctx, r); err != nil {
			return err
		}
		a.Value.Entries, err = r.Audit(ctx, skip, limit+1)
		return err
	})
	if err != nil {
		return core.Answer[AuditPage]{}, err
	}
	if a.Value.More = len(a.Value.Entries) > limit; a.Value.More {
		a.Value.Entries = a.Value.Entries[:limit]
	}
	return a, nil
}

// AuditEnd is some entries of the audit log, newest first.
type AuditEnd struct {
	Entries []audit.Entry
	// Start is the number of older entries. End is the number of entries without the
	// newer ones, and Length the number of all entries.
	Start, End, Length int
}

// AuditBefore returns entries of the audit log, newest first: at most limit of the oldest
// before, which are all with a number beyond the length. The log only grows, so the same
// number always selects the same entries. It fails as Audit does.
func (s *Service) AuditBefore(ctx context.Context, before, limit int) (core.Answer[AuditEnd], error) {
	if limit < 1 || limit > core.MostOnPage {
		return core.Answer[AuditEnd]{}, fault.New(fault.MalformedRequest, "limit has to be 1 to %d", core.MostOnPage)
	}
	var a core.Answer[AuditEnd]
	err := s.core.Store.View(ctx, func(r store.Reader) (err error) {
		if a.Catalogue, err = s.core.Catalogues.Now(ctx, r); err != nil {
			return err
		}
		a.Value.Length, err = core.Length(func(n int) (bool, error) {
			one, err := r.Audit(ctx, n, 1)
			return len(one) > 0, err
		})
		if err != nil {
			return err
		}
		a.Value.End = min(max(before, 0), a.Value.Length)
		a.Value.Start = max(0, a.Value.End-limit)
		if a.Value.Start < a.Value.End {
			a.Value.Entries, err = r.Audit(ctx, a.Value.Start, a.Value.End-a.Value.Start)
		}
		slices.Reverse(a.Value.Entries)
		return err
	})
	if err != nil {
		return core.Answer[AuditEnd]{}, err
	}
	return a, nil
}
