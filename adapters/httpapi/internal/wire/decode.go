package wire

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/problemtracking/problems/domain/date"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/patch"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/text"
)

// Member is a possible member of an object in a body, and the destination of its value. A
// list of them describes a body.
type Member struct {
	Name string
	// Into is a *patch.Field of string, bool, int64, problem.ID, time.Time, date.Date,
	// metadata.Partial or an array of Partials. It is a []Member for an object, and
	// Elements for an array of objects. It is an *expected.Value for a read-only member,
	// or Ignored. With nil the decoder accepts any value, and discards it.
	Into any
}

// Elements describes an array of objects: it returns the members of the next one. A
// null is an array without objects.
type Elements func() []Member

// Ignored is for a member without effect. Into gets its value, so that the answer can name
// the member as ignored. Errors do not list it among the known members.
type Ignored struct{ Into any }

// decoder reads one JSON value in one pass, strictly. It collects faults of members; a
// syntax error ends the reading with an error.
type decoder struct {
	*jsontext.Decoder
	depth  int
	faults *fault.List
}

// Decode reads a body: an object with the given members. Arrays and objects may be nested
// to the given depth. Faults of members are added to the list. The error is of kind
// fault.MalformedJSON.
func Decode(body []byte, depth int, faults *fault.List, members ...Member) error {
	return decodeWith(body, depth, faults, func(d *decoder) error { return d.object(fault.Location{}, members) })
}

// DecodeValue reads a body of any JSON value: nil, bool, string, json.Number, []any or
// map[string]any. Arrays and objects may be nested to the given depth.
func DecodeValue(body []byte, depth int) (value any, err error) {
	err = decodeWith(body, depth, nil, func(d *decoder) error {
		value, err = d.value()
		return err
	})
	return value, err
}

func decodeWith(body []byte, depth int, faults *fault.List, read func(*decoder) error) error {
	d := &decoder{jsontext.NewDecoder(bytes.NewBuffer(body)), depth, faults}
	if bytes.HasPrefix(body, []byte("\ufeff")) {
		return d.malformed(errMark)
	}
	switch err := read(d); {
	case err == io.EOF:
		return d.malformed(errEmpty)
	case err != nil:
		return d.malformed(err)
	}
	if _, err := d.ReadToken(); err != io.EOF {
		return d.malformed(errTrailing)
	}
	return nil
}

var (
	errDepth    = errors.New("arrays and objects are nested too deeply")
	errTrailing = errors.New("there is more after the end of the JSON value")
	errMark     = errors.New("the body begins with a byte order mark")
	errEmpty    = errors.New("the body is empty, where a JSON value is needed")
)

// malformed says why the body is no JSON, and where, without repeating any of it.
func (d *decoder) malformed(err error) error {
	offset := d.InputOffset()
	reason := "the body is not valid JSON in UTF-8"
	syntax, ok := errors.AsType[*jsontext.SyntacticError](err)
	if ok {
		offset = syntax.ByteOffset
	}
	switch {
	case errors.Is(err, errDepth), errors.Is(err, errTrailing), errors.Is(err, errEmpty), errors.Is(err, errMark):
		reason = err.Error()
	case errors.Is(err, jsontext.ErrDuplicateName):
		reason = "an object has two members of the same name"
	case errors.Is(err, io.ErrUnexpectedEOF):
		reason = "the body ends within its JSON value"
	}
	return fault.New(fault.MalformedJSON, "%s (at byte %d)", reason, offset)
}

// object reads an object. Its path leads to the places of its faults.
func (d *decoder) object(path fault.Location, members []Member) error {
	if kind := d.PeekKind(); kind != '{' {
		if _, err := d.value(); err != nil {
			return err
		}
		if kind != 'n' || path.Whole() {
			d.fault(fault.InvalidType, path, "must be an object")
		}
		return nil
	}
	if err := d.enter(); err != nil {
		return err
	}
	for d.PeekKind() != '}' {
		token, err := d.ReadToken()
		if err != nil {
			return err
		}
		if err := d.member(path, token.String(), members); err != nil {
			return err
		}
	}
	_, err := d.ReadToken()
	return err
}

