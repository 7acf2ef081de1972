package problem

import (
	"time"

	"github.com/problemtracking/problems/domain/date"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/text"
)

// Field describes one field of a problem. The number and the revision of a problem are
// no fields: they are about the record.
type Field struct {
	// Name is the member in JSON, the key in predicates and the field in logs.
	Name string
	// To is the kind of the objects of a reference; empty for any other field.
	To metadata.Kind
	// Required fields are never null.
	Required bool
	// Client fields are members of Fields and of Patch. The service writes the others.
	Client bool
	// Fixed fields never change after the creation of the problem.
	Fixed bool
	// Rule is the rule for the value of a text.
	Rule text.Rule
	// Folded texts have folded forms in stores, for comparisons with [c] and [cd].
	Folded bool
	// Label is the name for people, by the tag of a language.
	Label map[string]string
	// Since is the version of the archives that first had the field; 0 for those of the first
	// release. In earlier archives the field is null.
	Since int

	codec codec
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
func FieldsOf(kind Kind) []*Field {
	return fieldsWith(func(f *Field) bool { return f.Kind() == kind })
}

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

// Kind returns the kind of the field's values.
func (f *Field) Kind() Kind {
	if f.codec == nil {
		return TextField // a Field outside of the table
	}
	return f.codec.kind()
}

// Text returns a pointer to the text of the field in a problem.
func (f *Field) Text(p *Problem) *string { return f.ClientText(&p.Fields) }

// Reference returns a pointer to the reference of the field in a problem.
func (f *Field) Reference(p *Problem) *ident.ID {
	if user, ok := f.codec.(userCodec); ok {
		return user.at(p)
	}
	return f.ClientReference(&p.Fields)
}

// Time returns a pointer to the time of the field in a problem.
func (f *Field) Time(p *Problem) *time.Time { return f.codec.(timeCodec).at(p) }

// ClientText returns a pointer to a text set by clients.
func (f *Field) ClientText(fields *Fields) *string { return f.codec.(textCodec).at(fields) }

// ClientReference returns a pointer to a reference set by clients.
func (f *Field) ClientReference(fields *Fields) *ident.ID {
	return f.codec.(referenceCodec).at(fields)
}

// ClientDate returns a pointer to a date set by clients.
func (f *Field) ClientDate(fields *Fields) *date.Date { return f.codec.(dateCodec).at(fields) }

// Same reports whether a Client field has the same value in both.
func (f *Field) Same(a, b *Fields) bool { return f.codec.(clientCodec).same(a, b) }

// Log returns the value of a Client field in the form of the log. name returns the name
// of an object.
func (f *Field) Log(fields *Fields, name func(metadata.Kind, ident.ID) string) LogValue {
	return f.codec.(clientCodec).log(f, fields, name)
}
