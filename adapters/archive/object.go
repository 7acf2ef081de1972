package archive

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/problemtracking/problems/domain/transfer"
)

// object is an object with a closed set of members, all required. They are in the
// canonical order, by name.
type object []member

// member is a member of an object. Its name needs no escaping.
type member struct {
	name string
	value
}

func (o object) appendTo(b []byte) (_ []byte, err error) {
	b = append(b, '{')
	for i, m := range o {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, '"')
		b = append(b, m.name...)
		b = append(b, '"', ':')
		if b, err = m.appendTo(b); err != nil {
			return b, within(m.name, err)
		}
	}
	return append(b, '}'), nil
}

func (o object) parse(raw jsontext.Value) error {
	fields, err := newSplitter().split(raw)
	if err != nil {
		return err
	}
	return o.fill(fields)
}

// fill gives the members their values. They may come in any order.
func (o object) fill(fields []field) error {
	found := 0
	for i, m := range o {
		f := m.among(fields, i)
		if f == nil {
			continue
		}
		found++
		if err := m.parse(f.value); err != nil {
			return within(m.name, err)
		}
	}
	if found == len(o) && found == len(fields) { // for no name stands twice
		return nil
	}
	for _, f := range fields {
		if !o.has(f) {
			name, err := parseString(f.name)
			if err != nil {
				return err
			}
			return within(name, errors.New("is not known here"))
		}
	}
	for i, m := range o {
		if m.among(fields, i) == nil {
			return within(m.name, errors.New("is missing"))
		}
	}
	return nil
}

func (o object) has(f field) bool {
	for _, m := range o {
		if says(f.name, m.name) {
			return true
		}
	}
	return false
}

// among returns the field of the member. In canonical form, that is the i-th field.
func (m member) among(fields []field, i int) *field {
	if i < len(fields) && says(fields[i].name, m.name) {
		return &fields[i]
	}
	for i := range fields {
		if says(fields[i].name, m.name) {
			return &fields[i]
		}
	}
	return nil
}

// field is a member of an object as read: two valid JSON texts within the text of the
// object.
type field struct {
	name, value jsontext.Value
}

// splitter takes objects apart.
type splitter struct {
	decoder *jsontext.Decoder
	buffer  *bytes.Buffer
	fields  []field
}

func newSplitter() *splitter {
	s := &splitter{buffer: new(bytes.Buffer)}
	s.decoder = jsontext.NewDecoder(s.buffer)
	return s
}

// split returns the members of an object, valid until the next call. It fails unless the
// text is one JSON object in UTF-8, without duplicate names in it or in objects within.
func (s *splitter) split(text []byte) ([]field, error) {
	*s.buffer = *bytes.NewBuffer(text)
	d := s.decoder
	d.Reset(s.buffer)
	s.fields = s.fields[:0]
	open, err := d.ReadToken()
	switch {
	case err != nil:
		return nil, malformed(err)
	case open.Kind() != '{':
		return nil, errors.New("must be a JSON object")
	}
	// The decoder may use its values again, but where they are in the text stays.
	read := func() (jsontext.Value, error) {
		v, err := d.ReadValue()
		end := d.InputOffset()
		return text[end-int64(len(v)) : end : end], err
	}
	for d.PeekKind() != '}' {
		var f field
		if f.name, err = read(); err != nil {
			return nil, malformed(err)
		}
		if f.value, err = read(); err != nil {
			return nil, malformed(err)
		}
		s.fields = append(s.fields, f)
	}
	if _, err := d.ReadToken(); err != nil {
		return nil, malformed(err)
	}
	if _, err := d.ReadToken(); err != io.EOF {
		return nil, errors.New("there is more after the end of the JSON object")
	}
	return s.fields, nil
}

// malformed says why a text is not JSON, without repeating any of it.
func malformed(err error) error {
	syntax, ok := errors.AsType[*jsontext.SyntacticError](err)
	switch {
	case errors.Is(err, jsontext.ErrDuplicateName):
		return &memberError{string(syntax.JSONPointer), errors.New("is there twice")}
	case ok && !errors.Is(err, io.ErrUnexpectedEOF):
		return fmt.Errorf("is not valid JSON in UTF-8 (at byte %d)", syntax.ByteOffset+1)
	default:
		return errors.New("ends within its JSON object")
	}
}

// memberError is the error of a member.
type memberError struct {
	pointer string // from the object
	err     error
}

func (e *memberError) Error() string { return e.pointer + ": " + e.err.Error() }

func (e *memberError) Unwrap() error { return e.err }

// within returns the error of a member as an error of its object.
func within(name string, err error) error {
	pointer := transfer.Pointer("", name)
	if inner, ok := errors.AsType[*memberError](err); ok {
		return &memberError{pointer + inner.pointer, inner.err}
	}
	return &memberError{pointer, err}
}
