package backups

import (
	"slices"
	"time"
)

// last is how many copies stay in any case: perhaps no backup has succeeded for long, or the
// clock is wrong.
const last = 12

// Most is above the number of copies that [Thin] keeps of backups at an interval of five
// minutes or more. The next one comes on top.
const Most = last + 24 + 7 + 4

// periods say how many copies of an age stay: the first of each hour, and so on. Younger copies
// than an hour stay.
var periods = []struct{ of, back time.Duration }{
	{time.Hour, 23 * time.Hour},
	{24 * time.Hour, 6 * 24 * time.Hour},
	{7 * 24 * time.Hour, 3 * 7 * 24 * time.Hour},
}

// Thin returns the copies that may go, the oldest first. Of all others there stay those of the
// last hour, the first of each hour of a day, of each day of a week, and of each week of four.
// Hours, days and weeks are those of UTC. Ages count from the newest copy: without new
// copies, no old one goes. Copies after now have a wrong time, and stay.
func Thin(copies []time.Time, now time.Time) (old []time.Time) {
	all := slices.SortedFunc(slices.Values(copies), time.Time.Compare)
	all = slices.DeleteFunc(all, func(c time.Time) bool { return c.After(now) })
	if len(all) <= last {
		return nil
	}
	newest := all[len(all)-1]
	type slot struct {
		of    time.Duration
		begin time.Time
	}
	taken := map[slot]bool{}
	for _, c := range all[:len(all)-last] {
		stays := newest.Sub(c) < time.Hour
		for _, p := range periods {
			s := slot{p.of, c.UTC().Truncate(p.of)}
			if newest.Truncate(p.of).Sub(s.begin) <= p.back && !taken[s] {
				taken[s], stays = true, true
			}
		}
		if !stays {
			old = append(old, c)
		}
	}
	return old
}
