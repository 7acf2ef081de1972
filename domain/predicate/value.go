package predicate

import (
	"cmp"
	"context"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/problemtracking/problems/domain/ident"
)

// Value is a value during evaluation: nil, bool, int64, float64, string, ident.ID (a
// UUID), time.Time (UTC), or an Entry. A collection is a []Value.
type Value any

// Entry is an object with keys, in the view of the evaluator: a problem, a state and
// so on.
type Entry interface {
	// Get returns the value of a key of the entry's entity: nil only for a nullable key;
	// []Value for a to-many one, in any order. It may load the value. Its errors end the
	// evaluation unchanged.
	Get(ctx context.Context, key *Key) (Value, error)
	// Identity identifies the entry. Entries of the same entity with equal identities are
	// the same object. The value must be comparable.
	Identity() any
}

// CompareValues returns -1, 0 or 1 if a is before, level with or behind b in the order
// of results (D31). nil comes last, and false before true. Strings are in the order
// of their code points, and UUIDs in the order of their bytes. Numbers compare
// exactly, Int and Float alike. Values of different kinds, entries and collections
// have no order: they are level.
func CompareValues(a, b Value) int {
	switch {
	case a == nil && b == nil:
		return 0
	case a == nil:
		return 1
	case b == nil:
		return -1
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

// compareMixed compares an Int with a Float without rounding: a conversion would make
// 2^53 and 2^53+1 equal.
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

// EqualValues reports whether two values are the same (section 4). nil equals nil alone.
// Entries are equal by identity.
func EqualValues(a, b Value) bool {
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

// ParseFloat returns the value of a number as a Float. It returns false for a number
// out of range: too great, or so small as to round to 0.
func ParseFloat(text string) (float64, bool) {
	f, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return 0, false
	}
	mantissa, _, _ := strings.Cut(strings.ToLower(text), "e")
	return f, f != 0 || !strings.ContainsAny(mantissa, "123456789")
}

// Env holds the values of NOW() and $ApiUser for one request, and the zone of dates.
type Env struct {
	Now  time.Time      // NOW(), fixed once for each request
	User ident.ID       // $ApiUser
	Zone *time.Location // a date stands for the end of its day there; nil is UTC
}
