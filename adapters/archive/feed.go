package archive

import (
	"errors"
	"fmt"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/problemtracking/problems/domain/event"
)

// eventTypes are types of events, each once; null stands for all.
type eventTypes []event.Type

func (v *eventTypes) appendTo(b []byte) (_ []byte, err error) {
	if len(*v) == 0 {
		return append(b, "null"...), nil
	}
	b = append(b, '[')
	for i, t := range *v {
		if i > 0 {
			b = append(b, ',')
		}
		if b, err = jsontext.AppendQuote(b, t); err != nil {
			return b, err
		}
	}
	return append(b, ']'), nil
}

func (v *eventTypes) parse(raw jsontext.Value) error {
	wrong := errors.New("must be null, or an array of types of events")
	if isNull(raw) {
		return nil
	}
	if raw[0] != '[' {
		return wrong
	}
	err := eachElement(raw, func(element jsontext.Value) error {
		t, err := parseString(element)
		if err != nil || slices.Contains(*v, event.Type(t)) {
			return wrong
		}
		*v = append(*v, event.Type(t))
		return nil
	})
	if err == nil && len(*v) == 0 {
		return wrong
	}
	return err
}

// cursor is a cursor of the feed, in the form of the API.
type cursor event.Cursor

func (v *cursor) appendTo(b []byte) ([]byte, error) {
	return jsontext.AppendQuote(b, event.Cursor(*v).String())
}

func (v *cursor) parse(raw jsontext.Value) error {
	s, err := parseString(raw)
	if err != nil {
		return err
	}
	c, err := event.ParseCursor(s)
	*v = cursor(c)
	if err != nil {
		return errors.New("must be a cursor of the feed")
	}
	return nil
}

// lines are the lines of an event. Their values are JSON texts in strings, because
// consumers of the feed may have seen them byte for byte.
type lines []event.Line

func lineObject(l *event.Line) object {
	return object{
		{"field", (*nullable)(&l.Field)},
		{"from", (*nullable)(&l.From)},
		{"identifier", (*identifier)(&l.ID)},
		{"to", (*nullable)(&l.To)},
		{"type", (*str)(&l.Type)},
	}
}

func (v *lines) appendTo(b []byte) (_ []byte, err error) {
	b = append(b, '[')
	for i := range *v {
		if i > 0 {
			b = append(b, ',')
		}
		if b, err = lineObject(&(*v)[i]).appendTo(b); err != nil {
			return b, err
		}
	}
	return append(b, ']'), nil
}

func (v *lines) parse(raw jsontext.Value) error {
	if raw[0] != '[' {
		return errors.New("must be an array of lines")
	}
	return eachElement(raw, func(element jsontext.Value) error {
		var l event.Line
		if err := lineObject(&l).parse(element); err != nil {
			return within(fmt.Sprint(len(*v)), err)
		}
		*v = append(*v, l)
		return nil
	})
}
