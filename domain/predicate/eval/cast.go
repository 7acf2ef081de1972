package eval

import (
	"math"
	"regexp"
	"strconv"
	"time"

	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/predicate"
	"github.com/problemtracking/problems/domain/text"
)

// referenceDate is the zero of Dates as numbers: 2001-01-01 UTC, in seconds of Unix
// time.
const referenceDate = 978_307_200

// toDate returns the Date of a string or a number. A string is in the form of RFC
// 3339; a date alone is its midnight, no zone is UTC. A number counts seconds since
// 2001-01-01 UTC. The Date is exact to the microsecond, like times in databases.
func toDate(v predicate.Value) predicate.Value {
	switch v := v.(type) {
	case string:
		return parseDate(v)
	case int64:
		if v < -maxSeconds || v > maxSeconds {
			return nil
		}
		return inRange(time.Unix(referenceDate+v, 0))
	case float64:
		if !(math.Abs(v) <= maxSeconds) {
			return nil
		}
		whole, part := math.Modf(v)
		return inRange(time.Unix(referenceDate+int64(whole), int64(math.Round(part*1e6))*1e3))
	}
	return nil
}

// parseDate reads a date and time of RFC 3339. The zone is optional and defaults to
// UTC. The time is optional too and defaults to midnight.
func parseDate(s string) predicate.Value {
	for _, missing := range []string{"", "Z", "T00:00:00Z"} {
		if at, err := text.ParseTime(s + missing); err == nil {
			return inRange(at.Truncate(time.Microsecond))
		}
	}
	return nil
}

var numeral = regexp.MustCompile(`^[+-]?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)?$`)

// toNumber returns a value as a number. A Bool is 0 or 1, and a Date the seconds since
// 2001-01-01 UTC. A string has the form of a number in a predicate, with or without a
// sign. It always becomes a Float, because the checker knows each type before it sees
// an object.
func toNumber(v predicate.Value) predicate.Value {
	switch v := v.(type) {
	case bool:
		if v {
			return int64(1)
		}
		return int64(0)
	case time.Time:
		return float64(v.Unix()-referenceDate) + float64(v.Nanosecond())/1e9
	case string:
		if !numeral.MatchString(v) {
			return nil
		}
		if f, ok := predicate.ParseFloat(v); ok {
			return f
		}
	}
	return nil
}

// toString returns a value as text.
func toString(v predicate.Value) predicate.Value {
	switch v := v.(type) {
	case ident.ID:
		return v.String()
	case int64:
		return strconv.FormatInt(v, 10)
	}
	return nil
}
