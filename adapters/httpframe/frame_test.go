package httpframe

import (
	"testing"

	"github.com/problemtracking/problems/domain/access"
)

// Nobody can make up methods for the log and the metrics.
func TestMethodsAreKnown(t *testing.T) {
	t.Parallel()
	o := Options{Methods: []string{"GET", "DELETE"}}
	for sent, want := range map[string]string{"GET": "GET", "OPTIONS": "OPTIONS", "DELETE": "DELETE", "get": "other", "BREW": "other", access.NewSecret([32]byte{1}).Reveal(): "other"} {
		if got := o.knownMethod(sent); got != want {
			t.Errorf("the method %q is observed as %q, not %q", sent, got, want)
		}
	}
}
