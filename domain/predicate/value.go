package predicate

import (
	"cmp"
	"context"
	"math"
	"strings"
	"time"

	"github.com/problemtracking/problems/domain/ident"
)

// Value is a value at the time of evaluation: nil, bool, int64, float64, string,
// ident.ID (a UUID), time.Time (UTC), an Entry, or, of a collection, []Value.
type Value any

// Entry is an object that has keys, as the evaluator reads it: a problem, a state
// and so on.
type Entry interface {
	// Get returns the value of a key of the entry's entity: nil only for a
	// nullable key; []Value for a to-many one, in any order. It may load what
	// it needs; its errors end the evaluation as they are.
	Get(ctx context.Context, key *Key) (Value, error)
	// Identity is what entries are compared by: of the same entity and equal
	// identity, they are the same object. It has to be comparable.
	Identity() any
}

// CompareValues returns -1, 0 or 1 as a is before, level with or behind b in an
// order of results (D31): nil comes first, false before true, strings are in the
// order of their code points, UUIDs in that of their bytes, and numbers are compared
// exactly, whether Int or Float. Values of different kinds, entries and collections
// have no order: they are level.
func CompareValues(a, b Value) int {
	switch {
	case a == nil && b == nil:
		return 0
	case a == nil:
		return -1
	case b == nil:
		return 1
	}
	switch a := a.(type) {
	case bool:
		if b, ok := b.(bool); ok && a != b {
			if a {
				return 1
			}
			return -1
		}
	case int64:
		switch b := b.(type) {
		case int64:
			return cmp.Compare(a, b)
		case float64:
			return compareMixed(a, b)
		}
	case float64:
		switch b := b.(type) {
		case int64:
			return -compareMixed(b, a)
		case float64:
			return cmp.Compare(a, b)
		}
	case string:
		if b, ok := b.(string); ok {
			// UTF-8 has the order of the code points.
			return strings.Compare(a, b)
		}
	case ident.ID:
		if b, ok := b.(ident.ID); ok {
			return a.Compare(b)
		}
	case time.Time:
		if b, ok := b.(time.Time); ok {
			return a.Compare(b)
		}
	}
	return 0
}

// compareMixed compares an Int with a Float without rounding either: a conversion
// would make 2^53 and 2^53+1 the same.
func compareMixed(i int64, f float64) int {
	switch {
	case f >= 1<<63:
		return -1
	case f < -1<<63:
		return 1
	}
	whole := math.Trunc(f)
	return cmp.Or(cmp.Compare(i, int64(whole)), cmp.Compare(whole, f))
}

// equal reports whether two values are the same (section 4): nil equals nil alone,
// and entries are compared by identity.
func equal(a, b Value) bool {
	switch x := a.(type) {
	case nil:
		return b == nil
	case bool:
		y, ok := b.(bool)
		return ok && x == y
	case int64, float64:
		switch b.(type) {
		case int64, float64:
			return CompareValues(a, b) == 0
		}
		return false
	case string:
		y, ok := b.(string)
		return ok && x == y
	case ident.ID:
		y, ok := b.(ident.ID)
		return ok && x == y
	case time.Time:
		y, ok := b.(time.Time)
		return ok && x.Equal(y)
	case Entry:
		y, ok := b.(Entry)
		return ok && x.Identity() == y.Identity()
	}
	return false
}
