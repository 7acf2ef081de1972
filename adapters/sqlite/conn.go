package sqlite

import (
	"context"
	"database/sql"
	"database/sql/driver"
)

// conn is one connection to the file, with the statements that it has prepared.
// It connects when it is first used. Its errors are faults.
//
// Statements run without the caller's context, but for searches: watching it would
// cost about as much as a short statement itself.
type conn struct {
	pool     *sql.DB
	session  *sql.Conn
	prepared map[string]*sql.Stmt // by their text; nil while not connected
}

// connect makes sure that c is connected.
func (c *conn) connect() (err error) {
	if c.prepared != nil {
		return nil
	}
	if c.session, err = c.pool.Conn(context.Background()); err != nil {
		return classify(err)
	}
	c.prepared = make(map[string]*sql.Stmt)
	return nil
}

// drop ends the connection, and with it its transaction, whatever state that is
// in.
func (c *conn) drop() {
	if c.prepared != nil {
		// SQLite keeps a connection open as long as it has statements,
		// and database/sql forgets those of a sql.Conn.
		for _, statement := range c.prepared {
			_ = statement.Close()
		}
		_ = c.session.Raw(func(any) error { return driver.ErrBadConn })
		_ = c.session.Close()
		c.prepared = nil
	}
}

// prepare returns the statement, which is prepared when it is first used.
func (c *conn) prepare(query string) (*sql.Stmt, error) {
	if statement := c.prepared[query]; statement != nil {
		return statement, nil
	}
	if err := c.connect(); err != nil {
		return nil, err
	}
	statement, err := c.session.PrepareContext(context.Background(), query)
	if err != nil {
		return nil, classify(err)
	}
	c.prepared[query] = statement
	return statement, nil
}

// exec runs a statement and returns how many rows it touched.
func (c *conn) exec(query string, args ...any) (touched int64, err error) {
	statement, err := c.prepare(query)
	if err != nil {
		return 0, err
	}
	result, err := statement.Exec(args...)
	if err != nil {
		return 0, classify(err)
	}
	touched, err = result.RowsAffected()
	if err != nil {
		return 0, classify(err)
	}
	return touched, nil
}

// each runs a query and calls read for every row.
func (c *conn) each(read func(*sql.Rows) error, query string, args ...any) error {
	statement, err := c.prepare(query)
	if err != nil {
		return err
	}
	rows, err := statement.Query(args...)
	if err != nil {
		return classify(err)
	}
	return readAll(rows, read)
}

func readAll(rows *sql.Rows, read func(*sql.Rows) error) error {
	defer rows.Close()
	for rows.Next() {
		if err := read(rows); err != nil {
			return classify(err)
		}
	}
	if err := rows.Err(); err != nil {
		return classify(err)
	}
	return nil
}

// once is each for a statement that is not kept, and ends when the context does.
func (c *conn) once(ctx context.Context, read func(*sql.Rows) error, query string, args ...any) error {
	if err := c.connect(); err != nil {
		return err
	}
	rows, err := c.session.QueryContext(ctx, query, args...)
	if err != nil {
		return classify(err)
	}
	return readAll(rows, read)
}

// one runs a query that returns at most one row, reads that into dest, and
// reports whether there was one.
func (c *conn) one(dest []any, query string, args ...any) (found bool, err error) {
	err = c.each(func(rows *sql.Rows) error {
		found = true
		return rows.Scan(dest...)
	}, query, args...)
	return found, err
}
