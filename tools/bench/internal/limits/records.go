package limits

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strconv"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"
)

// rowSet describes the rows of a statement, or of one column of it with an array of
// records.
type rowSet struct {
	columns []pgconn.FieldDescription
	kind    rowKind
}

// recordArray finds statements inside another one, with their rows as arrays.
var recordArray = regexp.MustCompile(`(?s)ARRAY\(SELECT found FROM \((.*?)\) found LIMIT \d+\)`)

// argumentNumber is how an argument stands in a statement.
var argumentNumber = regexp.MustCompile(`\$(\d+)`)

// rowSets returns the columns of the statement. Columns of records have no names: they
// are those of the inner statements.
func rowSets(ctx context.Context, conn *pgx.Conn, sql string, columns []pgconn.FieldDescription) ([]rowSet, error) {
	if len(columns) == 0 || columns[0].DataTypeOID != pgtype.RecordArrayOID {
		return []rowSet{{columns, kindOf(columns)}}, nil
	}
	inner := recordArray.FindAllStringSubmatch(sql, -1)
	if len(inner) != len(columns) {
		return nil, fmt.Errorf("%d of %d columns are known to be arrays of records: %s", len(inner), len(columns), sql)
	}
	var sets []rowSet
	for _, found := range inner {
		// Only as a part of the other statement do its arguments begin elsewhere.
		n := 0
		text := argumentNumber.ReplaceAllStringFunc(found[1], func(string) string { n++; return "$" + strconv.Itoa(n) })
		described, err := conn.Prepare(ctx, "", text)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", text, err)
		}
		sets = append(sets, rowSet{described.Fields, kindOf(described.Fields)})
	}
	return sets, nil
}

// recordRows is the target of scanning an array of records: row after row, each into the
// same variables.
type recordRows struct {
	row  recordRow
	n    int    // how many there are
	each func() // is called when a row is in the places
}

// SetDimensions implements pgtype.ArraySetter.
func (r *recordRows) SetDimensions(dimensions []pgtype.ArrayDimension) error {
	r.n = 0
	if len(dimensions) > 0 {
		r.n = int(dimensions[0].Length)
	}
	return nil
}

// ScanIndex implements pgtype.ArraySetter.
func (r *recordRows) ScanIndex(i int) any {
	if i > 0 {
		r.each()
	}
	return &r.row
}

// ScanIndexType implements pgtype.ArraySetter.
func (r *recordRows) ScanIndexType() any { return &r.row }

// end has to be called when the array is scanned.
func (r *recordRows) end() {
	if r.n > 0 {
		r.each()
	}
}

// recordRow are the places for the columns of a record.
type recordRow []any

// ScanNull implements pgtype.CompositeIndexScanner.
func (r *recordRow) ScanNull() error { return errors.New("a row is NULL") }

// ScanIndex implements pgtype.CompositeIndexScanner.
func (r *recordRow) ScanIndex(i int) any { return (*r)[i] }
