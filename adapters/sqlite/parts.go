package sqlite

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/problemtracking/problems/adapters/internal/sqlstore"
	"github.com/problemtracking/problems/adapters/internal/sqlstore/sqlsearch"
	"github.com/problemtracking/problems/domain/predicate"
)

// The index of parts of texts costs more than most writes. So a server fills it in portions, beside
// them, and a search looks at the texts behind it one by one. Other processes leave this to the next
// server.

const (
	// partsBehind is the number of rows that the index waits for while others write: a small portion
	// costs more.
	partsBehind = 500
	// A portion is of some rows, and of about so many bytes of text, or one row.
	portionRows  = 200
	portionBytes = 32 << 10
	// partsPause is the time between looks for something to do.
	partsPause = 5 * time.Second
	// partsShare is the ratio of the time between portions to that for one, beside other writes.
	partsShare = 39
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

// findParts returns the statement for the rows that can have a text.
func findParts(s sqlsearch.Sought, most int) sqlstore.Statement {
	p := partedTitles
	if s.Of == predicate.Comment {
		p = partedComments
	}
	return sqlstore.Statement{SQL: p.statement("WITH found AS MATERIALIZED (SELECT rowid AS row FROM {parts} WHERE {parts} MATCH ? " +
		"UNION ALL SELECT {key} FROM {table} WHERE {key} > (SELECT {parts} FROM versions) LIMIT ?) " +
		"SELECT n, iif(n <= ?, (SELECT json_group_array(row) FROM found), NULL) FROM (SELECT count(*) AS n FROM found)"), Args: []any{trigrams(s.Text), most + 1, most}}
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
	changes := s.writer.changes.Load()
	for pause, more, done := partsPause, false, false; ; {
		var began time.Time
		select {
		case <-closing:
			return
		case began = <-time.After(pause):
		}
		pause = partsPause
		now := s.writer.changes.Load()
		idle := now == changes
		if idle && done {
			continue
		}
		behind := partsBehind
		if idle || more {
			behind = 0
		}
		var err error
		if more, err = s.addParts(ctx, behind); err != nil { // the disk is full: writes say so
			continue
		}
		done, changes = !more && behind == 0, now
		if more { // also by the portion
			changes = s.writer.changes.Load()
		}
		switch took := (<-time.After(0)).Sub(began); { // the tick of a timer has its time
		case more && idle:
			pause = took
		case more:
			pause = partsShare * took
		}
	}
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
