package tracker

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/problemtracking/problems/domain/blob"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/lease"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/store"
)

const (
	// unnamedFor is the age of a file that no record will name any more. An upload takes an
	// hour at most, and its record comes within an hour (D48).
	unnamedFor = 24 * time.Hour
	// filesLease is the name of the lease with the last names of the owner of files. An
	// Archive has no leases: so a store that is filled by one knows none of them.
	filesLease = "files"
	// namesKept is how many of these names a store remembers: other servers of the store may
	// have given some since this one has looked.
	namesKept = 16
	// sweepPage is how many problems the sweep looks up at once.
	sweepPage = 100
)

// Swept is what a sweep of files has found.
type Swept struct {
	Files, Bytes int64 // that are there, without the removed ones
	Removed      int64
	// Foreign is true if the files belong to another store. Then nothing was removed.
	Foreign bool
}

// SweepFiles removes the files that nothing names any more, and those of attachments deleted
// long ago (D48). It removes nothing from the files of another store. Without a store for files
// it does nothing.
func (s *Service) SweepFiles(ctx context.Context) (swept Swept, err error) {
	if s.files == nil {
		return swept, nil
	}
	if swept.Foreign, err = s.claimFiles(ctx); err != nil {
		return swept, err
	}
	now, err := s.clock.Read(ctx)
	if err != nil {
		return swept, err
	}
	var page []blob.Info
	problems := 0
	for info, err := range s.files.List(ctx, blob.Key{}) {
		if err != nil {
			return swept, err
		}
		if len(page) == 0 || page[len(page)-1].Problem != info.Problem {
			if problems++; problems > sweepPage {
				if err := s.sweep(ctx, page, now, &swept); err != nil {
					return swept, err
				}
				page, problems = page[:0], 1
			}
		}
		page = append(page, info)
	}
	return swept, s.sweep(ctx, page, now, &swept)
}

// sweep removes the files of some problems that are needed no more.
func (s *Service) sweep(ctx context.Context, page []blob.Info, now time.Time, swept *Swept) error {
	named, err := s.named(ctx, page)
	if err != nil {
		return err
	}
	for _, file := range page {
		a, ok := named[file.Key]
		if needed(file, a, ok, now, s.keepFiles) || swept.Foreign {
			swept.Files++
			swept.Bytes += file.Size
			continue
		}
		if err := s.files.Delete(ctx, file.Key); err != nil {
			return err
		}
		swept.Removed++
	}
	return nil
}

// needed reports whether a file has to stay. named is false if no record names it.
func needed(file blob.Info, a problem.Attachment, named bool, now time.Time, keep time.Duration) bool {
	switch {
	case !named:
		return now.Sub(file.Stored) <= unnamedFor
	case a.Deleted.IsZero():
		return true
	}
	return now.Sub(a.Deleted) <= keep
}

// named returns the records of files.
func (s *Service) named(ctx context.Context, page []blob.Info) (map[blob.Key]problem.Attachment, error) {
	var ids []problem.ID
	for _, file := range page {
		if len(ids) == 0 || ids[len(ids)-1] != file.Problem {
			ids = append(ids, file.Problem)
		}
	}
	named := map[blob.Key]problem.Attachment{}
	if len(ids) == 0 {
		return named, nil
	}
	return named, s.store.View(ctx, func(r store.Reader) error {
		found, err := r.Problems(ctx, ids, ident.None, store.Attachments)
		for _, p := range found {
			for _, a := range p.Attachments {
				named[blob.Key{Problem: p.ID, Attachment: a.ID}] = a
			}
		}
		return err
	})
}

// claimFiles reports whether the files belong to another store. Otherwise it gives them a new
// name, which the store remembers. So a copy of the store does not know the names that the
// files have had since, and neither does an older backup.
func (s *Service) claimFiles(ctx context.Context) (foreign bool, err error) {
	owner, err := s.files.Owner(ctx) // before the names: a store remembers each before the files have it
	if err != nil {
		return false, err
	}
	for {
		l, names, err := s.fileNames(ctx)
		if err != nil {
			return false, err
		}
		m, err := s.moment(ctx)
		if err != nil {
			return false, err
		}
		batch, name := m.IDs.Next(), m.IDs.Next()
		if !owner.IsNone() && !slices.Contains(names, owner.String()) {
			if s.ownsFiles.Swap(false) {
				// A copy of this store has just taken them. With a name that nobody knows,
				// it removes none that only this store names.
				err = s.files.Own(ctx, name)
			}
			return true, err
		}
		names = append(names, name.String())
		err = s.commit(ctx, store.Change{
			Batch: batch, At: m.At,
			Expect: []store.Expectation{store.LeaseAt{Name: filesLease, Version: l.Version}},
			Effects: []store.Effect{store.PutLease{Lease: lease.Lease{
				Name: filesLease, Version: batch, State: strings.Join(names[max(0, len(names)-namesKept):], " "),
			}}},
		})
		if err == nil {
			s.ownsFiles.Store(true)
			return false, s.files.Own(ctx, name)
		}
		if !fault.Is(err, fault.Conflict) {
			return false, err
		}
	}
}

// FilesAreForeign reports whether the files belong to another store. It changes nothing.
func (s *Service) FilesAreForeign(ctx context.Context) (foreign bool, err error) {
	owner, err := s.files.Owner(ctx)
	if err != nil || owner.IsNone() {
		return false, err
	}
	_, names, err := s.fileNames(ctx)
	return !slices.Contains(names, owner.String()), err
}

// fileNames returns the last names that the store has given its files, and their lease.
func (s *Service) fileNames(ctx context.Context) (l lease.Lease, names []string, err error) {
	err = s.store.View(ctx, func(r store.Reader) (err error) {
		l, _, err = r.Lease(ctx, filesLease)
		return err
	})
	return l, strings.Fields(l.State), err
}
