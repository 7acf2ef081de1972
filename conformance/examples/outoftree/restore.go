package boltstore

import (
	"context"

	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/store"
)

// Restore implements store.Store. All of the Archive is one transaction. bbolt holds it
// in memory until the commit: a few times the size of the Archive's text. For larger
// Archives, an adapter would fill a bucket of its own in several transactions, and move
// it to its final position in the last one.
func (s *Store) Restore(ctx context.Context, archive store.Archive) error {
	return s.write(ctx, func(c contents) error { return c.restore(ctx, archive) })
}

func (c contents) restore(ctx context.Context, archive store.Archive) error {
	if err := c.expect(store.StoreEmpty{}); err != nil {
		return err
	}
	if err := c.restoreHead(archive); err != nil {
		return err
	}
	for dossier, err := range archive.Problems {
		if err != nil {
			return err // the caller's own
		}
		if err := store.Ended(ctx); err != nil {
			return err
		}
		if err := c.restoreDossier(dossier, archive.BatchOf(dossier)); err != nil {
			return err
		}
	}
	if archive.Feed != nil {
		for entry, err := range archive.Feed {
			if err != nil {
				return err
			}
			if err := c.put(feed, number(entry.Number), entry); err != nil {
				return err
			}
		}
	}
	return store.Ended(ctx)
}

// restoreHead stores everything outside of the problems. These are effects like any
// others, except for the versions.
func (c contents) restoreHead(archive store.Archive) error {
	if err := c.apply(archive.Head()); err != nil {
		return err
	}
	versions := archive.Versions()
	if err := c.count(catalogueVersion, versions.Catalogue); err != nil {
		return err
	}
	return c.count(accessVersion, versions.Access)
}

// restoreDossier stores a problem with all its parts; its revision is of the batch.
// Savepoints have batches of their own here, so not everything is an effect.
func (c contents) restoreDossier(d store.Dossier, batch ident.ID) error {
	change := store.Change{Batch: batch, Effects: []store.Effect{store.CreateProblem{Problem: d.Problem, Size: d.Size()}}, Log: d.Log}
	add := func(effect store.Effect) { change.Effects = append(change.Effects, effect) }
	for _, k := range d.Keywords {
		add(store.PutKeyword{Problem: d.ID, Keyword: k})
	}
	for _, comment := range d.Comments {
		add(store.AddComment{Problem: d.ID, Comment: comment})
	}
	for _, a := range d.Attachments {
		add(store.PutAttachment{Problem: d.ID, Attachment: a})
	}
	for _, side := range d.Relationships {
		add(store.PutRelationship{Relationship: side})
	}
	for _, watcher := range d.Watchers {
		add(store.Watch{Problem: d.ID, User: watcher})
	}
	for _, reader := range d.Readers {
		add(store.MarkRead{Problem: d.ID, User: reader, Read: true})
	}
	if err := c.apply(change); err != nil {
		return err
	}
	for _, saved := range d.Savepoints {
		if err := c.effect(store.PutSavepoint{Problem: saved.Problem}, saved.Batch); err != nil {
			return err
		}
	}
	return nil
}
