package predicate

import "testing"

// TestErrorText checks the text of an error in logs.
func TestErrorText(t *testing.T) {
	t.Parallel()
	err := &Error{Kind: UnknownKey, Message: "no such key", Line: 2, Column: 7}
	if got, want := err.Error(), "predicate: line 2, column 7: unknownKey: no such key"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