func (d *decoder) member(path fault.Location, name string, members []Member) error {
	where := path.Member(name)
	for _, m := range members {
		if m.Name == name {
			return d.into(m.Into, where)
		}
	}
	d.fault(fault.UnknownField, where, unknown(name, members))
	_, err := d.value()
	return err
}

// unknown suggests the intended member, or lists the known ones.
func unknown(name string, members []Member) string {
	var known []string
	for _, m := range members {
		if strings.EqualFold(m.Name, name) {
			return "is not known: names are compared exactly, and this one is " + strconv.Quote(m.Name)
		}
		if _, lost := m.Into.(Ignored); m.Into != nil && !lost {
			known = append(known, m.Name)
		}
	}
	return "is not known here; known are " + strings.Join(known, ", ")
}

// into reads the value of a member and puts it where it belongs.
func (d *decoder) into(into any, where fault.Location) error {
	switch into := into.(type) {
	case []Member:
		return d.object(where, into)
	case Elements:
		return d.array(where, into)
	}
	value, err := d.value()
	if err != nil {
		return err
	}
	switch into := into.(type) {
	case *patch.Field[string]:
		set(d, into, value, where, asString)
	case *patch.Field[bool]:
		set(d, into, value, where, asBool)
	case *patch.Field[int64]:
		set(d, into, value, where, asInteger)
	case *patch.Field[problem.ID]:
		set(d, into, value, where, asProblem)
	case *patch.Field[time.Time]:
		set(d, into, value, where, ParseTime)
	case *patch.Field[date.Date]:
		set(d, into, value, where, asDate)
	case *patch.Field[metadata.Partial]:
		set(d, into, value, where, asPartial)
	case *patch.Field[[]metadata.Partial]:
		set(d, into, value, where, asPartials)
	case *patch.Field[[]string]:
		set(d, into, value, where, asStrings)
	case Ignored:
		expectInto(into.Into, value)
	default:
		expectInto(into, value)
	}
	return nil
}

// array reads an array of objects. Its path leads to the places of its faults.
func (d *decoder) array(path fault.Location, next Elements) error {
	if kind := d.PeekKind(); kind != '[' {
		if _, err := d.value(); err != nil {
			return err
		}
		if kind != 'n' {
			d.fault(fault.InvalidType, path, errArray.Error())
		}
		return nil
	}
	if err := d.enter(); err != nil {
		return err
	}
	for i := 0; d.PeekKind() != ']'; i++ {
		where := path.Element(i)
		if d.PeekKind() == 'n' {
			d.fault(fault.InvalidType, where, "must be an object")
		}
		if err := d.object(where, next()); err != nil {
			return err
		}
	}
	_, err := d.ReadToken()
	return err
}

// set sends the member's value to the field, if it is of the field's type.
func set[T any](d *decoder, field *patch.Field[T], value any, where fault.Location, read func(any) (T, error)) {
	if value == nil {
		*field = patch.Null[T]()
		return
	}
	v, err := read(value)
	switch {
	case err == nil:
		*field = patch.Set(v)
	case errors.Is(err, errTime) || errors.Is(err, errDate):
		d.fault(fault.InvalidValue, where, err.Error())
	default:
		d.fault(fault.InvalidType, where, err.Error())
	}
}

// The reasons for fault.InvalidType; errTime and errDate are for fault.InvalidValue. Clients see them.
var (
	errString = errors.New("must be a string")
	errBool   = errors.New("must be true or false")
	// ErrInteger is the reason for any value but an integer, also for null where it is refused.
	ErrInteger = errors.New("must be an integer: a number without fraction or exponent")
	errArray   = errors.New("must be an array of objects")
	errStrings = errors.New("must be an array of strings")
	errTime    = errors.New(`must be a time like "2015-11-05T12:00:00.000Z" (RFC 3339)`)
	errDate    = errors.New(`must be a date like "2026-10-31", from 1900-01-01 to 9999-12-31`)
)

func asString(value any) (string, error) {
	s, ok := value.(string)
	if !ok {
		return "", errString
	}
	return s, nil
}

