package limits

import (
	"slices"
	"testing"
)

// A machine that is so busy that pgbench does nothing in its time lets it have more.
func TestPgbenchRunsLongEnough(t *testing.T) {
	t.Parallel()
	const nothing = "number of transactions actually processed: 0\nnumber of failed transactions: 0 (NaN%)\n"
	for _, c := range []struct {
		enough int // seconds in which something is done
		asked  []int
		fails  bool
	}{
		{1, []int{1}, false},
		{3, []int{1, 2, 4}, false},
		{61, []int{1, 2, 4, 8, 16, 32, 60}, true},
	} {
		var asked []int
		r, err := longEnough(1, func(seconds int) (pgbenchResult, error) {
			asked = append(asked, seconds)
			if seconds < c.enough {
				return parsePgbench(nothing)
			}
			return pgbenchResult{transactions: 1, perSecond: 2}, nil
		})
		if !slices.Equal(asked, c.asked) || (err != nil) != c.fails || (r.perSecond == 2) == c.fails {
			t.Errorf("where %d seconds are enough, pgbench has run for %v: %+v, %v", c.enough, asked, r, err)
		}
	}
	if _, err := parsePgbench("number of transactions actually processed: 0\nnumber of failed transactions: 3 (100%)\n"); err == nil {
		t.Error("failed transactions are no error")
	}
}
