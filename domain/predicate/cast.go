package predicate

import (
	"math"
	"regexp"
	"strconv"
	"time"

	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/text"
)

// referenceDate is the moment that Dates are counted from when they are numbers:
// 2001-01-01 UTC, in seconds of Unix time.
const referenceDate = 978_307_200

// toDate returns the Date that a string (RFC 3339; a date alone is its midnight, no
// zone is UTC) or a number (seconds since 2001-01-01 UTC) stands for. It is good to
// the microsecond, which is what databases keep of a time.
func toDate(v Value) Value {
	switch v := v.(type) {
	case string:
		return parseDate(v)
	case int64:
		if v < -mostSeconds || v > mostSeconds {
			return nil
		}
		return inRange(time.Unix(referenceDate+v, 0))
	case float64:
		if !(math.Abs(v) <= mostSeconds) {
			return nil
		}
		whole, part := math.Modf(v)
		return inRange(time.Unix(referenceDate+int64(whole), int64(math.Round(part*1e6))*1e3))
	}
	return nil
}

// parseDate reads a date and time of RFC 3339, of which the zone, or it and the time,
// can be missing: then it is UTC, and midnight.
func parseDate(s string) Value {
	for _, missing := range []string{"", "Z", "T00:00:00Z"} {
		if at, err := text.ParseTime(s + missing); err == nil {
			return inRange(at.Truncate(time.Microsecond))
		}
	}
	return nil
}

var numeral = regexp.MustCompile(`^[+-]?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)?$`)

// toNumber returns the number that a value stands for: a Bool is 0 or 1, a Date the
// seconds since 2001-01-01 UTC, and a string, which is written as in a predicate, with
// or without a sign, always a Float: what type something has is known before any
// object is looked at.
func toNumber(v Value) Value {
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
		if f, ok := floatValue(v); ok {
			return f
		}
	}
	return nil
}

// toString returns the text that a value stands for.
func toString(v Value) Value {
	switch v := v.(type) {
	case ident.ID:
		return v.String()
	case int64:
		return strconv.FormatInt(v, 10)
	}
	return nil
}
