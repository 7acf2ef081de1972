package sqlstore

import (
	"context"
	"slices"
	"time"

	"github.com/problemtracking/problems/domain/access"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/relationship"
	"github.com/problemtracking/problems/domain/snapshot"
	"github.com/problemtracking/problems/domain/store"
)

// Session runs queries at one moment of the data. Its errors are faults.
type Session interface {
	// Read runs the queries one after the other, at once if it can.
	Read(ctx context.Context, queries ...Query) error
	// ReadOnce runs a query with a text of its own, not worth keeping prepared. The
	// query may take long: it stops when ctx ends.
	// All rows have to be found before the first one is returned.
	ReadOnce(ctx context.Context, query Query) error
}

// Reader is a store.Reader on a Session.
type Reader struct {
	*Dialect
	Session
}

var _ store.Reader = Reader{}

// Problem implements store.Reader.
func (r Reader) Problem(ctx context.Context, id problem.ID, as ident.ID, parts snapshot.Parts) (snapshot.Snapshot, error) {
	s := snapshot.Snapshot{Problem: problem.Problem{ID: id}}
	of := owner{" = ?", []any{int64(id)}}
	if parts.Has(snapshot.IfSmall) {
		of = owner{" = (SELECT id FROM problems WHERE id = ? AND size <= ?)", []any{int64(id), snapshot.Small}}
	}
	found := false
	queries := make([]Query, 1, 4)
	queries[0] = Query{SQL: readProblem, Args: []any{r.ID(as), r.ID(as), int64(id)}, Row: func(scan func(...any) error) error {
		found = true
		return inTable("problems", id, scan(r.snapshotInto(&s)...))
	}}
	for _, part := range []struct {
		snapshot.Parts
		query func(*snapshot.Snapshot, owner) Query
	}{
		{snapshot.Keywords, r.keywordsOf},
		{snapshot.Log, r.logOf},
		{snapshot.Comments, r.commentsOf},
		{snapshot.Relationships, r.relationshipsOf},
		{snapshot.Watchers, r.watchersOf},
		{snapshot.Savepoints, r.savepointsOf},
		{snapshot.Attachments, r.attachmentsOf},
	} {
		if parts.Has(part.Parts) {
			q := part.query(&s, of)
			q.Long = q.Long || !parts.Has(snapshot.IfSmall)
			queries = append(queries, q)
		}
	}
	if err := r.Read(ctx, queries...); err != nil {
		return snapshot.Snapshot{}, err
	}
	if !found {
		return snapshot.Snapshot{}, fault.New(fault.ProblemNotFound, "problem %d does not exist", id)
	}
	return s, nil
}

// owner ends a column with the number of a problem: it selects one problem's rows, with
// its arguments.
type owner struct {
	where string
	args  []any
}

var readProblem = "SELECT " + snapshotColumns + " FROM problems WHERE id = ?"

// rows returns the query that appends each row, scanned by read.
func rows[T any](list *[]T, read func(scan func(...any) error, one *T) error, sql string, args ...any) Query {
	return Query{
		SQL: sql, Args: args,
		Grow: func(rows int) { *list = slices.Grow(*list, rows) },
		Row: func(scan func(...any) error) error {
			var none T
			*list = append(*list, none) // read scans into the element of the list
			return read(scan, &(*list)[len(*list)-1])
		},
	}
}

func (r Reader) keywordsOf(s *snapshot.Snapshot, of owner) Query {
	id := s.ID
	return rows(&s.Keywords, func(scan func(...any) error, k *problem.Keyword) error {
		return inTable("keywords", id, scan(&k.Name, (*nullText)(&k.Value)))
	}, "SELECT name, value FROM keywords WHERE problem"+of.where+" ORDER BY name", of.args...)
}

func (r Reader) logOf(s *snapshot.Snapshot, of owner) Query {
	id := s.ID
	var into []any // for all rows
	q := rows(&s.Log, func(scan func(...any) error, e *problem.LogEntry) error {
		e.Problem = id
		into = r.entryInto(into[:0], e)
		return inTable("log", id, scan(into...))
	}, "SELECT "+entryColumns+" FROM log WHERE problem"+of.where+" ORDER BY position", of.args...)
	row := q.Row
	q.Row = func(scan func(...any) error) error {
		if s.Log == nil { // a revision has an entry or more, and the size counts each
			q.Grow(int(max(0, min(s.Revision, s.Size/problem.Overhead))))
		}
		return row(scan)
	}
	return q
}

