package problem

import (
	"time"

	"github.com/problemtracking/problems/domain/date"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/patch"
)

// Kind is the kind of a field's value.
type Kind uint8

// The kinds of fields.
const (
	TextField      Kind = iota + 1 // a string; the empty one stands for null
	ReferenceField                 // the identifier of a metadata object or user; ident.None stands for null
	DateField                      // a day; date.None stands for null
	TimeField                      // a time in UTC, in whole milliseconds; the zero time stands for null
)

// ClientKinds has a method for each kind of field set by clients. The pointer leads to
// the value. All that depends on the kind of a field implements ClientKinds, Kinds or
// SentKinds: with a method there for a new kind, all of it has to know the kind, or does not compile.
type ClientKinds[R any] interface {
	Text(f *Field, value *string) R
	Reference(f *Field, value *ident.ID) R
	Date(f *Field, value *date.Date) R
}

// Kinds has a method for each kind of field.
type Kinds[R any] interface {
	ClientKinds[R]
	Time(f *Field, value *time.Time) R
}

// SentKinds has a method for each kind of field in a Patch.
type SentKinds[R any] interface {
	Text(f *Field, sent *patch.Field[string]) R
	Reference(f *Field, sent *patch.Field[metadata.Partial]) R
	Date(f *Field, sent *patch.Field[date.Date]) R
}

// Value calls the method for the kind of the field, with its value in the problem.
func Value[R any](f *Field, p *Problem, by Kinds[R]) R {
	switch f.Kind() {
	case TimeField:
		return by.Time(f, f.Time(p))
	case ReferenceField:
		return by.Reference(f, f.Reference(p))
	default:
		return ClientValue(f, &p.Fields, by)
	}
}

// ClientValue calls the method for the kind of a Client field, with its value among the
// fields.
func ClientValue[R any](f *Field, fields *Fields, by ClientKinds[R]) R {
	switch c := f.codec.(type) {
	case textCodec:
		return by.Text(f, c.at(fields))
	case dateCodec:
		return by.Date(f, c.at(fields))
	default:
		return by.Reference(f, f.ClientReference(fields))
	}
}

// Sent calls the method for the kind of a Client field, with its member of the patch.
func Sent[R any](f *Field, p *Patch, by SentKinds[R]) R {
	switch c := f.codec.(type) {
	case textCodec:
		return by.Text(f, c.sent(p))
	case dateCodec:
		return by.Date(f, c.sent(p))
	default:
		return by.Reference(f, f.codec.(referenceCodec).sent(p))
	}
}

// codec leads to the values of one field, and knows what they have in common with others of
// its kind.
type codec interface{ kind() Kind }

// clientCodec is the codec of a field set by clients.
type clientCodec interface {
	codec
	same(a, b *Fields) bool
	copy(to, from *Fields)
	log(f *Field, fields *Fields, name func(metadata.Kind, ident.ID) string) LogValue
}

// place is where clients set a value: a member of Fields, and of Patch.
type place[V comparable, S any] struct {
	at   func(*Fields) *V
	sent func(*Patch) *patch.Field[S]
}

func (c place[V, S]) same(a, b *Fields) bool { return *c.at(a) == *c.at(b) }

func (c place[V, S]) copy(to, from *Fields) { *c.at(to) = *c.at(from) }

type (
	textCodec      struct{ place[string, string] }
	referenceCodec struct {
		place[ident.ID, metadata.Partial]
	}
	dateCodec struct{ place[date.Date, date.Date] }
	// userCodec is for references to users that the service writes.
	userCodec struct{ at func(*Problem) *ident.ID }
	timeCodec struct{ at func(*Problem) *time.Time }
)

func (textCodec) kind() Kind      { return TextField }
func (referenceCodec) kind() Kind { return ReferenceField }
func (userCodec) kind() Kind      { return ReferenceField }
func (dateCodec) kind() Kind      { return DateField }
func (timeCodec) kind() Kind      { return TimeField }

func (c textCodec) log(_ *Field, fields *Fields, _ func(metadata.Kind, ident.ID) string) LogValue {
	if s := *c.at(fields); s != "" {
		return LogText(s)
	}
	return ""
}

func (c referenceCodec) log(f *Field, fields *Fields, name func(metadata.Kind, ident.ID) string) LogValue {
	id := *c.at(fields)
	return LogRef(id, name(f.To, id))
}

func (c dateCodec) log(_ *Field, fields *Fields, _ func(metadata.Kind, ident.ID) string) LogValue {
	if d := *c.at(fields); !d.IsNone() {
		return LogText(d.String())
	}
	return ""
}

// textAt, referenceAt, dateAt, userAt and timeAt make the codecs of the table.

func textAt(at func(*Fields) *string, sent func(*Patch) *patch.Field[string]) codec {
	return textCodec{place[string, string]{at, sent}}
}

func referenceAt(at func(*Fields) *ident.ID, sent func(*Patch) *patch.Field[metadata.Partial]) codec {
	return referenceCodec{place[ident.ID, metadata.Partial]{at, sent}}
}

func dateAt(at func(*Fields) *date.Date, sent func(*Patch) *patch.Field[date.Date]) codec {
	return dateCodec{place[date.Date, date.Date]{at, sent}}
}

func userAt(at func(*Problem) *ident.ID) codec { return userCodec{at} }

func timeAt(at func(*Problem) *time.Time) codec { return timeCodec{at} }
