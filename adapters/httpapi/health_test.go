package httpapi

import (
	"strings"
	"testing"

	"github.com/problemtracking/problems/domain/fault"
)

func TestHealth(t *testing.T) {
	t.Parallel()
	f := setup(t)
	f.send(t, request("GET", "/readyz", "", "Authorization", ""), 200, "")
	made := len(f.changes)
	f.send(t, request("GET", "/readyz", "", "Authorization", ""), 200, "")
	if len(f.changes) != made || made != 1 {
		t.Errorf("two questions within a second have made %d writes, want 1", len(f.changes))
	}
}

// A server is not ready while its store takes no writes, or does not say what became of
// one, though it can be read.
func TestNotReady(t *testing.T) {
	t.Parallel()
	for _, kind := range []fault.Kind{fault.Closed, fault.Unavailable, fault.UnknownOutcome} {
		f := setup(t)
		f.commitErr = fault.New(kind, "secret")
		w := f.send(t, request("GET", "/readyz", "", "Authorization", ""), 503, fault.Unavailable)
		header(t, w, map[string]string{"Retry-After": "1"})
		if body := w.Body.String(); !strings.Contains(body, "the store takes no writes") || strings.Contains(body, "secret") {
			t.Errorf("the answer does not say what is wrong, or shows the cause: %s", body)
		}
		f.send(t, request("GET", api+"/problems/12", ""), 200, "")
		f.send(t, request("GET", "/healthz", "", "Authorization", ""), 200, "")
	}
}
