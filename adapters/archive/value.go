package archive

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/problemtracking/problems/domain/access"
	calendar "github.com/problemtracking/problems/domain/date"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/webhook"
)

// value is the value of a member, as it is written and read.
type value interface {
	// appendTo appends it in canonical form.
	appendTo(b []byte) ([]byte, error)
	// parse reads a valid JSON value. Its error ends a sentence about the member.
	parse(raw jsontext.Value) error
}

// constant is a string with one valid value.
type constant string

func (v constant) appendTo(b []byte) ([]byte, error) { return jsontext.AppendQuote(b, v) }

func (v constant) parse(raw jsontext.Value) error {
	if !says(raw, string(v)) {
		return fmt.Errorf("must be %q", string(v))
	}
	return nil
}

type str string

func (v *str) appendTo(b []byte) ([]byte, error) { return jsontext.AppendQuote(b, *v) }

func (v *str) parse(raw jsontext.Value) error {
	s, err := parseString(raw)
	*v = str(s)
	return err
}

var errString = errors.New("must be a string")

func parseString(raw jsontext.Value) (string, error) {
	if raw[0] != '"' {
		return "", errString
	}
	if plain := raw[1 : len(raw)-1]; bytes.IndexByte(plain, '\\') < 0 {
		return string(plain), nil
	}
	b, err := jsontext.AppendUnquote(nil, raw)
	return string(b), err
}

// says reports whether a JSON value is the string s, of characters that need no escaping.
func says(raw jsontext.Value, s string) bool {
	if len(raw) == len(s)+2 && raw[0] == '"' && string(raw[1:len(raw)-1]) == s {
		return true
	}
	if bytes.IndexByte(raw, '\\') < 0 {
		return false
	}
	escaped, err := parseString(raw)
	return err == nil && escaped == s
}

func isNull(raw jsontext.Value) bool { return raw[0] == 'n' }

type nullText problem.NullText

func (v *nullText) appendTo(b []byte) ([]byte, error) {
	if !v.Valid {
		return append(b, "null"...), nil
	}
	return jsontext.AppendQuote(b, v.String)
}

func (v *nullText) parse(raw jsontext.Value) (err error) {
	if isNull(raw) {
		return nil
	}
	if v.String, err = parseString(raw); err != nil {
		return errors.New("must be a string or null")
	}
	v.Valid = true
	return nil
}

// nullable is a string; the empty one is null.
type nullable string

func (v *nullable) appendTo(b []byte) ([]byte, error) {
	return (&nullText{String: string(*v), Valid: *v != ""}).appendTo(b)
}

func (v *nullable) parse(raw jsontext.Value) error {
	var s nullText
	if err := s.parse(raw); err != nil {
		return err
	}
	if s.Valid && s.String == "" {
		return errors.New("must not be empty, but can be null")
	}
	*v = nullable(s.String)
	return nil
}

type boolean bool

func (v *boolean) appendTo(b []byte) ([]byte, error) { return strconv.AppendBool(b, bool(*v)), nil }

func (v *boolean) parse(raw jsontext.Value) error {
	if raw[0] != 't' && raw[0] != 'f' {
		return errors.New("must be true or false")
	}
	*v = raw[0] == 't'
	return nil
}

type integer int64

func (v *integer) appendTo(b []byte) ([]byte, error) {
	if *v < -maxInteger || *v > maxInteger {
		return b, fmt.Errorf("%d is beyond the integers that JSON has for sure, up to %d", *v, int64(maxInteger))
	}
	return strconv.AppendInt(b, int64(*v), 10), nil
}

func (v *integer) parse(raw jsontext.Value) error {
	n, err := strconv.ParseInt(string(raw), 10, 64)
	if err != nil || n < -maxInteger || n > maxInteger {
		return fmt.Errorf("must be an integer without fraction or exponent, of at most %d", int64(maxInteger))
	}
	*v = integer(n)
	return nil
}

// ordinal is an integer of Go type int in the domain.
type ordinal int

func (v *ordinal) appendTo(b []byte) ([]byte, error) {
	n := integer(*v)
	return n.appendTo(b)
}

func (v *ordinal) parse(raw jsontext.Value) error {
	var n integer
	err := n.parse(raw)
	*v = ordinal(n)
	return err
}

type identifier ident.ID

func (v *identifier) appendTo(b []byte) ([]byte, error) {
	b = append(b, '"')
	b = append(b, ident.ID(*v).String()...)
	return append(b, '"'), nil
}

var errIdentifier = errors.New("must be an identifier in the form 01234567-89ab-7cde-8f01-23456789abcd, in lower case")

func (v *identifier) parse(raw jsontext.Value) error {
	s, err := parseString(raw)
	if err != nil {
		return errIdentifier
	}
	id, err := ident.Parse(s)
	if err != nil || id.IsNone() {
		return errIdentifier
	}
	*v = identifier(id)
	return nil
}

// reference is an identifier, or null for none.
type reference ident.ID

