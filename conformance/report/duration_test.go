package report

import (
	"encoding/json"
	"strings"
	"testing"
	"time"
)

func TestDuration(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		span           time.Duration
		inJSON, people string
	}{
		{0, "0.000", "0 ms"},
		{400 * time.Microsecond, "0.000", "0 ms"},
		{500 * time.Microsecond, "0.001", "1 ms"},
		{12 * time.Millisecond, "0.012", "12 ms"},
		{999*time.Millisecond + 600*time.Microsecond, "1.000", "1.0 s"},
		{3210 * time.Millisecond, "3.210", "3.2 s"},
		{59940 * time.Millisecond, "59.940", "59.9 s"},
		{59960 * time.Millisecond, "59.960", "1 min 00 s"},
		{125 * time.Second, "125.000", "2 min 05 s"},
		{time.Hour - 400*time.Millisecond, "3599.600", "1 h 00 min"},
		{63 * time.Minute, "3780.000", "1 h 03 min"},
		{-1500 * time.Millisecond, "-1.500", "-1500 ms"},
	} {
		got, err := json.Marshal(Duration(test.span))
		if err != nil || string(got) != test.inJSON {
			t.Errorf("%v is %s in JSON (%v) where %s was expected", test.span, got, err, test.inJSON)
		}
		if got := Duration(test.span).String(); got != test.people {
			t.Errorf("%v is %q for people where %q was expected", test.span, got, test.people)
		}
		var back Duration
		if err := json.Unmarshal([]byte(test.inJSON), &back); err != nil || time.Duration(back) != test.span.Round(time.Millisecond) {
			t.Errorf("%s is read as %v (%v) where %v was expected", test.inJSON, time.Duration(back), err, test.span.Round(time.Millisecond))
		}
	}
}

func TestDurationOfOthers(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]time.Duration{"3": 3 * time.Second, "1.5e1": 15 * time.Second, "0.0004": 0, "2.3456": 2346 * time.Millisecond} {
		var got Duration
		if err := json.Unmarshal([]byte(text), &got); err != nil || time.Duration(got) != want {
			t.Errorf("%s is read as %v (%v) where %v was expected", text, time.Duration(got), err, want)
		}
	}
	for text, want := range map[string]string{`"3s"`: "a number of seconds", `1e300`: "beyond", `{}`: "a number of seconds"} {
		if err := json.Unmarshal([]byte(text), new(Duration)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s gives the error %v where one that says %q was expected", text, err, want)
		}
	}
}
