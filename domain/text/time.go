package text

import (
	"errors"
	"regexp"
	"strings"
	"time"
)

// timeForm is the strict form of RFC 3339. time.Parse accepts more: an hour of one
// digit, a comma before the fraction, an offset of 23:60.
var timeForm = regexp.MustCompile(`^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]+)?(Z|[+-]([01][0-9]|2[0-3]):[0-5][0-9])$`)

var errTime = errors.New("no date and time as in RFC 3339, such as 2015-11-05T12:00:00.000Z")

// CheckTime refuses a time outside of the years 1 to 9999. It also refuses the very
// start of year 1, because it stands for no time. The text of the error ends a sentence
// for its author.
func CheckTime(at time.Time) error {
	if at = at.UTC(); at.Year() < 1 || at.Year() > 9999 || at.IsZero() {
		return errors.New("must be after 0001-01-01T00:00:00Z, and before the year 10000")
	}
	return nil
}

// ParseTime reads a date and time of RFC 3339 (D9). T and Z may be in lower case. It
// returns the time in UTC.
func ParseTime(s string) (time.Time, error) {
	s = strings.ToUpper(s)
	if !timeForm.MatchString(s) {
		return time.Time{}, errTime
	}
	at, err := time.Parse(time.RFC3339, s)
	if err != nil { // such as February 30
		return time.Time{}, errTime
	}
	return at.UTC(), nil
}
