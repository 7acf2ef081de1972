package transfer

import "testing"

// TestPointer has the examples of RFC 6901, section 5.
func TestPointer(t *testing.T) {
	t.Parallel()
	for member, want := range map[string]string{
		"foo":  "/p/foo",
		"0":    "/p/0",
		"":     "/p/",
		"a/b":  "/p/a~1b",
		"m~n":  "/p/m~0n",
		"~1":   "/p/~01",
		"c%d":  "/p/c%d",
		`k"l`:  `/p/k"l`,
		" é/~": "/p/ é~1~0",
	} {
		if got := Pointer("/p", member); got != want {
			t.Errorf("Pointer(%q, %q) = %q, want %q", "/p", member, got, want)
		}
	}
}
