// Package patch holds one member of a partial update, which is absent (leave the
// value as it is), null (clear it) or a value (set it): D11, RFC 7396.
package patch

// Field is a member of a partial update. The zero Field is absent.
type Field[T any] struct {
	// Sent is true when the request has the member, null included.
	Sent bool
	// Null is true when the member is null. Value is then the zero value.
	Null  bool
	Value T
}

// Set returns a field that sets v.
func Set[T any](v T) Field[T] { return Field[T]{Sent: true, Value: v} }

// Null returns a field that clears.
func Null[T any]() Field[T] { return Field[T]{Sent: true, Null: true} }
