package e2e

import (
	"net/url"
	"testing"

	"github.com/problemtracking/problems/conformance/httpsuite"
)

// TestHTTP holds the assembled server against the HTTP contract, on every
// adapter.
func TestHTTP(t *testing.T) {
	t.Parallel()
	eachAdapter(t, func(t *testing.T, store string) {
		token := newToken(t)
		s := serve(t, store, "PROBLEMS_BOOTSTRAP_TOKEN="+token)
		httpsuite.Run(t, httpsuite.Target{BaseURL: s.url, AdminToken: token})
	})
}

// TestBasePath holds a server below a base path (D34) against the contract.
func TestBasePath(t *testing.T) {
	t.Parallel()
	token := newToken(t)
	s := serve(t, "memory:", "PROBLEMS_BOOTSTRAP_TOKEN="+token, "PROBLEMS_BASE_PATH=/tracker")
	base, err := url.Parse(s.url)
	if err != nil {
		t.Fatal(err)
	}
	base.Path = "/tracker"
	httpsuite.Run(t, httpsuite.Target{BaseURL: base.String(), AdminToken: token})
}
