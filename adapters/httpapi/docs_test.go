package httpapi

import (
	"strings"
	"testing"
)

func TestDocsNeedNothingElse(t *testing.T) {
	t.Parallel()
	f := setup(t)
	w := f.send(t, request("GET", "/docs", "", "Authorization", ""), 200, "")
	page := w.Body.String()
	if policy := w.Header().Get("Content-Security-Policy"); !strings.Contains(policy, "script-src 'self';") {
		t.Errorf("policy %s", policy)
	}
	if strings.Contains(page, "//") || strings.Contains(page, "<script>") {
		t.Errorf("the page loads from elsewhere or has a script of its own: %s", page)
	}
	for _, part := range strings.Split(page, `"docs/`)[1:] {
		name, _, _ := strings.Cut(part, `"`)
		if w := f.send(t, request("GET", "/docs/"+name, "", "Accept-Encoding", "gzip"), 200, ""); w.Body.Len() == 0 {
			t.Errorf("%s is empty", name)
		}
	}
}
