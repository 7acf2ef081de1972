package archive

import (
	"errors"
	"fmt"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/problemtracking/problems/domain/event"
)

// positive is an integer, or null for 0.
type positive integer

func (v *positive) appendTo(b []byte) ([]byte, error) {
	if *v == 0 {
		return append(b, "null"...), nil
	}
	return (*integer)(v).appendTo(b)
}

func (v *positive) parse(raw jsontext.Value) error {
	if isNull(raw) {
		return nil
	}
	if err := (*integer)(v).parse(raw); err != nil || *v < 1 {
		return fmt.Errorf("must be null or an integer from 1 to %d", int64(maxInteger))
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
