package date

import (
	"testing"
	"time"
)

func TestParse(t *testing.T) {
	t.Parallel()
	for _, good := range []string{"2026-10-31", "2024-02-29", "1900-01-01", "9999-12-31", "1970-01-01", "1969-12-31"} {
		d, err := Parse(good)
		if err != nil || d.String() != good || d.IsNone() || d.midnight().Format(layout) != good {
			t.Errorf("%s: %v, %v", good, d, err)
		}
		if next, err := Parse((d + 1).String()); d != Max && (next != d+1 || err != nil) {
			t.Errorf("the day after %s: %v, %v", good, next, err)
		}
	}
	for _, bad := range []string{
		"", "tomorrow", "2026-02-30", "2026-02-29", "2026-13-01", "2026-00-10", "2026-10-00", "2026-1-1", "26-10-31", "31.10.2026", "10/31/2026",
		"2026-10-31T00:00:00Z", "2026-10-31 ", " 2026-10-31", "2026-10-31Z", "+2026-10-31", "-2026-10-31", "20261031", "2026-W44-6", "2026-304",
		"1899-12-31", "0000-00-00", "0001-01-01", "0026-10-31", "10000-01-01", "\uff12026-10-31", "2026-10-3\u0661",
	} {
		if d, err := Parse(bad); err != errDate {
			t.Errorf("%q: %v, %v", bad, d, err)
		}
	}
	if None.String() != "" || !None.IsNone() || None.Check() == nil {
		t.Errorf("None is %q", None)
	}
}

// zones have days of 23, 24 and 25 hours, days without a midnight or with two, skipped days,
// and offsets with seconds.
var zones = []string{
	"UTC", "Europe/Berlin", "America/New_York", "Pacific/Apia", "Pacific/Kwajalein", "America/Sao_Paulo", "Asia/Beirut", "Asia/Tehran",
	"America/St_Johns", "Africa/Monrovia", "Pacific/Kiritimati", "Etc/GMT+12", "America/Havana", "Africa/Cairo", "America/Asuncion",
}

func load(t *testing.T, name string) *time.Location {
	t.Helper()
	zone, err := time.LoadLocation(name)
	if err != nil {
		t.Fatal(err)
	}
	return zone
}

// The next day begins right after a day; both keep their order. Around finds the end of each
// day, and what is a millisecond off.
func TestEndsInZones(t *testing.T) {
	t.Parallel()
	for _, name := range zones {
		zone := load(t, name)
		for d := onDay(1985, 1, 1); d < onDay(2031, 1, 1); d++ {
			end := d.End(zone)
			if at := Of(end.In(zone)); at > d || end.Before((d - 1).End(zone)) {
				t.Fatalf("%s: %s ends at %s", name, d, end.In(zone))
			}
			if after := Of(end.Add(time.Millisecond).In(zone)); after <= d {
				t.Fatalf("%s: a millisecond after the end of %s it is %s", name, d, after)
			}
			for _, at := range []time.Time{end.Add(-time.Millisecond), end, end.Add(time.Millisecond), end.Add(12 * time.Hour)} {
				last, first := Around(at, zone)
				if last.End(zone).After(at) || !(last + 1).End(zone).After(at) || first.End(zone).Before(at) || !(first - 1).End(zone).Before(at) {
					t.Fatalf("%s: around %s: %s and %s", name, at.In(zone), last, first)
				}
			}
		}
	}
}

// A date comes back from its start, its end and its midnight in UTC, in zones that have the day.
func TestShown(t *testing.T) {
	t.Parallel()
	for _, name := range zones {
		zone := load(t, name)
		for d := onDay(1985, 1, 1); d < onDay(2031, 1, 1); d++ {
			times := []time.Time{d.midnight()}
			if start := d.Start(zone); Of(start.In(zone)) == d {
				times = append(times, start, d.End(zone))
			}
			for _, at := range times {
				if got := Shown(at, zone); got != d {
					t.Fatalf("%s: %s is shown as %s, want %s", name, at, got, d)
				}
			}
		}
	}
	for at, want := range map[string]string{"2026-10-31T00:00:00.001Z": "2026-10-30", "2026-10-31T03:59:59Z": "2026-10-30", "2026-10-31T04:00:00Z": "2026-10-31", "2026-10-30T20:00:00-04:00": "2026-10-31"} {
		moment, err := time.Parse(time.RFC3339, at)
		if err != nil {
			t.Fatal(err)
		}
		if got := Shown(moment, load(t, "America/New_York")); got.String() != want {
			t.Errorf("%s is shown as %s, want %s", at, got, want)
		}
	}
}

func TestEnd(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ date, zone, want string }{
		{"2026-10-31", "UTC", "2026-10-31T23:59:59.999Z"},
		{"2026-10-31", "Europe/Berlin", "2026-10-31T22:59:59.999Z"},
		{"2026-10-24", "Europe/Berlin", "2026-10-24T21:59:59.999Z"}, // summer
		{"2026-10-31", "America/New_York", "2026-11-01T03:59:59.999Z"},
		{"2018-11-03", "America/Sao_Paulo", "2018-11-04T02:59:59.999Z"}, // the next day began at 01:00
		{"2011-12-29", "Pacific/Apia", "2011-12-30T09:59:59.999Z"},      // the next day is skipped
		{"9999-12-30", "Etc/GMT+12", "9999-12-31T11:59:59.999Z"},
		{"9999-12-31", "Etc/GMT+12", "9999-12-31T23:59:59.999Z"}, // the last time
	} {
		d, err := Parse(c.date)
		if err != nil {
			t.Fatal(err)
		}
		if got := d.End(load(t, c.zone)).Format("2006-01-02T15:04:05.000Z"); got != c.want {
			t.Errorf("%s ends in %s at %s, want %s", c.date, c.zone, got, c.want)
		}
	}
}
