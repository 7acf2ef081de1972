package sqlsearch

import (
	"math"
	"time"

	"github.com/problemtracking/problems/domain/predicate"
)

// relation is the relation of a number to an integer of 64 bits.
type relation int

const (
	exactly relation = iota // it is one
	above                   // it is between the integer and the next one
	beyond                  // it is greater than all
	beneath                 // it is less than all
)

// whole rounds a number, or a time in microseconds, down to an integer, and returns the
// value's position relative to it. It is not ok for other values.
func whole(v predicate.Value) (n int64, at relation, ok bool) {
	switch v := v.(type) {
	case int64:
		return v, exactly, true
	case float64:
		switch floor := math.Floor(v); {
		case v >= 1<<63:
			return 0, beyond, true
		case v < -1<<63:
			return 0, beneath, true
		case floor == v:
			return int64(floor), exactly, true
		default:
			return int64(floor), above, true
		}
	case time.Time:
		n = v.UnixMicro() // cut to the past
		if v.Nanosecond()%1000 != 0 {
			return n, above, true
		}
		return n, exactly, true
	}
	return 0, exactly, false
}

// outcome says whether a comparison holds.
type outcome int

const (
	depends outcome = iota
	always
	never
)

// bound turns a comparison with a number into an equivalent comparison with an integer.
// The number is at the given position relative to n.
func bound(op predicate.Op, n int64, at relation) (predicate.Op, int64, outcome) {
	greater := op == predicate.Greater || op == predicate.GreaterOrEqual
	switch {
	case at == exactly:
		return op, n, depends
	case op == predicate.Equal:
		return op, n, never
	case at == above && greater:
		return predicate.Greater, n, depends
	case at == above:
		return predicate.LessOrEqual, n, depends
	case (at == beyond) == greater:
		return op, n, never
	}
	return op, n, always
}
