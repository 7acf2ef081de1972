package sqlite

import (
	"database/sql/driver"
	"fmt"
	"time"

	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/relationship"
)

// uuid stores an identifier as text, and ident.None as NULL.
type uuid ident.ID

func (u uuid) Value() (driver.Value, error) {
	if ident.ID(u).IsNone() {
		return nil, nil
	}
	return ident.ID(u).String(), nil
}

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

// moment stores a time as microseconds since 1970, and the zero time as NULL.
type moment time.Time

func (m moment) Value() (driver.Value, error) {
	if m.time().IsZero() {
		return nil, nil
	}
	return m.time().UnixMicro(), nil
}

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

// notBefore returns the earliest time that can be stored and is not before t.
func notBefore(t time.Time) moment { return moment(t.Add(time.Microsecond - 1)) }

// nullText stores a text or NULL.
type nullText problem.NullText

func (t nullText) Value() (driver.Value, error) {
	if !t.Valid {
		return nil, nil
	}
	return t.String, nil
}

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

// digest stores 32 bytes.
type digest [32]byte

func (d digest) Value() (driver.Value, error) { return d[:], nil }

func (d *digest) Scan(src any) error {
	b, ok := src.([]byte)
	if !ok || len(b) != len(d) {
		return fmt.Errorf("a digest is stored as %T of length %d", src, len(b))
	}
	copy(d[:], b)
	return nil
}

// body stores bytes, and none of them as an empty BLOB.
type body []byte

func (b body) Value() (driver.Value, error) {
	if b == nil {
		b = body{}
	}
	return []byte(b), nil
}

// typeCode stores a relationship type as its code (D7).
type typeCode relationship.Type

func (t typeCode) Value() (driver.Value, error) {
	if code := relationship.Type(t).Code(); code != 0 {
		return int64(code), nil
	}
	return nil, fmt.Errorf("%q is no type of relationships", string(t))
}

func (t *typeCode) Scan(src any) error {
	for _, known := range relationship.Types() {
		if src == int64(known.Code()) {
			*t = typeCode(known)
			return nil
		}
	}
	return fmt.Errorf("no type of relationships has the code %v", src)
}
