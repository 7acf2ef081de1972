package report

import (
	"encoding/json"
	"fmt"
	"math"
	"time"
)

// Duration is a time span, in JSON a number of seconds with milliseconds.
type Duration time.Duration

// longest is the longest time.Duration, in seconds.
const longest = 9.2e9

// MarshalJSON writes the seconds with three decimals.
func (d Duration) MarshalJSON() ([]byte, error) { return []byte(d.seconds()), nil }

func (d Duration) seconds() string {
	ms, sign := time.Duration(d).Round(time.Millisecond).Milliseconds(), ""
	if ms < 0 {
		ms, sign = -ms, "-"
	}
	return fmt.Sprintf("%s%d.%03d", sign, ms/1000, ms%1000)
}

// UnmarshalJSON reads a number of seconds, rounded to milliseconds.
func (d *Duration) UnmarshalJSON(text []byte) error {
	var seconds float64
	if err := json.Unmarshal(text, &seconds); err != nil {
		return fmt.Errorf("a duration is a number of seconds, not %s", text)
	}
	if math.Abs(seconds) > longest {
		return fmt.Errorf("a duration of %s seconds is beyond what can be kept, %.0f", text, longest)
	}
	*d = Duration(math.Round(seconds*1000)) * Duration(time.Millisecond)
	return nil
}

// String returns the duration for people, as precisely as they care: "12 ms",
// "3.2 s", "2 min 05 s", "1 h 03 min".
func (d Duration) String() string {
	exact := time.Duration(d)
	tenths, seconds, minutes := exact.Round(time.Second/10), exact.Round(time.Second), exact.Round(time.Minute)
	switch {
	case exact.Round(time.Millisecond) < time.Second:
		return fmt.Sprintf("%d ms", exact.Round(time.Millisecond).Milliseconds())
	case tenths < time.Minute:
		return fmt.Sprintf("%.1f s", tenths.Seconds())
	case seconds < time.Hour:
		return fmt.Sprintf("%d min %02d s", seconds/time.Minute, seconds%time.Minute/time.Second)
	}
	return fmt.Sprintf("%d h %02d min", minutes/time.Hour, minutes%time.Hour/time.Minute)
}
