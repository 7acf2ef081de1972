package views

import (
	"strings"
	"testing"
)

func TestBrief(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{"": "", strings.Repeat("ä", 200): "", strings.Repeat("ä", 201): strings.Repeat("ä", 200) + "…"} {
		if got := brief(text); got != want {
			t.Errorf("the beginning of %d bytes is %q", len(text), got)
		}
	}
}
