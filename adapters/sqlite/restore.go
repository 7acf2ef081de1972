package sqlite

import (
	"context"

	"github.com/problemtracking/problems/domain/store"
)

// Restore implements store.Store. It is one task of the writer: other Commits
// wait until it is done, reads do not. The task is alone, because the problems
// can be ranged over only once.
func (s *Store) Restore(ctx context.Context, archive store.Archive) error {
	return s.hand(ctx, task{alone: true, do: func(t *transaction) error { return t.restore(ctx, archive) }})
}

func (t *transaction) restore(ctx context.Context, archive store.Archive) error {
	if err := t.expect(store.StoreEmpty{}); err != nil {
		return err
	}
	if err := t.apply(archive.Head()); err != nil {
		return err
	}
	t.Versions = archive.Versions()
	for dossier, err := range archive.Problems {
		if err != nil {
			return err
		}
		for _, row := range t.dialect.DossierRows(dossier, archive.BatchOf(dossier)) {
			if err := t.do(row.Statement(t.dialect, t.next)); err != nil {
				return err
			}
		}
		if err := store.Ended(ctx); err != nil {
			return err
		}
	}
	if err := t.restoreFeed(ctx, archive); err != nil {
		return err
	}
	t.changes++
	return store.Ended(ctx)
}

func (t *transaction) restoreFeed(ctx context.Context, archive store.Archive) error {
	if archive.Feed == nil {
		return nil
	}
	for entry, err := range archive.Feed {
		if err != nil {
			return err
		}
		row, err := t.dialect.FeedRow(entry)
		if err != nil {
			return err
		}
		if err := t.do(row.Statement(t.dialect, t.next)); err != nil {
			return err
		}
		if err := store.Ended(ctx); err != nil {
			return err
		}
	}
	return nil
}
