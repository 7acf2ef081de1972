package history

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/problem"
)

// Changes of one person within a minute are one item, and so are those of one request.
func TestItemTakes(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 3, 14, 9, 30, 0, 0, time.UTC)
	ann, bob, one, two := ident.ID{1}, ident.ID{2}, ident.ID{3}, ident.ID{4}
	i := Item{At: at, by: ann, batch: one}
	for _, c := range []struct {
		name string
		e    problem.LogEntry
		want bool
	}{
		{"of the same request", problem.LogEntry{Batch: one, Author: ann, Created: at}, true},
		{"soon after", problem.LogEntry{Batch: two, Author: ann, Created: at.Add(59 * time.Second)}, true},
		{"a minute after", problem.LogEntry{Batch: two, Author: ann, Created: at.Add(time.Minute)}, false},
		{"by somebody else", problem.LogEntry{Batch: two, Author: bob, Created: at}, false},
		{"by a token", problem.LogEntry{Batch: two, Author: ann, Via: one, Created: at}, false},
	} {
		if got := i.takes(c.e); got != c.want {
			t.Errorf("an entry %s is taken: %v, want %v", c.name, got, c.want)
		}
	}
	comment := Item{At: at, by: ann, batch: one, Comment: true}
	for batch, want := range map[ident.ID]bool{one: true, two: false} {
		if comment.takes(problem.LogEntry{Batch: batch, Author: ann, Created: at}) != want {
			t.Errorf("a comment takes a change of the batch %v: %v", batch, !want)
		}
	}
}

// Of many changes, the first ones are shown, and the others are folded.
func TestFold(t *testing.T) {
	t.Parallel()
	all := make(Changes, changesAtOnce+2)
	for i := range all {
		all[i].Field = string(rune('a' + i))
	}
	for count, more := range map[int]int{0: 0, 1: 0, changesAtOnce: 0, changesAtOnce + 1: 1, changesAtOnce + 2: 2} {
		c := all[:count]
		if shown, folded := c.AtOnce(), c.More(); len(shown) != count-more || len(folded) != more || more > 0 && folded[0] != all[changesAtOnce] {
			t.Errorf("%d changes are shown as %v, with %v folded", count, shown, folded)
		}
	}
}

// The comments of a page are formatted up to their length, and up to that of the result. A long one
// waits for memory.
func TestFormatting(t *testing.T) {
	t.Parallel()
	full := errors.New("full")
	for name, c := range map[string]struct {
		work   formatting
		length int
		format bool
		err    error
	}{
		"the last byte":         {formatting{read: mostFormatted - 10}, 10, true, nil},
		"one more":              {formatting{read: mostFormatted - 10}, 11, false, nil},
		"the result fits":       {formatting{shown: mostShown}, 1, true, nil},
		"the result is long":    {formatting{shown: mostShown + 1}, 1, false, nil},
		"no memory":             {formatting{}, 101, true, full},
		"memory of one before":  {formatting{reserved: 101 * perByte}, 101, true, nil},
		"a little more than it": {formatting{reserved: perByte}, 101, true, nil},
	} {
		c.work.room = func(bytes int64) error {
			if bytes > 100*perByte {
				return full
			}
			return nil
		}
		if format, err := c.work.take(strings.Repeat("x", c.length)); format != c.format || !errors.Is(err, c.err) {
			t.Errorf("%s: it is formatted: %t, with the error %v", name, format, err)
		}
	}
}
