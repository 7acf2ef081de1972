// Package date holds days of the calendar. A date has no time and no zone. It stands for its
// whole day: so it ends with the last millisecond of this day, in a zone.
package date

import (
	"errors"
	"time"
)

// Date is a day of the Gregorian calendar, from Min to Max. Later days are greater. The zero
// Date stands for none.
type Date int32

// None is no date.
const None Date = 0

// The first and the last date.
var (
	Min = onDay(1900, time.January, 1)
	Max = onDay(9999, time.December, 31)
)

// layout is the form of a date in every text (D9).
const layout = time.DateOnly

const day = 24 * time.Hour

var errDate = errors.New("must be a date such as 2026-10-31, from 1900-01-01 to 9999-12-31")

// Parse reads a date such as 2026-10-31. The text of the error ends a sentence for the
// author.
func Parse(s string) (Date, error) {
	at, err := time.Parse(layout, s)
	if err != nil {
		return None, errDate
	}
	d := Of(at)
	return d, d.Check()
}

// Check refuses a date outside of Min and Max. The text of the error ends a sentence for its
// author.
func (d Date) Check() error {
	if d < Min || d > Max {
		return errDate
	}
	return nil
}

// Of returns the date of a time, in the zone of the time.
func Of(at time.Time) Date { return onDay(at.Date()) }

// onDay counts the days since the day before 0001-01-01, which is 1.
func onDay(year int, month time.Month, d int) Date {
	return Date(time.Date(year, month, d, 0, 0, 0, 0, time.UTC).Unix()/int64(day/time.Second) - beforeFirst)
}

// beforeFirst is the day before 0001-01-01, in days since 1970.
const beforeFirst = -719163

// IsNone reports whether the date is None.
func (d Date) IsNone() bool { return d == None }

// String returns the date as Parse reads it; "" for None.
func (d Date) String() string {
	if d.IsNone() {
		return ""
	}
	return d.midnight().Format(layout)
}

// midnight returns the beginning of the day in UTC.
func (d Date) midnight() time.Time {
	return time.Unix((int64(d)+beforeFirst)*int64(day/time.Second), 0).UTC()
}

// Start returns the beginning of the day in a zone, in UTC. A day that begins twice has the
// beginning that Go chooses. A day that the zone skips begins with the next one.
func (d Date) Start(zone *time.Location) time.Time {
	year, month, number := d.midnight().Date()
	at := time.Date(year, month, number, 0, 0, 0, 0, zone)
	if Of(at) < d { // there is no midnight, and this is the hour before it
		_, at = at.ZoneBounds()
	}
	return at.UTC()
}

// End returns the last millisecond of the day in a zone, in UTC. Max ends with its day in UTC
// at the latest: no time is later than that.
func (d Date) End(zone *time.Location) time.Time {
	end := (d + 1).Start(zone).Add(-time.Millisecond)
	if latest := (Max + 1).midnight().Add(-time.Millisecond); d == Max && end.After(latest) {
		return latest
	}
	return end
}

// Shown returns the date that a time stands for in front of people: its day in the zone.
// Midnight in UTC is the time by which clients without a zone send a date. It stands for this
// date in all zones.
func Shown(at time.Time, zone *time.Location) Date {
	if at = at.UTC(); !at.Equal(at.Truncate(day)) {
		at = at.In(zone)
	}
	return Of(at)
}

// Around returns the last date that ends at or before a time in the zone, and the first one
// that ends at or after it. They are the same at the end of a day, and
// neighbours elsewhere. Where the zone skips a day, last can be behind first.
func Around(at time.Time, zone *time.Location) (last, first Date) {
	first = Of(at.In(zone))
	for first.End(zone).Before(at) {
		first++
	}
	for !(first - 1).End(zone).Before(at) {
		first--
	}
	last = first - 1
	for !(last + 1).End(zone).After(at) {
		last++
	}
	return last, first
}
