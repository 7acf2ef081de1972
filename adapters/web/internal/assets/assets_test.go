package assets

import "testing"

// The style sheet and the script stay small.
func TestSizes(t *testing.T) {
	t.Parallel()
	a := New("")
	size := func(name string) int { return len(a.files[a.URL(name)].plain) }
	if css := size("style.css"); css > 21_000 {
		t.Errorf("the style sheet has %d bytes, want at most 21,000", css)
	}
	if script := size("app.js"); script >= 7_000 {
		t.Errorf("the script has %d bytes, want less than 7,000", script)
	}
}