func (v *reference) appendTo(b []byte) ([]byte, error) {
	if ident.ID(*v).IsNone() {
		return append(b, "null"...), nil
	}
	return (*identifier)(v).appendTo(b)
}

func (v *reference) parse(raw jsontext.Value) error {
	if isNull(raw) {
		return nil
	}
	return (*identifier)(v).parse(raw)
}

type identifiers []ident.ID

func (v *identifiers) appendTo(b []byte) ([]byte, error) {
	b = append(b, '[')
	for i, id := range *v {
		if i > 0 {
			b = append(b, ',')
		}
		b, _ = (*identifier)(&id).appendTo(b) // never fails
	}
	return append(b, ']'), nil
}

func (v *identifiers) parse(raw jsontext.Value) error {
	if raw[0] != '[' {
		return errors.New("must be an array of identifiers")
	}
	return eachElement(raw, func(element jsontext.Value) error {
		var id identifier
		if err := id.parse(element); err != nil {
			return err
		}
		*v = append(*v, ident.ID(id))
		return nil
	})
}

// eachElement calls a function for each element of an array, up to its first error.
func eachElement(array jsontext.Value, do func(jsontext.Value) error) error {
	d := jsontext.NewDecoder(bytes.NewBuffer(array))
	if _, err := d.ReadToken(); err != nil {
		return err
	}
	for d.PeekKind() != ']' {
		element, err := d.ReadValue()
		if err != nil {
			return err
		}
		if err := do(element); err != nil {
			return err
		}
	}
	return nil
}

type moment time.Time

func (v *moment) appendTo(b []byte) ([]byte, error) {
	b = append(b, '"')
	b = time.Time(*v).AppendFormat(b, layout)
	return append(b, '"'), nil
}

var errTime = errors.New("must be a time like 2015-11-05T12:00:00.000Z, in UTC and with three decimals")

func (v *moment) parse(raw jsontext.Value) error {
	if raw[0] != '"' || len(raw) != len(layout)+2 || raw[1+len("2006-01-02T15:04:05")] != '.' {
		return errTime // time.Parse is more tolerant
	}
	t, err := time.Parse(layout, string(raw[1:len(raw)-1]))
	if err != nil || t.IsZero() { // the zero Time stands for null
		return errTime
	}
	*v = moment(t)
	return nil
}

// day is a date, or null for none.
type day calendar.Date

func (v *day) appendTo(b []byte) ([]byte, error) {
	d := calendar.Date(*v)
	if d.IsNone() {
		return append(b, "null"...), nil
	}
	return append(append(append(b, '"'), d.String()...), '"'), nil
}

func (v *day) parse(raw jsontext.Value) error {
	if isNull(raw) {
		return nil
	}
	s, err := parseString(raw)
	if err != nil {
		return err
	}
	d, err := calendar.Parse(s)
	if err != nil {
		return fmt.Errorf("%w, or null", err)
	}
	*v = day(d)
	return nil
}

// date is a time, or null for none.
type date time.Time

func (v *date) appendTo(b []byte) ([]byte, error) {
	if time.Time(*v).IsZero() {
		return append(b, "null"...), nil
	}
	return (*moment)(v).appendTo(b)
}

func (v *date) parse(raw jsontext.Value) error {
	if isNull(raw) {
		return nil
	}
	if (*moment)(v).parse(raw) != nil {
		return fmt.Errorf("%w, or null", errTime)
	}
	return nil
}

type digest access.Digest

func (v *digest) appendTo(b []byte) ([]byte, error) {
	b = append(b, '"')
	b = hex.AppendEncode(b, v[:])
	return append(b, '"'), nil
}

func (v *digest) parse(raw jsontext.Value) error {
	s, err := parseString(raw)
	if err == nil && len(s) == 2*len(v) {
		_, err = hex.Decode(v[:], []byte(s))
	}
	if err != nil || hex.EncodeToString(v[:]) != s {
		return errors.New("must be a SHA-256 as 64 hexadecimal digits in lower case")
	}
	return nil
}

// shown is a value of a log entry.
type shown problem.LogValue

func (v *shown) appendTo(b []byte) ([]byte, error) {
	n := len(b)
	b = append(b, problem.LogValue(*v).JSON()...)
	text := jsontext.Value(b[n:])
	if err := text.Canonicalize(); err != nil {
		return b, fmt.Errorf("is no JSON: %w", err)
	}
	return append(b[:n], text...), nil
}

func (v *shown) parse(raw jsontext.Value) error {
	if !isNull(raw) {
		*v = shown(raw)
	}
	return nil
}

// keyID identifies the key behind a secret.
type keyID webhook.KeyID

func (v *keyID) appendTo(b []byte) ([]byte, error) {
	return jsontext.AppendQuote(b, webhook.KeyID(*v).String())
}

func (v *keyID) parse(raw jsontext.Value) error {
	s, err := parseString(raw)
	if err != nil {
		return err
	}
	id, err := webhook.ParseKeyID(s)
	*v = keyID(id)
	return err
}

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
