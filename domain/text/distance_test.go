package text

import "testing"

func TestEditDistance(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{
		{"", "", 0}, {"state", "state", 0}, {"", "abc", 3}, {"state", "stat", 1}, {"state", "states", 1},
		{"state", "stare", 1}, {"state", "satte", 1}, {"title", "state", 3},
	} {
		if got := EditDistance(c.a, c.b); got != c.want || EditDistance(c.b, c.a) != c.want {
			t.Errorf("from %q to %q: %d, want %d", c.a, c.b, got, c.want)
		}
	}
}
