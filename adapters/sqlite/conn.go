package sqlite

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"io"
)

// conn is one connection to the file, with its prepared statements. It connects at its
// first use. Its errors are faults.
//
// It calls the driver directly: the layer of database/sql takes a tenth of the time to read
// a problem.
//
// Only searches run with the caller's context. To watch it costs about as much as a short
// statement.
type conn struct {
	pool     *sql.DB
	session  *sql.Conn
	prepared map[string]statement // by their text; nil while not connected

	args   []driver.NamedValue // of the running statement
	values []driver.Value      // of the current row
}

// statement is a prepared statement of the driver.
type statement interface {
	driver.Stmt
	driver.StmtExecContext
	driver.StmtQueryContext
}

// connection is a connection of the driver.
type connection interface {
	driver.ConnPrepareContext
	driver.QueryerContext
}

// connect makes sure that c is connected.
func (c *conn) connect() (err error) {
	if c.prepared != nil {
		return nil
	}
	if c.session, err = c.pool.Conn(context.Background()); err != nil {
		return classify(err)
	}
	c.prepared = make(map[string]statement)
	return nil
}

// drop ends the connection, and with it its transaction in any state.
func (c *conn) drop() {
	if c.prepared == nil {
		return
	}
	_ = c.session.Raw(func(any) error {
		// SQLite keeps a connection open as long as it has statements.
		for _, s := range c.prepared {
			_ = s.Close()
		}
		return driver.ErrBadConn
	})
	_ = c.session.Close()
	c.prepared = nil
}

// use calls fn with the driver's connection. A panic of fn continues once the connection
// is free: database/sql would close it, with statements still open.
func (c *conn) use(fn func(connection) error) error {
	if err := c.connect(); err != nil {
		return err
	}
	var panicked any
	called := false
	err := c.session.Raw(func(connected any) error {
		called = true
		defer func() { panicked = recover() }()
		return fn(connected.(connection))
	})
	if panicked != nil {
		panic(panicked)
	}
	if !called {
		return classify(err)
	}
	return err
}

// with calls fn with the statement. It prepares the statement at its first use.
func (c *conn) with(query string, fn func(statement) error) error {
	return c.use(func(session connection) error {
		if s, ok := c.prepared[query]; ok {
			return fn(s)
		}
		prepared, err := session.PrepareContext(context.Background(), query)
		if err != nil {
			return classify(err)
		}
		s := prepared.(statement)
		c.prepared[query] = s
		return fn(s)
	})
}

// exec runs a statement and returns the number of affected rows.
func (c *conn) exec(query string, args ...any) (touched int64, err error) {
	err = c.with(query, func(s statement) error {
		if err := c.bind(args); err != nil {
			return err
		}
		result, err := s.ExecContext(context.Background(), c.args)
		if err != nil {
			return classify(err)
		}
		touched, err = result.RowsAffected()
		return err // it never does
	})
	return touched, err
}

// each runs a query and calls read for every row. The connection is busy meanwhile: read
// must not run statements on it.
func (c *conn) each(read func(scan func(dest ...any) error) error, query string, args ...any) error {
	return c.with(query, func(s statement) error {
		if err := c.bind(args); err != nil {
			return err
		}
		rows, err := s.QueryContext(context.Background(), c.args)
		if err != nil {
			return classify(err)
		}
		return c.readAll(rows, read)
	})
}

// once is like each, but does not keep the prepared statement. It ends with the context.
func (c *conn) once(ctx context.Context, read func(scan func(dest ...any) error) error, query string, args ...any) error {
	return c.use(func(session connection) error {
		if err := c.bind(args); err != nil {
			return err
		}
		rows, err := session.QueryContext(ctx, query, c.args)
		if err != nil {
			return classify(err)
		}
		return c.readAll(rows, read)
	})
}

// one runs a query for at most one row and reads the row into dest. It reports whether
// there was one.
func (c *conn) one(dest []any, query string, args ...any) (found bool, err error) {
	err = c.each(func(scan func(...any) error) error {
		found = true
		return scan(dest...)
	}, query, args...)
	return found, err
}

// bind fills c.args with values of the driver's types.
func (c *conn) bind(args []any) error {
	c.args = c.args[:0]
	for i, arg := range args {
		value, err := driver.DefaultParameterConverter.ConvertValue(arg)
		if err != nil {
			return classify(err)
		}
		c.args = append(c.args, driver.NamedValue{Ordinal: i + 1, Value: value})
	}
	return nil
}

func (c *conn) readAll(rows driver.Rows, read func(scan func(dest ...any) error) error) (err error) {
	defer func() {
		if failure := rows.Close(); failure != nil && err == nil {
			err = classify(failure)
		}
	}()
	columns := rows.Columns()
	if cap(c.values) < len(columns) {
		c.values = make([]driver.Value, len(columns))
	}
	values := c.values[:len(columns)]
	scan := func(dest ...any) error { return assign(dest, values, columns) }
	for {
		switch err := rows.Next(values); {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return classify(err)
		}
		if err := read(scan); err != nil {
			return classify(err)
		}
	}
}