func asBool(value any) (bool, error) {
	b, ok := value.(bool)
	if !ok {
		return false, errBool
	}
	return b, nil
}

func asInteger(value any) (int64, error) {
	text, ok := value.(json.Number)
	if !ok || strings.ContainsAny(string(text), ".eE") {
		return 0, ErrInteger
	}
	// Out of range, ParseInt returns the nearest int64. No identifier or revision has
	// that value either.
	n, _ := strconv.ParseInt(string(text), 10, 64)
	return n, nil
}

func asProblem(value any) (problem.ID, error) {
	n, err := asInteger(value)
	return problem.ID(n), err
}

func asDate(value any) (date.Date, error) {
	s, err := asString(value)
	if err != nil {
		return date.None, err
	}
	d, err := date.Parse(s)
	if err != nil {
		return date.None, errDate
	}
	return d, nil
}

// ParseTime cuts to the millisecond, as all times are (D9).
func ParseTime(value any) (time.Time, error) {
	s, err := asString(value)
	if err != nil {
		return time.Time{}, err
	}
	t, err := text.ParseTime(s)
	if err != nil {
		return time.Time{}, errTime
	}
	return t.Truncate(time.Millisecond), nil
}

func asPartial(value any) (metadata.Partial, error) { return PartialOf(value), nil }

// PartialOf returns a value of DecodeValue as a reference.
func PartialOf(value any) metadata.Partial {
	switch value := value.(type) {
	case string:
		return metadata.Text(value)
	case json.Number:
		return metadata.Number(value)
	case bool:
		return metadata.Flag(value)
	case []any:
		list := make(metadata.List, len(value))
		for i, element := range value {
			list[i] = PartialOf(element)
		}
		return list
	case map[string]any:
		members := make(metadata.Members, len(value))
		for name, member := range value {
			members[name] = PartialOf(member)
		}
		return members
	}
	return nil
}

func asPartials(value any) ([]metadata.Partial, error) {
	array, ok := value.([]any)
	if !ok {
		return nil, errArray
	}
	partials := make([]metadata.Partial, len(array))
	for i, element := range array {
		partials[i] = PartialOf(element)
	}
	return partials, nil
}

func asStrings(value any) ([]string, error) {
	array, ok := value.([]any)
	if !ok {
		return nil, errStrings
	}
	all := make([]string, len(array))
	for i, element := range array {
		if all[i], ok = element.(string); !ok {
			return nil, errStrings
		}
	}
	return all, nil
}

// value reads any value, in the types of DecodeValue.
func (d *decoder) value() (any, error) {
	switch d.PeekKind() {
	case '{':
		return d.mapValue()
	case '[':
		return d.arrayValue()
	case '0':
		v, err := d.ReadValue()
		return json.Number(v), err
	}
	token, err := d.ReadToken()
	if err != nil {
		return nil, err
	}
	switch token.Kind() {
	case '"':
		return token.String(), nil
	case 't', 'f':
		return token.Bool(), nil
	default:
		return nil, nil
	}
}

func (d *decoder) mapValue() (any, error) {
	if err := d.enter(); err != nil {
		return nil, err
	}
	m := map[string]any{}
	for d.PeekKind() != '}' {
		token, err := d.ReadToken()
		if err != nil {
			return nil, err
		}
		name := token.String()
		if m[name], err = d.value(); err != nil {
			return nil, err
		}
	}
	_, err := d.ReadToken()
	return m, err
}

func (d *decoder) arrayValue() (any, error) {
	if err := d.enter(); err != nil {
		return nil, err
	}
	a := []any{}
	for d.PeekKind() != ']' {
		v, err := d.value()
		if err != nil {
			return nil, err
		}
		a = append(a, v)
	}
	_, err := d.ReadToken()
	return a, err
}

// enter reads the opening bracket of an array or object.
func (d *decoder) enter() error {
	if _, err := d.ReadToken(); err != nil {
		return err
	}
	if d.StackDepth() > d.depth {
		return errDepth
	}
	return nil
}

func (d *decoder) fault(kind fault.Kind, where fault.Location, detail string) {
	d.faults.Add(kind, where, "%s", detail)
}
