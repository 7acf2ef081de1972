package wire

import (
	"iter"
	"reflect"

	"github.com/danielgtaylor/huma/v2"

	"github.com/problemtracking/problems/domain/metadata"
)

// JSON is the body of an answer with a record of type T, or with several as a slice of it. A
// pointer stands for a record that may be null.
type JSON[T any] struct {
	Table bool                     // the body is CSV instead (D56)
	Text  []byte                   // all of it
	Parts iter.Seq2[[]byte, error] // if not nil: all of it, instead of Text
}

// One returns a record as a body. The catalogue, if not nil, has the names of its objects.
func One[T, V any](catalogue *metadata.Catalogue, encode func(*Encoder, V), v V) JSON[T] {
	e := Encoder{Catalogue: catalogue}
	encode(&e, v)
	return JSON[T]{Text: e.Buf}
}

// Content returns the text of the body, or its parts.
func (j JSON[T]) Content() (text []byte, parts iter.Seq2[[]byte, error]) { return j.Text, j.Parts }

// SetText has the body be a text.
func (j *JSON[T]) SetText(text []byte) { j.Text = text }

// ContentType implements huma.ContentTypeFilter: operations choose, and not Huma.
func (j JSON[T]) ContentType(string) string {
	if j.Table {
		return MediaCSV
	}
	return "application/json"
}

// Schema implements huma.SchemaProvider.
func (JSON[T]) Schema(registry huma.Registry) *huma.Schema {
	return Schema(registry, reflect.TypeFor[T]())
}

// Schema returns the schema of a type of this package, of a slice of one, or of a pointer to
// one. Huma's own schema of a slice would admit null, and that of a pointer to a record would not.
func Schema(registry huma.Registry, t reflect.Type) *huma.Schema {
	switch {
	case t.Kind() == reflect.Slice:
		return &huma.Schema{Type: huma.TypeArray, Items: registry.Schema(t.Elem(), true, "")}
	case t.Kind() == reflect.Pointer && t.Elem().Kind() == reflect.Struct:
		return OrNull(registry.Schema(t.Elem(), true, ""))
	}
	return registry.Schema(t, true, "")
}

// OrNull returns the schema of a value that may be null. The schema is a reference.
func OrNull(schema *huma.Schema) *huma.Schema {
	return &huma.Schema{AnyOf: []*huma.Schema{schema, {Type: "null"}}}
}
