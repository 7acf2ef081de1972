package sqlstore

import (
	"slices"
	"strings"
)

// Statement is an SQL statement with its arguments, one for each placeholder, "?".
type Statement struct {
	SQL  string
	Args []any
	// Conflict, if not empty, is a message: when the statement finds or changes no
	// row, the Change is refused with fault.Conflict and this message.
	Conflict string
}

// Query is a statement for reading.
type Query struct {
	SQL  string
	Args []any
	// Row is called for each row, with a function to scan its columns.
	Row func(scan func(dest ...any) error) error
	// Grow, if not nil, is called before the rows, if the session knows their number.
	Grow func(rows int)
	// Long is true when a row can be long: memory should not hold many at a time.
	Long bool
}

// Table is a table for new rows.
type Table struct {
	Name string
	// Columns are the columns of a Row. An ordered table has one more, for
	// the position.
	Columns []string
	ordered bool
	insert  string
}

// Row is a row for a table: its values by the table's columns.
type Row struct {
	Table  *Table
	Values []any
	// Conflict is for the Statement.
	Conflict string
}

// Statement returns the statement to insert the row. next gives positions; it is not
// called when the database counts them itself.
func (r Row) Statement(d *Dialect, next func() int64) Statement {
	args := r.Values
	if r.Table.ordered && d.NextPosition == "" {
		args = append([]any{next()}, args...)
	}
	return Statement{SQL: r.Table.insert, Args: args, Conflict: r.Conflict}
}

// keyed returns a table with keys of its own for the rows.
func (s Syntax) keyed(name, columns, onConflict string) Table {
	t := Table{Name: name, Columns: strings.Split(columns, ", ")}
	t.insert = insert(name, columns, placeholders(len(t.Columns)), onConflict)
	return t
}

// ordered returns a table with an order for its rows, by their positions.
func (s Syntax) ordered(name, columns, onConflict string) Table {
	t := Table{Name: name, Columns: strings.Split(columns, ", "), ordered: true}
	position := s.NextPosition
	if position == "" {
		position = "?"
	}
	t.insert = insert(name, "position, "+columns, position+", "+placeholders(len(t.Columns)), onConflict)
	return t
}

func insert(table, columns, values, onConflict string) string {
	return "INSERT INTO " + table + " (" + columns + ") VALUES (" + values + ")" + onConflict
}

// replacing ends the INSERT of a row that takes the place of one with the same keys: it sets the
// columns but for the keys.
func replacing(keys, columns string) string {
	var set []string
	for column := range strings.SplitSeq(columns, ", ") {
		if !slices.Contains(strings.Split(keys, ", "), column) {
			set = append(set, column+" = excluded."+column)
		}
	}
	return " ON CONFLICT (" + keys + ") DO UPDATE SET " + strings.Join(set, ", ")
}

// placeholders returns a list of n placeholders.
func placeholders(n int) string { return strings.TrimSuffix(strings.Repeat("?, ", n), ", ") }