const entryColumns = "id, type, created, author, via, batch, field, old_value, new_value, revision"

// entryInto appends where the columns are read into.
func (d *Dialect) entryInto(into []any, e *problem.LogEntry) []any {
	return append(into,
		d.IDInto(&e.ID), (*string)(&e.Type), (*moment)(&e.Created), d.IDInto(&e.Author), d.IDInto(&e.Via), d.IDInto(&e.Batch),
		&e.Field, (*string)(&e.From), (*string)(&e.To), &e.Revision,
	)
}

func (r Reader) commentsOf(s *snapshot.Snapshot, of owner) Query {
	id := s.ID
	q := rows(&s.Comments, func(scan func(...any) error, c *problem.Comment) error {
		return inTable("comments", id, scan(r.commentInto(c)...))
	}, "SELECT "+commentColumns+" FROM comments WHERE problem"+of.where+" ORDER BY position", of.args...)
	q.Long = true
	return q
}

const commentColumns = "id, author, via, created, text, html, edited, editor, deleted"

func (d *Dialect) commentInto(c *problem.Comment) []any {
	return []any{d.IDInto(&c.ID), d.IDInto(&c.Author), d.IDInto(&c.Via), (*moment)(&c.Created), &c.Text, (*nullText)(&c.HTML),
		(*moment)(&c.Edited), d.IDInto(&c.Editor), &c.Deleted}
}

func (r Reader) relationshipsOf(s *snapshot.Snapshot, of owner) Query {
	id := s.ID
	return rows(&s.Relationships, func(scan func(...any) error, o *snapshot.Related) error {
		_, err := r.relatedInto(scan, o)
		return inTable("relationships", id, err)
	}, relatedBy.sql+of.where+" ORDER BY r.type, r.other", of.args...)
}

func (r Reader) watchersOf(s *snapshot.Snapshot, of owner) Query {
	id := s.ID
	return rows(&s.Watchers, func(scan func(...any) error, user *ident.ID) error {
		return inTable("watchers", id, scan(r.IDInto(user)))
	}, "SELECT user_id FROM watchers WHERE problem"+of.where, of.args...)
}

func (r Reader) savepointsOf(s *snapshot.Snapshot, of owner) Query {
	id := s.ID
	return rows(&s.Savepoints, func(scan func(...any) error, p *snapshot.Savepoint) error {
		p.ID = id
		return inTable("savepoints", id, scan(append(r.fieldsInto(&p.Problem), r.IDInto(&p.Batch))...))
	}, "SELECT "+fieldColumns+", batch FROM savepoints WHERE problem"+of.where+" ORDER BY position", of.args...)
}

func (r Reader) attachmentsOf(s *snapshot.Snapshot, of owner) Query {
	id := s.ID
	return rows(&s.Attachments, func(scan func(...any) error, a *problem.Attachment) error {
		return inTable("attachments", id, scan(r.attachmentInto(a)...))
	}, "SELECT "+attachmentColumns+" FROM attachments WHERE problem"+of.where+" ORDER BY position", of.args...)
}

const attachmentColumns = "id, name, media_type, size, digest, author, created, deleted"

func (d *Dialect) attachmentInto(a *problem.Attachment) []any {
	return []any{d.IDInto(&a.ID), &a.Name, &a.MediaType, &a.Bytes, (*digest)(&a.Digest), d.IDInto(&a.Author), (*moment)(&a.Created), (*moment)(&a.Deleted)}
}

// Neighbours implements store.Reader.
func (r Reader) Neighbours(ctx context.Context, t relationship.Type, owners []problem.ID) (found []relationship.Relationship, err error) {
	err = r.Read(ctx, rows(&found, func(scan func(...any) error, o *relationship.Relationship) error {
		o.Type = t
		return scan((*int64)(&o.Owner), (*int64)(&o.Other), (*moment)(&o.Created), r.IDInto(&o.Author))
	}, r.neighbours, typeCode(t), r.List(owners)))
	return found, err
}

// History implements store.Reader. There is but one.
func (Reader) History() store.History { return 0 }

