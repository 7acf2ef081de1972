package sqlstore

import "strings"

// Statement is one SQL statement with its arguments, each of which has a question
// mark in the text.
type Statement struct {
	SQL  string
	Args []any
	// Demand, if there is one, says what is wrong when the statement finds
	// or changes no row: then the Change that it belongs to is refused with
	// fault.Conflict.
	Demand string
}

// Query is a statement that reads.
type Query struct {
	SQL  string
	Args []any
	// Row is called for each row, with what reads its columns.
	Row func(scan func(dest ...any) error) error
	// Room, if not nil, is called first, by those who know how many rows there
	// are.
	Room func(rows int)
	// Long is true when a row can be long, so that many at a time are not to be held
	// in memory.
	Long bool
}

// Table is a table that rows are put into.
type Table struct {
	Name string
	// Columns are those that have to be given. A stamped table has another
	// one, for the position.
	Columns []string
	stamped bool
	insert  string
}

// Row is a row that is to be put into a table: its values by the table's columns.
type Row struct {
	Table  *Table
	Values []any
	// Demand is that of the Statement.
	Demand string
}

// Statement returns the statement that inserts the row. next gives positions; it
// is not called when the database counts them itself.
func (r Row) Statement(d *Dialect, next func() int64) Statement {
	args := r.Values
	if r.Table.stamped && d.NextPosition == "" {
		args = append([]any{next()}, args...)
	}
	return Statement{SQL: r.Table.insert, Args: args, Demand: r.Demand}
}

// kept returns a table whose rows are found by a key of their own.
func (w Words) kept(name, columns, onConflict string) Table {
	t := Table{Name: name, Columns: strings.Split(columns, ", ")}
	t.insert = insert(name, columns, marks(len(t.Columns)), onConflict)
	return t
}

// stamped returns a table whose rows have an order, which their positions give.
func (w Words) stamped(name, columns, onConflict string) Table {
	t := Table{Name: name, Columns: strings.Split(columns, ", "), stamped: true}
	position := w.NextPosition
	if position == "" {
		position = "?"
	}
	t.insert = insert(name, "position, "+columns, position+", "+marks(len(t.Columns)), onConflict)
	return t
}

func insert(table, columns, values, onConflict string) string {
	return "INSERT INTO " + table + " (" + columns + ") VALUES (" + values + ")" + onConflict
}

// marks returns n question marks.
func marks(n int) string { return strings.TrimSuffix(strings.Repeat("?, ", n), ", ") }
