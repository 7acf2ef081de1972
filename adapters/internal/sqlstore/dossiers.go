package sqlstore

import (
	"context"

	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/relationship"
	"github.com/problemtracking/problems/domain/snapshot"
	"github.com/problemtracking/problems/domain/store"
)

// Dossiers implements store.Reader. It reads the problems first, then each kind of their
// parts for all problems together.
func (r Reader) Dossiers(ctx context.Context, after problem.ID, limit int) ([]store.Dossier, error) {
	var found []store.Dossier
	if err := r.Read(ctx, rows(&found, func(scan func(...any) error, o *store.Dossier) error {
		return inTable("problems", o.ID, scan(append([]any{(*int64)(&o.ID)}, r.fieldsInto(&o.Problem)...)...))
	}, "SELECT id, "+fieldColumns+" FROM problems WHERE id > ? ORDER BY id LIMIT ?", int64(after), limit)); err != nil {
		return nil, err
	}
	if len(found) == 0 {
		return nil, nil
	}
	of := owners[store.Dossier]{" BETWEEN ? AND ?", []any{int64(found[0].ID), int64(found[len(found)-1].ID)}, make(map[problem.ID]*store.Dossier, len(found))}
	for i := range found {
		of.byID[found[i].ID] = &found[i]
	}
	err := r.Read(ctx,
		collection(of, func(o *store.Dossier) *[]problem.Keyword { return &o.Keywords }, r.keywordInto, keywordsBy),
		collection(of, func(o *store.Dossier) *[]problem.LogEntry { return &o.Log }, r.logInto, logBy),
		collection(of, func(o *store.Dossier) *[]problem.Comment { return &o.Comments }, r.ownCommentInto, commentsBy),
		collection(of, func(o *store.Dossier) *[]relationship.Relationship { return &o.Relationships },
			func(scan func(...any) error, s *relationship.Relationship) (problem.ID, error) {
				err := scan((*int64)(&s.Owner), (*typeCode)(&s.Type), (*int64)(&s.Other), (*moment)(&s.Created), r.IDInto(&s.Author))
				return s.Owner, err
			}, listing{"relationships", "SELECT owner, type, other, created, author FROM relationships WHERE owner", "owner, type, other"}),
		collection(of, func(o *store.Dossier) *[]ident.ID { return &o.Watchers }, r.userInto, watchersBy),
		collection(of, func(o *store.Dossier) *[]ident.ID { return &o.Readers }, r.userInto,
			listing{"reads", "SELECT problem, user_id FROM reads WHERE problem", "problem, user_id"}),
		collection(of, func(o *store.Dossier) *[]snapshot.Savepoint { return &o.Savepoints }, r.savepointInto, savepointsBy),
		collection(of, func(o *store.Dossier) *[]problem.Attachment { return &o.Attachments }, r.ownAttachmentInto, attachmentsBy),
	)
	return found, err
}

// DossierRows returns the rows of a problem and of all its parts. The problem's revision
// is of the batch. Within each table, positions have to be given in the order of the
// rows.
func (d *Dialect) DossierRows(o store.Dossier, batch ident.ID) []Row {
	rows := make([]Row, 0, 1+len(o.Savepoints)+len(o.Log)+len(o.Comments)+len(o.Keywords)+len(o.Relationships)+len(o.Watchers)+len(o.Readers)+len(o.Attachments))
	rows = append(rows, d.problemRow(o.Problem, o.Size(), batch))
	for _, s := range o.Savepoints {
		rows = append(rows, d.savepointRow(s))
	}
	for _, e := range o.Log {
		rows = append(rows, d.logRow(e))
	}
	for _, c := range o.Comments {
		rows = append(rows, d.commentRow(o.ID, c))
	}
	for _, a := range o.Attachments {
		rows = append(rows, d.attachmentRow(o.ID, a))
	}
	for _, k := range o.Keywords {
		rows = append(rows, d.keywordRow(o.ID, k))
	}
	for _, r := range o.Relationships {
		rows = append(rows, d.relationshipRow(r))
	}
	for _, user := range o.Watchers {
		rows = append(rows, d.watcherRow(o.ID, user))
	}
	for _, user := range o.Readers {
		rows = append(rows, d.readRow(o.ID, user))
	}
	return rows
}
