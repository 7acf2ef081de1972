package backups

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

var noon = time.Date(2030, 1, 30, 12, 0, 0, 0, time.UTC) // a Wednesday

func TestThin(t *testing.T) {
	t.Parallel()
	ago := func(ages ...time.Duration) (times []time.Time) {
		for _, age := range ages {
			times = append(times, noon.Add(-age))
		}
		return times
	}
	// Twelve that stay in any case.
	recent := ago(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11)
	const day, minute = 24 * time.Hour, time.Minute
	for name, c := range map[string]struct{ copies, old []time.Time }{
		"none":                         {nil, nil},
		"twelve, however old":          {ago(900*day, 901*day, 902*day), nil},
		"of the last hour":             {append(ago(59*minute, 58*minute), recent...), nil},
		"the first of an hour":         {append(ago(70*minute, 80*minute, 90*minute), recent...), ago(80*minute, 70*minute)},
		"the first of a day":           {append(ago(50*time.Hour, 51*time.Hour, 60*time.Hour), recent...), ago(51*time.Hour, 50*time.Hour)},
		"the first of a week":          {append(ago(15*day, 16*day), recent...), ago(15 * day)},
		"of five weeks before":         {append(ago(35*day), recent...), ago(35 * day)},
		"after now":                    {append(ago(-day, 35*day), recent...), ago(35 * day)},
		"old ones without recent ones": {ago(35*day, 35*day-1, 35*day-2, 35*day-3, 35*day-4, 35*day-5, 35*day-6, 35*day-7, 35*day-8, 35*day-9, 35*day-10, 35*day-11, 35*day-12), nil},
	} {
		if got := Thin(c.copies, noon); !slices.EqualFunc(got, c.old, time.Time.Equal) {
			t.Errorf("%s: %v go, want %v", name, got, c.old)
		}
	}
}

// Whoever goes back to the time of any copy ever made finds one that is no older than the
// period: an hour, a day or a week. Their number is bounded.
func TestThinKeepsOneOfEachPeriod(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	for _, interval := range []time.Duration{5 * time.Minute, 7 * time.Minute, time.Hour, 11 * time.Hour} {
		now, kept, made := noon, []time.Time(nil), []time.Time(nil)
		for range int(26 * 24 * time.Hour / interval) {
			now = now.Add(interval)
			if random.IntN(20) == 0 { // the machine was off
				now = now.Add(time.Duration(random.Int64N(int64(8 * time.Hour))))
			}
			kept, made = append(kept, now), append(made, now)
			old := Thin(kept, now)
			kept = slices.DeleteFunc(kept, func(c time.Time) bool { return slices.ContainsFunc(old, c.Equal) })
			if len(kept) > Most {
				t.Fatalf("every %v, %d copies stay, want %d at most", interval, len(kept), Most)
			}
		}
		for _, m := range made {
			within := 7 * 24 * time.Hour
			switch age := now.Sub(m); {
			case age < time.Hour:
				within = 0
			case age <= 23*time.Hour:
				within = time.Hour
			case age <= 6*24*time.Hour:
				within = 24 * time.Hour
			case age > 3*7*24*time.Hour:
				continue
			}
			if !slices.ContainsFunc(kept, func(k time.Time) bool { return !k.After(m) && m.Sub(k) <= within }) {
				t.Errorf("every %v: nothing stays of the %v before %v", interval, within, m)
			}
		}
	}
}
