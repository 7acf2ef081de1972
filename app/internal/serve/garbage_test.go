package serve

import (
	"testing"

	"github.com/problemtracking/problems/app/internal/config"
)

func TestCollectsRarely(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		url, gogc string
		want      bool
	}{
		{"sqlite:problems.db", "", true},
		{"postgres://user@host/database", "", true},
		{"memory:", "", false},
		{"sqlite:problems.db", "100", false},
		{"postgres://user@host/database", "off", false},
	} {
		url, err := config.ParseStoreURL(c.url)
		if err != nil {
			t.Fatal(err)
		}
		if got := collectsRarely(url, c.gogc); got != c.want {
			t.Errorf("%s with GOGC %q: %t, want %t", c.url, c.gogc, got, c.want)
		}
	}
}
