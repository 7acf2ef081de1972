package httpframe

import (
	"strings"
	"testing"
)

func TestCheckBasePath(t *testing.T) {
	t.Parallel()
	for base, want := range map[string]string{
		"": "", "/tracker": "", "/a/b": "", "/a+b,c": "", "/healthz/tracker": "",
		"/": "plain path", "tracker": "plain path", "/a/": "plain path", "/a//b": "plain path", "/a/../b": "plain path", "/.": "plain path",
		"/{a}": "plain path", "/ä": "plain path", "/%2F": "plain path", "/a b": "plain path", "/a?b": "plain path",
		"/healthz": "health checks", "/readyz": "health checks",
	} {
		err := CheckBasePath(base)
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", base, err, want)
		}
	}
}
