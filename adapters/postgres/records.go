package postgres

import (
	"database/sql"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5/pgtype"
)

// records reads an array of records in PostgreSQL's binary form: array_send and
// record_send. It reads from a text, because the texts inside can be parts of it.
type records struct {
	n       int // how many there are
	rest    sent
	columns []column // of the last one read
	types   *pgtype.Map
}

// column is a column of a record.
type column struct {
	oid   uint32 // its type
	null  bool
	value string
}

// newRecords begins to read an array.
func newRecords(array []byte, types *pgtype.Map) (records, error) {
	rest := sent{text: string(array)}
	dimensions := rest.number()
	_, _ = rest.number(), rest.number() // whether there is a NULL, and the type
	if dimensions == 0 {
		return records{}, rest.failure()
	}
	n := int(rest.number())
	_ = rest.number() // the lowest index
	if dimensions != 1 || n < 0 {
		rest.short = true
	}
	return records{n: n, rest: rest, types: types}, rest.failure()
}

// next reads the next record.
func (r *records) next() error {
	text, null := r.rest.value()
	record := sent{text: text, short: null || r.rest.short}
	n := int(record.number())
	if cap(r.columns) == 0 {
		r.columns = make([]column, 0, min(max(0, n), len(text))) // all records have as many
	}
	r.columns = r.columns[:0]
	for range n {
		c := column{oid: uint32(record.number())}
		c.value, c.null = record.value()
		if record.short {
			break
		}
		r.columns = append(r.columns, c)
	}
	return record.failure()
}

// scan reads the columns of the record as [pgx.Rows.Scan] does.
func (r *records) scan(dest ...any) error {
	if len(dest) != len(r.columns) {
		return fmt.Errorf("a record has %d columns; want %d", len(r.columns), len(dest))
	}
	for i, into := range dest {
		c := &r.columns[i]
		done, err := c.scan(into)
		if !done {
			err = r.types.Scan(c.oid, pgtype.BinaryFormatCode, c.bytes(), into)
		}
		if err != nil {
			return fmt.Errorf("column %d: %w", i+1, err)
		}
	}
	return nil
}

// scan reads the column into one of the common types. done is false for all other types.
func (c *column) scan(into any) (done bool, err error) {
	switch into := into.(type) {
	case *uuid:
		if c.oid == pgtype.UUIDOID && (c.null || len(c.value) == len(into)) {
			*into = uuid{} // as ident.None is
			copy(into[:], c.value)
			return true, nil
		}
	case *string:
		if c.oid == pgtype.TextOID && !c.null {
			*into = c.value
			return true, nil
		}
	case *int64:
		if c.oid == pgtype.Int8OID && len(c.value) == 8 {
			*into = integer(c.value)
			return true, nil
		}
	case *bool:
		if c.oid == pgtype.BoolOID && len(c.value) == 1 {
			*into = c.value[0] != 0
			return true, nil
		}
	case sql.Scanner:
		switch {
		case c.null:
			return true, into.Scan(nil)
		case c.oid == pgtype.TextOID:
			return true, into.Scan(c.value)
		case c.oid == pgtype.Int8OID && len(c.value) == 8:
			return true, into.Scan(integer(c.value))
		}
	}
	return false, nil
}

// bytes returns the value, or nil if it is NULL.
func (c *column) bytes() []byte {
	if c.null {
		return nil
	}
	return []byte(c.value)
}

// integer returns a number of 64 bits.
func integer(value string) (n int64) {
	for i := range len(value) {
		n = n<<8 | int64(value[i])
	}
	return n
}

// sent is the unread rest of an answer.
type sent struct {
	text  string
	short bool // there was less than it said
}

// failure returns an error if there was less than it said.
func (s *sent) failure() error {
	if s.short {
		return errors.New("the server sent records in another form than PostgreSQL")
	}
	return nil
}

// take returns the next n bytes.
func (s *sent) take(n int) string {
	if n < 0 || n > len(s.text) {
		s.short, s.text = true, ""
		return ""
	}
	taken := s.text[:n]
	s.text = s.text[n:]
	return taken
}

// number returns the next number of 32 bits.
func (s *sent) number() int32 { return int32(integer(s.take(4))) }

// value returns the next value. Its length stands in front of it.
func (s *sent) value() (value string, null bool) {
	n := s.number()
	if n == -1 {
		return "", true
	}
	return s.take(int(n)), false
}
