package sqlstore

import (
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/store"
)

// pile are objects that are being read, each of which is a problem's.
type pile[Object any] struct {
	// where follows a column that has the number of a problem, and selects
	// those of the pile.
	where string
	args  []any
	at    map[problem.ID]*Object
}

// listing selects one kind of what belongs to problems: a statement up to the
// column that has the problem's number, and the order that its rows are to have.
type listing struct{ sql, order string }

// part returns the query that adds one kind of what belongs to problems to their
// objects. read returns to which problem a row belongs.
func part[Object, T any](p pile[Object], list func(*Object) *[]T, read func(func(...any) error, *T) (problem.ID, error), l listing) Query {
	return Query{SQL: l.sql + p.where + " ORDER BY " + l.order, Args: p.args, Row: func(scan func(...any) error) error {
		var one T
		id, err := read(scan, &one)
		if err != nil {
			return err
		}
		if owner := p.at[id]; owner != nil {
			all := list(owner)
			*all = append(*all, one)
		}
		return nil
	}}
}

// The kinds of what belongs to problems, with how their rows are read.

var keywordsBy = listing{"SELECT problem, name, value FROM keywords WHERE problem", "problem, name"}

func (*Dialect) keywordInto(scan func(...any) error, k *problem.Keyword) (id problem.ID, err error) {
	err = scan((*int64)(&id), &k.Name, (*nullText)(&k.Value))
	return id, err
}

var logBy = listing{"SELECT problem, " + entryColumns + " FROM log WHERE problem", "problem, position"}

func (d *Dialect) logInto(scan func(...any) error, e *problem.LogEntry) (problem.ID, error) {
	err := scan(d.entryInto([]any{(*int64)(&e.Problem)}, e)...)
	return e.Problem, err
}

var commentsBy = listing{"SELECT problem, " + commentColumns + " FROM comments WHERE problem", "problem, position"}

func (d *Dialect) ownCommentInto(scan func(...any) error, c *problem.Comment) (id problem.ID, err error) {
	err = scan(append([]any{(*int64)(&id)}, d.commentInto(c)...)...)
	return id, err
}

var watchersBy = listing{"SELECT problem, user_id FROM watchers WHERE problem", "problem, user_id"}

func (d *Dialect) markInto(scan func(...any) error, user *ident.ID) (id problem.ID, err error) {
	err = scan((*int64)(&id), d.IDInto(user))
	return id, err
}

var savepointsBy = listing{"SELECT problem, batch, " + fieldColumns + " FROM savepoints WHERE problem", "problem, position"}

func (d *Dialect) savepointInto(scan func(...any) error, s *store.Savepoint) (problem.ID, error) {
	err := scan(append([]any{(*int64)(&s.ID), d.IDInto(&s.Batch)}, d.fieldsInto(&s.Problem)...)...)
	return s.ID, err
}
