package postgres

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/problemtracking/problems/adapters/internal/sqlstore"
)

// mostJoined is how many rows of each query are read by a joined statement: the server
// puts them together in memory, and the rows of one problem can be large and many.
const mostJoined = 256

// joined returns one statement for several queries. A statement has a snapshot of its
// own, so it shows one moment without a transaction. It returns one row with a column for
// each query: an array of the rows found, in their order, as records. A query with more
// than mostJoined rows returns one more than that. "make bench" knows this form.
func joined(queries []sqlstore.Query) (sql string, args []any) {
	limit := strconv.Itoa(mostJoined + 1)
	var b strings.Builder
	for i, q := range queries {
		if i == 0 {
			b.WriteString("SELECT ")
		} else {
			b.WriteString(", ")
		}
		b.WriteString("ARRAY(SELECT found FROM (")
		b.WriteString(q.SQL)
		b.WriteString(") found LIMIT ")
		b.WriteString(limit)
		b.WriteString(")")
		args = append(args, q.Args...)
	}
	return b.String(), args
}

// joins reports whether the queries can be one statement. Its records arrive in binary. A
// pooler prepares nothing, and so does not send them in binary. Citus cannot pass them on
// from another server.
func (v *view) joins(queries []sqlstore.Query) bool {
	return !v.store.options.Pooler && !v.store.citus && !slices.ContainsFunc(queries, func(q sqlstore.Query) bool { return q.Long })
}

// readJoined reads the answers to all queries with one statement, outside of a
// transaction. all is false when there is more than the statement can return: then
// nothing was read. It returns the number of rows read, also when it fails.
func (v *view) readJoined(ctx context.Context, queries []sqlstore.Query) (rows int, all bool, err error) {
	sql, args := joined(queries)
	inBinary := pgx.QueryResultFormats{pgx.BinaryFormatCode}
	found, err := v.conn.Query(ctx, v.store.texts.plainOf(sql), append([]any{inBinary}, args...)...)
	if err != nil {
		return 0, false, err
	}
	defer found.Close()
	all = true
	for found.Next() {
		if rows, all, err = v.split(queries, found.RawValues()); err != nil {
			return rows, all, err
		}
	}
	return rows, all, found.Err()
}

// split distributes the rows of a joined statement.
func (v *view) split(queries []sqlstore.Query, columns [][]byte) (rows int, all bool, err error) {
	found := make([]records, len(queries))
	for i, column := range columns {
		if found[i], err = newRecords(column, v.conn.Conn().TypeMap()); err != nil {
			return 0, false, err
		}
		if found[i].n > mostJoined {
			return 0, false, nil
		}
	}
	for i, q := range queries {
		r := &found[i]
		if q.Grow != nil && r.n > 0 {
			q.Grow(r.n)
		}
		scan := r.scan
		for range r.n {
			rows++
			if err := r.next(); err != nil {
				return rows, true, err
			}
			if err := q.Row(scan); err != nil {
				return rows, true, err
			}
		}
	}
	return rows, true, nil
}
