// Package ident holds the identifier of all objects but problems: a UUID of version 7
// (RFC 9562, D2). Problems have numbers instead.
package ident

import (
	"bytes"
	"encoding/hex"
	"errors"
	"strings"
	"time"
)

// ID identifies one object for good. The zero ID, [None], stands for "no
// object": an unassigned problem has the assignee None.
type ID [16]byte

// None is the ID of no object.
var None ID

// String returns the canonical form: 36 characters, lower-case hexadecimal.
func (id ID) String() string {
	var b [36]byte
	return string(id.Append(b[:0]))
}

// Append appends the canonical form to b.
func (id ID) Append(b []byte) []byte {
	var text [36]byte
	hex.Encode(text[:8], id[:4])
	hex.Encode(text[9:13], id[4:6])
	hex.Encode(text[14:18], id[6:8])
	hex.Encode(text[19:23], id[8:10])
	hex.Encode(text[24:], id[10:])
	text[8], text[13], text[18], text[23] = '-', '-', '-', '-'
	return append(b, text[:]...)
}

// IsNone reports whether id identifies no object.
func (id ID) IsNone() bool { return id == None }

// Time returns the creation time of a version 7 identifier, in whole milliseconds and
// UTC. It is the zero time for None. It has no meaning for identifiers of other
// versions.
func (id ID) Time() time.Time {
	if id.IsNone() {
		return time.Time{}
	}
	var ms int64
	for _, b := range id[:6] {
		ms = ms<<8 | int64(b)
	}
	return time.UnixMilli(ms).UTC()
}

// Compare orders identifiers by their bytes. This is also the order of their strings.
// Identifiers of different milliseconds are in the order of their creation.
func (id ID) Compare(other ID) int { return bytes.Compare(id[:], other[:]) }

var errForm = errors.New("ident: not a UUID in the form 01234567-89ab-7cde-8f01-23456789abcd")

// places says where in the canonical form the digits of each byte are.
var places = [16]int{0, 2, 4, 6, 9, 11, 14, 16, 19, 21, 24, 26, 28, 30, 32, 34}

// values has the value of each digit, and more than 0x0f for every other byte.
var values = func() (all [256]byte) {
	for i := range all {
		all[i] = byte(strings.IndexByte("0123456789abcdef", byte(i)))
	}
	return all
}()

// Parse reads the canonical form. It refuses upper-case letters: an identifier has one
// spelling, so comparing strings compares identifiers.
func Parse(s string) (ID, error) {
	if len(s) != 36 || s[8] != '-' || s[13] != '-' || s[18] != '-' || s[23] != '-' {
		return None, errForm
	}
	var id ID
	var all byte
	for i, at := range places {
		high, low := values[s[at]], values[s[at+1]]
		id[i] = high<<4 | low
		all |= high | low
	}
	if all > 0x0f {
		return None, errForm
	}
	return id, nil
}

// Sequence hands out identifiers from one starting point, each one greater than the last
// (RFC 9562, section 6.2, method 2). A request draws its randomness once, as a Sequence,
// so its decisions stay a pure function.
type Sequence struct{ next ID }

// NewSequence returns the sequence of version 7 identifiers with the time at, in
// milliseconds. It starts at the given random bits.
func NewSequence(at time.Time, random [10]byte) Sequence {
	var id ID
	ms := uint64(at.UnixMilli())
	for i := range 6 {
		id[i] = byte(ms >> (40 - 8*i))
	}
	copy(id[6:], random[:])
	id[6] = 0x70 | id[6]&0x0f // version 7
	id[8] = 0x80 | id[8]&0x1f // variant 10; the next bit starts at 0, so counting up never carries into it
	return Sequence{next: id}
}

// Next returns a new identifier of the sequence.
func (s *Sequence) Next() ID {
	id := s.next
	for i := len(s.next) - 1; i > 8; i-- {
		s.next[i]++
		if s.next[i] != 0 {
			return id
		}
	}
	s.next[8]++
	return id
}
