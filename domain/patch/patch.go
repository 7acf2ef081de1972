// Package patch holds one member of a partial update (D11, RFC 7396). It is absent (keep
// the value), null (clear it) or a value (set it).
package patch

// Field is a member of a partial update. The zero Field is absent.
type Field[T any] struct {
	// Sent is true when the request has the member, null included.
	Sent bool
	// Null is true when the member is null. Value is then the zero value.
	Null  bool
	Value T
}

// Set returns a field to set v.
func Set[T any](v T) Field[T] { return Field[T]{Sent: true, Value: v} }

// Null returns a field to clear the value.
func Null[T any]() Field[T] { return Field[T]{Sent: true, Null: true} }
