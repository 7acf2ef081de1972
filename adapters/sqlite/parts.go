package sqlite

import (
	"context"
	"fmt"
	"strings"

	"github.com/problemtracking/problems/adapters/internal/sqlstore"
	"github.com/problemtracking/problems/adapters/internal/sqlstore/sqlsearch"
	"github.com/problemtracking/problems/domain/predicate"
)

// A portion is of some rows, and of about so many bytes of text, or one row.
const (
	portionRows  = 200
	portionBytes = 32 << 10
)

// parted is a table with an index of the parts of its texts.
type parted struct{ parts, table, key, text string }

var (
	partedTitles   = parted{"title_parts", "problems", "id", "title"}
	partedComments = parted{"comment_parts", "comments", "position", "text"}
)

// statement returns the statement that replaces {parts}, {table}, {key} and {text}, the most folded text.
func (p parted) statement(form string) string {
	return strings.NewReplacer("{parts}", p.parts, "{table}", p.table, "{key}", p.key,
		"{text}", fmt.Sprintf("coalesce(%[1]s_cd, %[1]s_c, %[1]s)", p.text)).Replace(form)
}

// findParts looks for the rows that can have a text.
func findParts(ctx context.Context, session sqlstore.Session, s sqlsearch.Sought, most int) (found int, list any, err error) {
	p := partedTitles
	if s.Of == predicate.Comment {
		p = partedComments
	}
	var rows *string
	err = session.ReadOnce(ctx, sqlstore.Query{
		SQL: p.statement("WITH found AS MATERIALIZED (SELECT rowid AS row FROM {parts} WHERE {parts} MATCH ? " +
			"UNION ALL SELECT {key} FROM {table} WHERE {key} > (SELECT {parts} FROM versions) LIMIT ?) " +
			"SELECT n, iif(n <= ?, (SELECT json_group_array(row) FROM found), NULL) FROM (SELECT count(*) AS n FROM found)"),
		Args: []any{trigrams(s.Text), most + 1, most},
		Row:  func(scan func(...any) error) error { return scan(&found, &rows) },
	})
	if rows != nil {
		list = *rows
	}
	return found, list, err
}

// mostTrigrams limits how many lists of rows are read for a long text.
const mostTrigrams = 32

// trigrams returns the expression for texts with all trigrams of a text.
func trigrams(text string) string {
	var b strings.Builder
	runes := []rune(text)
	for i := range min(len(runes)-2, mostTrigrams) {
		if i > 0 {
			b.WriteString(" AND ")
		}
		b.WriteString(`"` + strings.ReplaceAll(string(runes[i:i+3]), `"`, `""`) + `"`)
	}
	return b.String()
}

// fillParts fills the index until the store closes.
func (s *Store) fillParts(closing <-chan struct{}) {
	ctx := context.Background()
	sqlstore.FillParts(closing,
		func() (uint64, error) { return s.writer.changes.Load(), nil },
		func(behind int) (bool, error) { return s.addParts(ctx, behind) })
}

// addParts adds a portion to each part of the index that is more than so many rows behind. It
// reports whether there was one.
func (s *Store) addParts(ctx context.Context, behind int) (more bool, err error) {
	for _, p := range []parted{partedTitles, partedComments} {
		var lags bool
		err := s.read(ctx, func(c *conn) error {
			_, err := c.one([]any{&lags}, p.statement("SELECT count(*) > ? FROM (SELECT 1 FROM {table} WHERE {key} > (SELECT {parts} FROM versions) LIMIT ?)"), behind, behind+1)
			return err
		})
		if err == nil && lags {
			more = true
			err = s.submit(ctx, func(t *transaction) error { return t.addParts(p) })
		}
		if err != nil {
			return more, err
		}
	}
	return more, nil
}

// addParts adds a portion to a part of the index.
func (t *transaction) addParts(p parted) error {
	var from, to int64
	if _, err := t.one([]any{&from, &to}, p.statement("SELECT {parts}, coalesce((SELECT max(number) FROM "+
		"(SELECT number, sum(size) OVER (ORDER BY number) - size AS before FROM "+
		"(SELECT {key} AS number, octet_length({text}) AS size FROM {table} WHERE {key} > (SELECT {parts} FROM versions) ORDER BY {key} LIMIT ?)) WHERE before < ?), {parts}) FROM versions"), portionRows, portionBytes); err != nil {
		return err
	}
	for _, s := range []sqlstore.Statement{
		{SQL: "INSERT INTO {parts} (rowid, text) SELECT {key}, {text} FROM {table} WHERE {key} > ? AND {key} <= ?", Args: []any{from, to}},
		{SQL: "UPDATE versions SET {parts} = ?", Args: []any{to}},
	} {
		if _, err := t.exec(p.statement(s.SQL), s.Args...); err != nil {
			return err
		}
	}
	t.changes++
	return nil
}
