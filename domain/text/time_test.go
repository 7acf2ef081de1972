package text

import (
	"testing"
	"time"
)

func TestParseTime(t *testing.T) {
	t.Parallel()
	for s, want := range map[string]time.Time{
		"2015-11-05T12:00:00Z":           time.Date(2015, 11, 5, 12, 0, 0, 0, time.UTC),
		"2015-11-05t12:00:00z":           time.Date(2015, 11, 5, 12, 0, 0, 0, time.UTC),
		"2015-11-05T12:00:00.25+02:00":   time.Date(2015, 11, 5, 10, 0, 0, 250e6, time.UTC),
		"2015-11-05T00:30:00-23:59":      time.Date(2015, 11, 6, 0, 29, 0, 0, time.UTC),
		"2016-02-29T23:59:59.999999999Z": time.Date(2016, 2, 29, 23, 59, 59, 999999999, time.UTC),
	} {
		if got, err := ParseTime(s); err != nil || got != want {
			t.Errorf("%s is %v, %v; want %v", s, got, err, want)
		}
	}
	for _, s := range []string{"", "2015-11-05", "2015-11-05T12:00:00", "2015-11-05T4:00:00Z", "2015-11-05T12:00:00,5Z", "2015-11-05T12:00:00.Z",
		"2015-11-05T12:00:00+23:60", "2015-11-05T12:00:00+24:00", "2015-11-05T12:00:00+0200", "2015-02-29T12:00:00Z", "2015-11-05T24:00:00Z",
		"2015-11-05T12:00:60Z", "2015-11-05 12:00:00Z", "15-11-05T12:00:00Z", " 2015-11-05T12:00:00Z", "2015-11-05T12:00:00Z\n"} {
		if got, err := ParseTime(s); err == nil {
			t.Errorf("%q is %v", s, got)
		}
	}
}

func TestCheckTime(t *testing.T) {
	t.Parallel()
	begin, end := time.Time{}, time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		at time.Time
		ok bool
	}{
		{begin, false},
		{begin.Add(-time.Millisecond), false},
		{begin.Add(time.Millisecond), true},
		{end.Add(-time.Millisecond), true},
		{end, false},
		{end.Add(-time.Millisecond).In(time.FixedZone("", 3600)), true}, // the year 10000 in this zone
		{end.In(time.FixedZone("", -3600)), false},
	} {
		if err := CheckTime(c.at); (err == nil) != c.ok {
			t.Errorf("%v: %v", c.at, err)
		}
	}
}
