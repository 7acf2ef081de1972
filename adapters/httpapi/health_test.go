package httpapi

import (
	"testing"

	"github.com/problemtracking/problems/domain/fault"
)

func TestHealth(t *testing.T) {
	t.Parallel()
	f := setup(t)
	f.send(t, request("GET", "/readyz", "", "Authorization", ""), 200, "")
	f.err = fault.New(fault.Closed, "secret")
	w := f.send(t, request("GET", "/readyz", "", "Authorization", ""), 503, fault.Unavailable)
	header(t, w, map[string]string{"Retry-After": "1"})
	f.send(t, request("GET", "/healthz", "", "Authorization", ""), 200, "")
}
