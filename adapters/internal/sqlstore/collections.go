package sqlstore

import (
	"fmt"

	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/snapshot"
)

// owners are the objects of several problems. The rows of collections are read into them.
type owners[Object any] struct {
	// where follows a column with the number of a problem, and selects the owners.
	where string
	args  []any
	byID  map[problem.ID]*Object
}

// listing selects the rows of one collection: the table, a statement up to the column of
// the problem's number, and the order of the rows.
type listing struct{ table, sql, order string }

// collection returns the query for the rows of one collection; it appends them to the
// lists of their owners. read returns the problem of a row.
func collection[Object, T any](o owners[Object], list func(*Object) *[]T, read func(func(...any) error, *T) (problem.ID, error), l listing) Query {
	return Query{SQL: l.sql + o.where + " ORDER BY " + l.order, Args: o.args, Row: func(scan func(...any) error) error {
		var one T
		id, err := read(scan, &one)
		if err != nil {
			return inTable(l.table, id, err)
		}
		if owner := o.byID[id]; owner != nil {
			all := list(owner)
			*all = append(*all, one)
		}
		return nil
	}}
}

// inTable adds to an error the place of the unreadable row: operators mend it there.
func inTable(table string, id problem.ID, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("table %s, problem %d: %w", table, id, err)
}

// The collections of problems, each with its function for reading a row.

var keywordsBy = listing{"keywords", "SELECT problem, name, value FROM keywords WHERE problem", "problem, name"}

func (*Dialect) keywordInto(scan func(...any) error, k *problem.Keyword) (id problem.ID, err error) {
	err = scan((*int64)(&id), &k.Name, (*nullText)(&k.Value))
	return id, err
}

var logBy = listing{"log", "SELECT problem, " + entryColumns + " FROM log WHERE problem", "problem, position"}

func (d *Dialect) logInto(scan func(...any) error, e *problem.LogEntry) (problem.ID, error) {
	err := scan(d.entryInto([]any{(*int64)(&e.Problem)}, e)...)
	return e.Problem, err
}

var commentsBy = listing{"comments", "SELECT problem, " + commentColumns + " FROM comments WHERE problem", "problem, position"}

func (d *Dialect) ownCommentInto(scan func(...any) error, c *problem.Comment) (id problem.ID, err error) {
	err = scan(append([]any{(*int64)(&id)}, d.commentInto(c)...)...)
	return id, err
}

var attachmentsBy = listing{"attachments", "SELECT problem, " + attachmentColumns + " FROM attachments WHERE problem", "problem, position"}

func (d *Dialect) ownAttachmentInto(scan func(...any) error, a *problem.Attachment) (id problem.ID, err error) {
	err = scan(append([]any{(*int64)(&id)}, d.attachmentInto(a)...)...)
	return id, err
}

var watchersBy = listing{"watchers", "SELECT problem, user_id FROM watchers WHERE problem", "problem, user_id"}

func (d *Dialect) userInto(scan func(...any) error, user *ident.ID) (id problem.ID, err error) {
	err = scan((*int64)(&id), d.IDInto(user))
	return id, err
}

var savepointsBy = listing{"savepoints", "SELECT problem, batch, " + fieldColumns + " FROM savepoints WHERE problem", "problem, position"}

func (d *Dialect) savepointInto(scan func(...any) error, s *snapshot.Savepoint) (problem.ID, error) {
	err := scan(append([]any{(*int64)(&s.ID), d.IDInto(&s.Batch)}, d.fieldsInto(&s.Problem)...)...)
	return s.ID, err
}
