package memory

import (
	"context"
	"slices"

	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/store"
)

// Restore implements store.Store. Commits go on while Restore reads the Archive. So the
// store may turn out to be in use only at the end.
func (s *Store) Restore(ctx context.Context, archive store.Archive) error {
	leave, err := s.calls.Enter(ctx)
	if err != nil {
		return err
	}
	defer leave()
	if !s.current.Load().empty() {
		return conflict("the store is not empty")
	}
	var problems tree[*record]
	known := newInterned()
	var highest problem.ID
	for dossier, err := range archive.Problems {
		if err != nil {
			return err // the caller's own
		}
		if err := store.Ended(ctx); err != nil {
			return err
		}
		problems = problems.put(uint64(dossier.ID), recordOf(dossier, archive.BatchOf(dossier), known))
		highest = max(highest, dossier.ID)
	}
	feed, forgotten, err := feedOf(ctx, archive, known)
	if err != nil {
		return err
	}
	s.writer.Lock()
	defer s.writer.Unlock()
	if err := store.Ended(ctx); err != nil {
		return err
	}
	next := *s.current.Load()
	if !next.empty() {
		return conflict("the store is not empty")
	}
	next.position++
	next.versions = archive.Versions()
	next.problems = problems
	next.tokens = slices.Clone(archive.Tokens)
	next.queries = slices.Clone(archive.Queries)
	next.webhooks = webhooksOf(archive)
	next.audit = slices.Clone(archive.Audit)
	next.feed, next.forgotten = feed, forgotten
	next.content = clone(archive.Metadata)
	next.catalogue = lazyCatalogue(next.versions.Catalogue, next.content)
	s.interned = known
	s.reserved = max(s.reserved, highest)
	s.current.Store(&next)
	return nil
}

// recordOf returns a record that shares no memory with the dossier, but some with others.
func recordOf(d store.Dossier, batch ident.ID, known interned) *record {
	r := &record{
		problem:       d.Problem,
		batch:         batch,
		keywords:      slices.Clone(d.Keywords),
		size:          d.Size(),
		relationships: slices.Clone(d.Relationships),
		watchers:      slices.Clone(d.Watchers),
		readers:       slices.Clone(d.Readers),
		log:           make([]entry, len(d.Log)),
		comments:      slices.Clone(d.Comments),
		attachments:   slices.Clone(d.Attachments),
		savepoints:    make([]savepoint, len(d.Savepoints)),
	}
	for i, k := range r.keywords {
		r.keywords[i].Name = known.name(k.Name)
	}
	for i, entry := range d.Log {
		r.log[i] = known.entry(entry)
	}
	for i, s := range d.Savepoints {
		for _, f := range problem.FieldsOf(problem.TextField) {
			if now, then := f.Text(&d.Problem), f.Text(&s.Problem); *then == *now {
				*then = *now // share one copy of the text
			}
		}
		r.savepoints[i] = known.savepoint(s.Batch, &s.Problem)
	}
	return r
}

// dossier returns a dossier that shares no memory with the record.
func (r *record) dossier() store.Dossier {
	return store.Dossier{
		Problem:       r.problem,
		Keywords:      slices.Clone(r.keywords),
		Relationships: slices.Clone(r.relationships),
		Watchers:      slices.SortedFunc(slices.Values(r.watchers), ident.ID.Compare),
		Readers:       slices.SortedFunc(slices.Values(r.readers), ident.ID.Compare),
		Log:           logOf(r.problem.ID, r.log),
		Comments:      slices.Clone(r.comments),
		Savepoints:    historyOf(r.problem.ID, r.savepoints),
		Attachments:   slices.Clone(r.attachments),
	}
}
