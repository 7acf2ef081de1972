package graph

import (
	"slices"
	"strings"
	"testing"
)

func TestShortened(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]string{
		"": {""}, "short": {"short"}, "one two three four five six seven": {"one two three four five", "six seven"},
		strings.Repeat("x", 40): {strings.Repeat("x", 22) + "…"}, strings.Repeat("word ", 30): {"word word word word", "word word word word…"},
	} {
		if got := shortened(text); !slices.Equal(got, want) {
			t.Errorf("%q becomes %q, want %q", text, got, want)
		}
	}
}
