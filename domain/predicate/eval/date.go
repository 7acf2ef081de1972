package eval

import (
	"math"
	"time"

	"github.com/problemtracking/problems/domain/predicate"
)

// The first and the last year of a Date.
const (
	firstYear = 1
	lastYear  = 9999
)

// maxSeconds is more seconds than lie between any two Dates. No greater amount of any
// unit leads from one Date to another.
const maxSeconds = (lastYear + 1) * 366 * 24 * 60 * 60

// addToDate adds a number of a unit of time to a Date in UTC. It truncates the number
// toward zero.
func addToDate(f predicate.Func, at time.Time, amount predicate.Value) predicate.Value {
	n, ok := wholeAmount(amount)
	if !ok {
		return nil
	}
	switch f {
	case predicate.AddSeconds:
		return addSeconds(at, n)
	case predicate.AddMinutes:
		return addSeconds(at, n*60)
	case predicate.AddHours:
		return addSeconds(at, n*60*60)
	case predicate.AddDays:
		return addSeconds(at, n*24*60*60)
	case predicate.AddMonths:
		return addMonths(at, n)
	case predicate.AddYears:
		return addMonths(at, n*12)
	}
	return nil
}

// wholeAmount truncates a number toward zero. It is not ok when the resulting Date is
// surely out of range.
func wholeAmount(amount predicate.Value) (n int64, ok bool) {
	switch amount := amount.(type) {
	case int64:
		return amount, -maxSeconds <= amount && amount <= maxSeconds
	case float64:
		if !(math.Abs(amount) <= maxSeconds) {
			return 0, false
		}
		return int64(amount), true
	}
	return 0, false
}

func addSeconds(at time.Time, n int64) predicate.Value {
	return inRange(time.Unix(at.Unix()+n, int64(at.Nanosecond())))
}

// addMonths adds months by the calendar. If the resulting month is too short for the
// day, the result is its last day.
func addMonths(at time.Time, n int64) predicate.Value {
	year, month, day := at.UTC().Date()
	months := int64(year)*12 + int64(month-1) + n
	if months < firstYear*12 || months >= (lastYear+1)*12 {
		return nil
	}
	year, month = int(months/12), time.Month(months%12)+1
	last := time.Date(year, month+1, 0, 0, 0, 0, 0, time.UTC).Day()
	hour, minute, second := at.UTC().Clock()
	return time.Date(year, month, min(day, last), hour, minute, second, at.Nanosecond(), time.UTC)
}

// inRange returns a Date in UTC, or nil when its year is out of range.
func inRange(at time.Time) predicate.Value {
	at = at.UTC()
	if at.Year() < firstYear || at.Year() > lastYear {
		return nil
	}
	return at
}