// Catalogue implements store.Reader.
func (r Reader) Catalogue(ctx context.Context) (*metadata.Catalogue, error) {
	var versions store.Versions
	var content metadata.Content
	var steps [][2]ident.ID // from a state to a next one
	if err := r.Read(ctx,
		r.versionsInto(&versions),
		all(r.Dialect, &content.States, stateRow.object),
		all(r.Dialect, &steps, stateNextRow.object),
		all(r.Dialect, &content.Priorities, priorityRow.object),
		all(r.Dialect, &content.Classifications, classificationRow.object),
		all(r.Dialect, &content.Components, componentRow.object),
		all(r.Dialect, &content.Milestones, milestoneRow.object),
		all(r.Dialect, &content.Users, userRow.object),
	); err != nil {
		return nil, err
	}
	next := make(map[ident.ID][]ident.ID)
	for _, step := range steps {
		next[step[0]] = append(next[step[0]], step[1])
	}
	for i := range content.States {
		content.States[i].Next = next[content.States[i].ID]
	}
	return metadata.NewCatalogue(versions.Catalogue, content), nil
}

// Versions implements store.Reader.
func (r Reader) Versions(ctx context.Context) (v store.Versions, err error) {
	err = r.Read(ctx, r.versionsInto(&v))
	return v, err
}

func (d *Dialect) versionsInto(v *store.Versions) Query {
	return Query{SQL: "SELECT " + VersionColumns + " FROM versions",
		Row: func(scan func(...any) error) error { return scan(d.VersionsInto(v)...) }}
}

// VersionColumns are the columns of the versions, in the order of VersionsInto.
const VersionColumns = "catalogue, catalogue_batch, access, access_batch"

// VersionsInto returns where the columns are read into.
func (d *Dialect) VersionsInto(v *store.Versions) []any {
	return []any{&v.Catalogue.Number, d.IDInto(&v.Catalogue.Batch), &v.Access.Number, d.IDInto(&v.Access.Batch)}
}

// VersionValues returns the values of the columns.
func (d *Dialect) VersionValues(v store.Versions) []any {
	return []any{v.Catalogue.Number, d.ID(v.Catalogue.Batch), v.Access.Number, d.ID(v.Access.Batch)}
}

const tokenColumns = "id, user_id, scope, digest, created, expires, revoked, invitation, name, last_use"

// Tokens implements store.Reader.
func (r Reader) Tokens(ctx context.Context) (tokens []access.Token, err error) {
	err = r.Read(ctx, rows(&tokens, func(scan func(...any) error, t *access.Token) error {
		return scan(r.IDInto(&t.ID), r.IDInto(&t.User), (*string)(&t.Scope), (*digest)(&t.Digest),
			(*moment)(&t.Created), (*moment)(&t.Expires), (*moment)(&t.Revoked), &t.Invitation, (*optionalText)(&t.Name), (*moment)(&t.LastUse))
	}, "SELECT "+tokenColumns+" FROM tokens ORDER BY position"))
	return tokens, err
}

// Reply implements store.Reader.
func (r Reader) Reply(ctx context.Context, user ident.ID, key string) (reply store.Reply, ok bool, err error) {
	err = r.Read(ctx, Query{SQL: "SELECT fingerprint, created, body, coalesce(about, 0), comment FROM replies WHERE user_id = ? AND key = ?", Args: []any{r.ID(user), key},
		Row: func(scan func(...any) error) error {
			ok = true
			return scan((*digest)(&reply.Fingerprint), (*moment)(&reply.Created), &reply.Body, (*int64)(&reply.About.Problem), r.IDInto(&reply.About.Comment))
		}})
	if !ok || err != nil {
		return store.Reply{}, false, err
	}
	reply.User, reply.Key = user, key
	return reply, true, nil
}

// Oldest implements store.Reader.
func (r Reader) Oldest(ctx context.Context) (at time.Time, ok bool, err error) {
	err = r.Read(ctx, Query{SQL: "SELECT min(at) FROM (SELECT min(at) AS at FROM batches UNION ALL SELECT min(created) FROM replies) kept",
		Row: func(scan func(...any) error) error { return scan((*moment)(&at)) }})
	return at, !at.IsZero(), err
}
