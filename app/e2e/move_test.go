package e2e

import (
	"encoding/json"
	"net/http"
	"path/filepath"
	"testing"
)

// What clients keep stays valid when the store is moved, and no longer than it
// should: ETags do not begin anew (D20).
func TestETagsOutliveAMove(t *testing.T) {
	t.Parallel()
	for name, open := range durables() {
		t.Run("sqlite to "+name, func(t *testing.T) {
			t.Parallel()
			token, from, to := newToken(t), newFile(t), open(t)
			s := serve(t, from, "PROBLEMS_BOOTSTRAP_TOKEN="+token)
			var me struct {
				User struct{ Identifier string }
			}
			s.as(token).get(t, "/me", &me)
			administrator := "/users/" + me.User.Identifier
			rename(t, s.as(token), administrator, "Ann") // without it, old and new versions are equal anyway
			if code, body := s.as(token).do(http.MethodPost, "/problems", `{"title":"Leak"}`); code != http.StatusCreated {
				t.Fatalf("%d %s", code, body)
			}
			paths := []string{"/problems/1", administrator}
			tags := make(map[string]string)
			for _, path := range paths {
				code, tag := conditional(t, s.as(token), path, "")
				if tags[path] = tag; code != http.StatusOK || tag == "" {
					t.Fatalf("GET %s: %d with the ETag %q", path, code, tag)
				}
			}
			s.stop()

			archive := filepath.Join(t.TempDir(), "problems.jsonl")
			command(t, []string{"PROBLEMS_STORE=" + from}, "export", "--to="+archive)
			command(t, []string{"PROBLEMS_STORE=" + to}, "import", "--from="+archive)
			s = serve(t, to)
			for _, path := range paths {
				if code, tag := conditional(t, s.as(token), path, tags[path]); code != http.StatusNotModified {
					t.Errorf("GET %s: nothing has changed, and the answer is %d with the ETag %s instead of %s", path, code, tag, tags[path])
				}
			}
			rename(t, s.as(token), administrator, "Anne")
			for _, path := range paths {
				if code, tag := conditional(t, s.as(token), path, tags[path]); code != http.StatusOK || tag == tags[path] {
					t.Errorf("GET %s: the user has another name, and the answer is %d with the ETag %s", path, code, tag)
				}
			}
		})
	}
}

// rename gives a user another name.
func rename(t *testing.T, c *client, user, name string) {
	t.Helper()
	body, err := json.Marshal(map[string]string{"name": name})
	if err != nil {
		t.Fatal(err)
	}
	if code, answer := c.do(http.MethodPatch, user, string(body), "Content-Type", "application/json"); code != http.StatusOK {
		t.Fatalf("PATCH %s: %d %s", user, code, answer)
	}
}

// conditional asks for what the client may have already, under an ETag, and returns
// the status and the ETag of the answer.
func conditional(t *testing.T, c *client, path, tag string) (int, string) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, c.url+path, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Authorization", c.token)
	if tag != "" {
		request.Header.Set("If-None-Match", tag)
	}
	response, err := c.wire.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	if err := response.Body.Close(); err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, response.Header.Get("ETag")
}
