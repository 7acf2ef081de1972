package sqlstore

import (
	"database/sql/driver"
	"fmt"
	"time"

	"github.com/problemtracking/problems/domain/date"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/relationship"
)

// uuid is an identifier in one of bun's models.
type uuid ident.ID

// Value implements driver.Valuer.
func (u uuid) Value() (driver.Value, error) { return IDText(ident.ID(u)), nil }

// Scan implements sql.Scanner.
func (u *uuid) Scan(src any) error {
	switch src := src.(type) {
	case nil:
		*u = uuid(ident.None)
		return nil
	case string:
		id, err := ident.Parse(src)
		*u = uuid(id)
		return err
	}
	return fmt.Errorf("an identifier is stored as %T", src)
}

// IDText returns an identifier as text, for databases without a type for it; ident.None
// is NULL.
func IDText(id ident.ID) any {
	if id.IsNone() {
		return nil
	}
	return id.String()
}

// IDTextInto returns the destination to scan the text of an identifier into.
func IDTextInto(id *ident.ID) any { return (*uuid)(id) }

// day is a date, stored as the moment of its end in UTC; date.None is NULL.
type day date.Date

// Scan implements sql.Scanner.
func (d *day) Scan(src any) error {
	var end moment
	if err := end.Scan(src); err != nil {
		return err
	}
	*d = day(date.None)
	if at := end.time(); !at.IsZero() {
		*d = day(date.Of(at))
	}
	return nil
}

// moment is a time in microseconds since 1970; the zero time is NULL.
type moment time.Time

// Value implements driver.Valuer.
func (m moment) Value() (driver.Value, error) { return micros(time.Time(m)), nil }

// Scan implements sql.Scanner.
func (m *moment) Scan(src any) error {
	switch src := src.(type) {
	case nil:
		*m = moment{}
		return nil
	case int64:
		*m = moment(time.UnixMicro(src).UTC())
		return nil
	}
	return fmt.Errorf("a time is stored as %T", src)
}

func (m moment) time() time.Time { return time.Time(m) }

// micros returns a time as an argument.
func micros(t time.Time) any {
	if t.IsZero() {
		return nil
	}
	return t.UnixMicro()
}

// notBefore returns the earliest storable time not before t.
func notBefore(t time.Time) any { return micros(t.Add(time.Microsecond - 1)) }

// nullText is a text or NULL.
type nullText problem.NullText

// Scan implements sql.Scanner.
func (t *nullText) Scan(src any) error {
	switch src := src.(type) {
	case nil:
		*t = nullText{}
		return nil
	case string:
		*t = nullText(problem.Text(src))
		return nil
	}
	return fmt.Errorf("a text is stored as %T", src)
}

// optionalText is a text; the empty one is NULL.
type optionalText string

// Scan implements sql.Scanner.
func (t *optionalText) Scan(src any) error {
	var text nullText
	err := text.Scan(src)
	*t = optionalText(text.String)
	return err
}

// optional returns a text as an argument.
func optional(t problem.NullText) any {
	if !t.Valid {
		return nil
	}
	return t.String
}

// digest is a SHA-256.
type digest [32]byte

// Scan implements sql.Scanner.
func (d *digest) Scan(src any) error {
	b, ok := src.([]byte)
	if !ok || len(b) != len(d) {
		return fmt.Errorf("a digest is stored as %T of length %d", src, len(b))
	}
	copy(d[:], b)
	return nil
}

// bytes returns bytes as an argument: none of them are not NULL.
func bytes(b []byte) any {
	if b == nil {
		return []byte{}
	}
	return b
}

// typeCode is a relationship type, stored as its code (D7).
type typeCode relationship.Type

// Value implements driver.Valuer.
func (t typeCode) Value() (driver.Value, error) {
	if code := relationship.Type(t).Code(); code != 0 {
		return int64(code), nil
	}
	return nil, fmt.Errorf("%q is no type of relationships", string(t))
}

// Scan implements sql.Scanner.
func (t *typeCode) Scan(src any) error {
	for _, known := range relationship.Types() {
		if src == int64(known.Code()) {
			*t = typeCode(known)
			return nil
		}
	}
	return fmt.Errorf("no type of relationships has the code %v", src)
}
