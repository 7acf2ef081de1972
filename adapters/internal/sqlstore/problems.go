package sqlstore

import (
	"context"

	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/snapshot"
	"github.com/problemtracking/problems/domain/store"
)

// Problems implements store.Reader. It reads the problems and each of their parts
// with one statement, however many they are.
func (r Reader) Problems(ctx context.Context, ids []problem.ID, as ident.ID, parts snapshot.Parts) ([]snapshot.Snapshot, error) {
	if len(ids) == 0 {
		return nil, store.Ended(ctx)
	}
	o := owners[snapshot.Snapshot]{" " + r.InList, []any{r.List(ids)}, make(map[problem.ID]*snapshot.Snapshot, len(ids))}
	if parts.Has(snapshot.IfSmall) {
		o.where, o.args = " IN (SELECT id FROM problems WHERE id "+r.InList+" AND size <= ?)", append(o.args, snapshot.Small)
	}
	queries := make([]Query, 1, 4)
	queries[0] = Query{SQL: r.readProblems, Args: []any{r.ID(as), r.ID(as), r.List(ids)}, Row: func(scan func(...any) error) error {
		s := new(snapshot.Snapshot)
		if err := scan(append([]any{(*int64)(&s.ID)}, r.snapshotInto(s)...)...); err != nil {
			return inTable("problems", s.ID, err)
		}
		o.byID[s.ID] = s
		return nil
	}}
	if parts.Has(snapshot.Keywords) {
		queries = append(queries, collection(o, func(s *snapshot.Snapshot) *[]problem.Keyword { return &s.Keywords }, r.keywordInto, keywordsBy))
	}
	if parts.Has(snapshot.Log) {
		queries = append(queries, collection(o, func(s *snapshot.Snapshot) *[]problem.LogEntry { return &s.Log }, r.logInto, logBy))
	}
	if parts.Has(snapshot.Comments) {
		queries = append(queries, collection(o, func(s *snapshot.Snapshot) *[]problem.Comment { return &s.Comments }, r.ownCommentInto, commentsBy))
	}
	if parts.Has(snapshot.Relationships) {
		queries = append(queries, collection(o, func(s *snapshot.Snapshot) *[]snapshot.Related { return &s.Relationships }, r.relatedInto, relatedBy))
	}
	if parts.Has(snapshot.Watchers) {
		queries = append(queries, collection(o, func(s *snapshot.Snapshot) *[]ident.ID { return &s.Watchers }, r.userInto, watchersBy))
	}
	if parts.Has(snapshot.Savepoints) {
		queries = append(queries, collection(o, func(s *snapshot.Snapshot) *[]snapshot.Savepoint { return &s.Savepoints }, r.savepointInto, savepointsBy))
	}
	if parts.Has(snapshot.Attachments) {
		queries = append(queries, collection(o, func(s *snapshot.Snapshot) *[]problem.Attachment { return &s.Attachments }, r.ownAttachmentInto, attachmentsBy))
	}
	if err := r.Read(ctx, queries...); err != nil {
		return nil, err
	}
	snapshots := make([]snapshot.Snapshot, 0, len(o.byID))
	for _, id := range ids {
		if s := o.byID[id]; s != nil {
			snapshots = append(snapshots, *s)
		}
	}
	return snapshots, nil
}

// snapshotColumns are the columns of a problem as a user sees it, in the order of
// snapshotInto. The first two arguments name the user.
var snapshotColumns = fieldColumns + `, batch, size, claim, claim_holder, claim_via, claim_expires,
	EXISTS (SELECT 1 FROM watchers WHERE problem = id AND user_id = ?),
	EXISTS (SELECT 1 FROM reads WHERE problem = id AND user_id = ?),
	EXISTS (SELECT 1 FROM reads WHERE problem = id AND user_id = assignee),
	(SELECT catalogue FROM versions), (SELECT catalogue_batch FROM versions)`

func (d *Dialect) snapshotInto(s *snapshot.Snapshot) []any {
	return append(d.fieldsInto(&s.Problem), d.IDInto(&s.Batch), &s.Size,
		d.IDInto(&s.Claim.ID), d.IDInto(&s.Claim.Holder), d.IDInto(&s.Claim.Via), (*moment)(&s.Claim.Expires), &s.Watching, &s.Read, &s.ReadByAssignee,
		&s.Catalogue.Number, d.IDInto(&s.Catalogue.Batch))
}

const relatedColumns = "r.type, r.other, r.created, r.author, coalesce(p.title, ''), p.state AS state_of_other FROM relationships r LEFT JOIN problems p ON p.id = r.other"

var relatedBy = listing{"relationships", "SELECT r.owner, " + relatedColumns + " WHERE r.owner", "r.owner, r.type, r.other"}

func (d *Dialect) relatedInto(scan func(...any) error, s *snapshot.Related) (problem.ID, error) {
	err := scan((*int64)(&s.Owner), (*typeCode)(&s.Type), (*int64)(&s.Other), (*moment)(&s.Created), d.IDInto(&s.Author), &s.OtherTitle, d.IDInto(&s.OtherState))
	return s.Owner, err
}
