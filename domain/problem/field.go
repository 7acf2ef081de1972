package problem

import (
	"time"

	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/patch"
	"github.com/problemtracking/problems/domain/text"
)

// Kind is the kind of a field's value.
type Kind uint8

// The kinds of fields.
const (
	TextField      Kind = iota + 1 // a string; the empty one stands for null
	ReferenceField                 // the identifier of a metadata object or user; ident.None stands for null
	TimeField                      // a time in UTC, in whole milliseconds; the zero time stands for null
)

// Field describes one field of a problem. The number and the revision of a problem are
// no fields: they are about the record.
type Field struct {
	// Name is the member in JSON, the key in predicates and the field in logs.
	Name string
	Kind Kind
	// To is the kind of the objects of a ReferenceField.
	To metadata.Kind
	// Required fields are never null.
	Required bool
	// Client fields are members of Fields and of Patch. The service writes the others.
	Client bool
	// Fixed fields never change after the creation of the problem.
	Fixed bool
	// Rule is the rule for the value of a TextField.
	Rule text.Rule
	// Folded texts have folded forms in stores, for comparisons with [c] and [cd].
	Folded bool

	// A Client field has text or reference, any other has user or time.
	text      func(*Fields) *string
	reference func(*Fields) *ident.ID
	user      func(*Problem) *ident.ID
	time      func(*Problem) *time.Time

	// A Client field has sent or partial, by its Kind.
	sent    func(*Patch) *patch.Field[string]
	partial func(*Patch) *patch.Field[metadata.Partial]
}

// AllFields returns all fields in the order of D1. Each is the same pointer in every
// result, and read-only.
func AllFields() []*Field {
	all := make([]*Field, len(table))
	for i := range table {
		all[i] = &table[i]
	}
	return all
}

// ClientFields returns the fields set by clients, in the order of D1.
func ClientFields() []*Field { return fieldsWith(func(f *Field) bool { return f.Client }) }

// FieldsOf returns the fields of a kind, in the order of D1.
func FieldsOf(kind Kind) []*Field { return fieldsWith(func(f *Field) bool { return f.Kind == kind }) }

func fieldsWith(property func(*Field) bool) (some []*Field) {
	for _, f := range AllFields() {
		if property(f) {
			some = append(some, f)
		}
	}
	return some
}

// FieldNamed returns the field with this name; nil if there is none.
func FieldNamed(name string) *Field {
	for i := range table {
		if table[i].Name == name {
			return &table[i]
		}
	}
	return nil
}

// Text returns a pointer to a TextField in a problem.
func (f *Field) Text(p *Problem) *string { return f.text(&p.Fields) }

// Reference returns a pointer to a ReferenceField in a problem.
func (f *Field) Reference(p *Problem) *ident.ID {
	if f.Client {
		return f.reference(&p.Fields)
	}
	return f.user(p)
}

// Time returns a pointer to a TimeField in a problem.
func (f *Field) Time(p *Problem) *time.Time { return f.time(p) }

// ClientText returns a pointer to a TextField set by clients.
func (f *Field) ClientText(fields *Fields) *string { return f.text(fields) }

// ClientReference returns a pointer to a ReferenceField set by clients.
func (f *Field) ClientReference(fields *Fields) *ident.ID { return f.reference(fields) }

// SentText returns the member of a TextField in a patch.
func (f *Field) SentText(p *Patch) *patch.Field[string] { return f.sent(p) }

// SentReference returns the member of a ReferenceField in a patch.
func (f *Field) SentReference(p *Patch) *patch.Field[metadata.Partial] { return f.partial(p) }

// Same reports whether a Client field has the same value in both.
func (f *Field) Same(a, b *Fields) bool {
	if f.Kind == TextField {
		return *f.text(a) == *f.text(b)
	}
	return *f.reference(a) == *f.reference(b)
}

// Log returns the value of a Client field in the form of the log. name returns the name
// of an object.
func (f *Field) Log(fields *Fields, name func(metadata.Kind, ident.ID) string) LogValue {
	if f.Kind == TextField {
		return logOptional(*f.text(fields))
	}
	id := *f.reference(fields)
	return LogRef(id, name(f.To, id))
}

// logOptional returns the log value of a text, or null for the empty text.
func logOptional(s string) LogValue {
	if s == "" {
		return ""
	}
	return LogText(s)
}
