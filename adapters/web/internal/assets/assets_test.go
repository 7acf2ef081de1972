package assets

import "testing"

// What each page loads stays small, as it is sent: zipped.
func TestSizes(t *testing.T) {
	t.Parallel()
	a := New("")
	for name, most := range map[string]int{"style.css": 7_500, "app.js": 6_000} {
		if sent := len(a.files[a.URL(name)].zipped()); sent > most {
			t.Errorf("%s has %d bytes, want at most %d", name, sent, most)
		}
	}
}
