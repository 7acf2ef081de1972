package tracker

import (
	"context"
	"time"

	"github.com/problemtracking/problems/domain/blob"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/snapshot"
	"github.com/problemtracking/problems/domain/store"
)

const (
	// unnamedFor is the age of a file that no record will name any more. An upload takes an
	// hour at most, and its record comes within an hour (D48).
	unnamedFor = 24 * time.Hour
	// sweepPage is how many problems the sweep looks up at once.
	sweepPage = 100
)

// Swept is what a sweep of files has found.
type Swept struct {
	Files, Bytes int64 // that are there, without the removed ones
	Removed      int64
	// State is the state of the files. Only those of the store's own were removed.
	State FilesState
}

// SweepFiles removes the files that nothing names any more, and those of attachments deleted
// long ago (D48). It removes nothing unless the files are the store's own. Without a store for
// files it does nothing.
func (s *Service) SweepFiles(ctx context.Context) (swept Swept, err error) {
	if s.files == nil {
		return swept, nil
	}
	if swept.State, err = s.FilesState(ctx); err == nil && swept.State == FilesOwn {
		swept.State, err = s.ClaimFiles(ctx)
	}
	if err == nil {
		swept.State, err = s.disputeFiles(ctx, swept.State)
	}
	if err != nil {
		return swept, err
	}
	now, err := s.core.Clock.Read(ctx)
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
	if err = s.sweep(ctx, page, now, &swept); err == nil {
		s.filesRoom.measured(swept.Bytes)
	}
	return swept, err
}

// sweep removes the files of some problems that are needed no more.
func (s *Service) sweep(ctx context.Context, page []blob.Info, now time.Time, swept *Swept) error {
	named, err := s.named(ctx, page)
	if err != nil {
		return err
	}
	for _, file := range page {
		a, ok := named[file.Key]
		if needed(file, a, ok, now, s.keepFiles) || swept.State != FilesOwn {
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
	return named, s.core.Store.View(ctx, func(r store.Reader) error {
		found, err := r.Problems(ctx, ids, ident.None, snapshot.Attachments)
		for _, p := range found {
			for _, a := range p.Attachments {
				named[blob.Key{Problem: p.ID, Attachment: a.ID}] = a
			}
		}
		return err
	})
}
