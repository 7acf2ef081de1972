package event

import (
	"cmp"
	"encoding/base64"
	"encoding/binary"
	"errors"

	"github.com/problemtracking/problems/domain/ident"
)

// Cursor is a position in the feed: behind one event, or in front of an entry. Every event has
// its own. The zero Cursor is in front of the first event of any feed.
type Cursor struct {
	// Number is the number of the event's entry.
	Number int64
	// Index counts the events of the entry up to the position. 0 is in front of all of them.
	Index int
	// Batch is the batch of the entry. It identifies the history: another history has
	// another batch at this number.
	Batch ident.ID
}

// Start is the Cursor in front of the first event.
var Start Cursor

// End returns the cursor behind the last event of an entry.
func (e Entry) End() Cursor { return Cursor{Number: e.Number, Index: len(e.Events), Batch: e.Batch} }

// Cursor returns the cursor behind the event with this index, from 0.
func (e Entry) Cursor(index int) Cursor {
	return Cursor{Number: e.Number, Index: index + 1, Batch: e.Batch}
}

// Before returns the position in front of the event of the cursor. The feed has it as long as
// it has the event.
func (c Cursor) Before() Cursor {
	c.Index = max(0, c.Index-1)
	return c
}

// Compare returns -1, 0 or 1 for a cursor before, at or behind another one of the same history.
func (c Cursor) Compare(other Cursor) int {
	return cmp.Or(cmp.Compare(c.Number, other.Number), cmp.Compare(c.Index, other.Index))
}

// Of reports whether the cursor is behind an event of the entry, or in front of the first one.
// Otherwise it comes from another history, or from none.
func (c Cursor) Of(e Entry) bool {
	return c.Number == e.Number && c.Batch == e.Batch && 0 <= c.Index && c.Index <= len(e.Events)
}

// cursorVersion is the first byte of every cursor. Its value makes no cursor begin like
// a number or a word.
const cursorVersion = 0xE1

var errCursor = errors.New("event: not a cursor of the feed")

// String returns the opaque form of the cursor: up to 50 letters, digits, "-" and "_".
func (c Cursor) String() string {
	b := make([]byte, 0, 1+2*binary.MaxVarintLen64+len(c.Batch))
	b = append(b, cursorVersion)
	b = binary.AppendUvarint(b, uint64(c.Number))
	b = binary.AppendUvarint(b, uint64(c.Index))
	if c != Start {
		b = append(b, c.Batch[:]...)
	}
	return base64.RawURLEncoding.EncodeToString(b)
}

// ParseCursor reads the form of String. It fails for any other text.
func ParseCursor(s string) (Cursor, error) {
	b, err := base64.RawURLEncoding.Strict().DecodeString(s)
	if err != nil || len(b) == 0 || b[0] != cursorVersion {
		return Start, errCursor
	}
	number, n := binary.Uvarint(b[1:])
	if n <= 0 || number > 1<<63-1 {
		return Start, errCursor
	}
	index, m := binary.Uvarint(b[1+n:])
	if m <= 0 || index > 1<<31-1 {
		return Start, errCursor
	}
	c := Cursor{Number: int64(number), Index: int(index)}
	copy(c.Batch[:], b[1+n+m:])
	// Only the form of String is a cursor: so one position has one text.
	if c.String() != s {
		return Start, errCursor
	}
	return c, nil
}
