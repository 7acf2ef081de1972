package e2e

import (
	"bytes"
	"net/http"
	"regexp"
	"testing"
)

// TestRestart looks at everything before and after the server was stopped, and
// again after it was killed.
func TestRestart(t *testing.T) {
	t.Parallel()
	eachDurable(t, restart)
}

func restart(t *testing.T, store string) {
	token := newToken(t)
	s := serve(t, store, "PROBLEMS_BOOTSTRAP_TOKEN="+token)
	c := s.as(token)
	once := func(c *client) []byte {
		t.Helper()
		code, body := c.do(http.MethodPost, "/problems/1/comments", "Once", "Content-Type", "text/plain", "Idempotency-Key", "once")
		if code != http.StatusCreated {
			t.Fatalf("the comment gets %d %s", code, body)
		}
		return body
	}
	for _, w := range []struct{ method, path, body string }{
		{"POST", "/problems", `{"title":"Survivor","priority":{"name":"High"}}`},
		{"POST", "/problems", `{"title":"Witness"}`},
		{"PUT", "/problems/1/keywords/a%2Fb", `"x"`},
		{"PUT", "/problems/1/relationships", `{"type":"ParentOf","problemIdentifier":2}`},
		{"PUT", "/problems/1/watchers", `{"email":"admin@localhost"}`},
		{"PATCH", "/problems/1", `{"state":{"name":"Closed"},"read":false}`},
		{"POST", "/users", `{"name":"Ann","email":"ann@example.org"}`},
		{"POST", "/tokens", `{"user":{"name":"Ann"},"scope":"read"}`},
	} {
		if code, body := c.do(w.method, w.path, w.body); code/100 != 2 {
			t.Fatalf("%s %s: %d %s", w.method, w.path, code, body)
		}
	}
	first := once(c)
	everything := func(c *client) []byte {
		t.Helper()
		var all []byte
		for _, path := range []string{
			"/problems/1", "/problems/1/comments", "/problems/1/relationships", "/problems/1/watchers",
			"/problems/2", "/problems/2/relationships", "/users", "/tokens", "/me",
		} {
			code, body := c.do(http.MethodGet, path, "")
			if code != http.StatusOK {
				t.Fatalf("GET %s: %d %s", path, code, body)
			}
			all = append(append(all, body...), '\n')
		}
		return lastUse.ReplaceAll(all, nil)
	}
	before := everything(c)
	for _, end := range []func(*server){(*server).stop, (*server).kill} {
		end(s)
		s = serve(t, store)
		c = s.as(token)
		if after := everything(c); !bytes.Equal(before, after) {
			t.Errorf("after a restart the answers differ:\n%s", difference(string(before), string(after)))
		}
		if again := once(c); !bytes.Equal(first, again) {
			t.Errorf("the repeated request was answered with %s, first with %s", again, first)
		}
	}
	if code, body := c.do(http.MethodPost, "/problems", `{"title":"Third"}`); code != http.StatusCreated || bytes.Contains(body, []byte(`{"identifier":1,`)) || bytes.Contains(body, []byte(`{"identifier":2,`)) {
		t.Errorf("a new problem gets %d %s", code, body)
	}
}

// lastUse is the time of the last use of a token. It is stored some seconds after the use.
var lastUse = regexp.MustCompile(`"lastUse":(null|"[^"]*"),`)
