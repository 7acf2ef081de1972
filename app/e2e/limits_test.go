package e2e

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
)

// slug returns the kind of an error in problem+json.
func slug(body []byte) string {
	_, rest, _ := strings.Cut(string(body), `"type":"/errors/`)
	slug, _, _ := strings.Cut(rest, `"`)
	return slug
}

// TestLimitsAreSettings holds each limit of D22 at a small value.
func TestLimitsAreSettings(t *testing.T) {
	t.Parallel()
	token := newToken(t)
	c := serve(t, "memory:", "PROBLEMS_BOOTSTRAP_TOKEN="+token, "PROBLEMS_MAX_KEYWORDS=2", "PROBLEMS_MAX_WATCHERS=2",
		"PROBLEMS_MAX_RELATIONSHIPS=2", "PROBLEMS_MAX_QUERIES=2", "PROBLEMS_MAX_MILESTONES=2", "PROBLEMS_MAX_BODY=1KiB", "PROBLEMS_MAX_DEPTH=3").as(token)
	want := func(status int, kind, method, path, body string) {
		t.Helper()
		if code, answer := c.do(method, path, body); code != status || slug(answer) != kind {
			t.Errorf("%s %s: %d %s, want %d %s", method, path, code, answer, status, kind)
		}
	}
	for i := range 4 {
		want(201, "", "POST", "/problems", `{"title":"Limits"}`)
		want(201, "", "POST", "/users", fmt.Sprintf(`{"name":"User %d","email":"%d@example.org"}`, i, i))
	}
	for i := range 2 {
		want(201, "", "POST", "/queries", `{"name":"Mine","predicate":"TRUEPREDICATE"}`)
		want(201, "", "POST", "/milestones", fmt.Sprintf(`{"name":"%d"}`, i))
		want(201, "", "PUT", fmt.Sprintf("/problems/1/keywords/%d", i), `"v"`)
		want(201, "", "PUT", "/problems/1/watchers", fmt.Sprintf(`{"email":"%d@example.org"}`, i))
		want(201, "", "PUT", "/problems/1/relationships", fmt.Sprintf(`{"type":"ParentOf","problemIdentifier":%d}`, i+2))
	}
	want(422, "invalid-value", "POST", "/queries", `{"name":"Mine","predicate":"TRUEPREDICATE"}`)
	want(422, "invalid-value", "POST", "/milestones", `{"name":"2"}`)
	want(201, "", "POST", "/components", `{"name":"2"}`)
	want(422, "invalid-value", "PUT", "/problems/1/keywords/2", `"v"`)
	want(200, "", "PUT", "/problems/1/keywords/1", `"w"`)
	want(422, "invalid-value", "PUT", "/problems/1/watchers", `{"email":"2@example.org"}`)
	want(200, "", "PUT", "/problems/1/watchers", `{"email":"1@example.org"}`)
	want(422, "invalid-value", "PUT", "/problems/1/relationships", `{"type":"RelatedTo","problemIdentifier":4}`)
	// The mirror is one of the other problem's relationships.
	want(422, "invalid-value", "PUT", "/problems/4/relationships", `{"type":"RelatedTo","problemIdentifier":1}`)
	want(200, "", "PUT", "/problems/1/relationships", `{"type":"ParentOf","problemIdentifier":2}`)
	want(204, "", "DELETE", "/problems/1/relationships", `{"type":"ParentOf","problemIdentifier":2}`)
	want(201, "", "PUT", "/problems/4/relationships", `{"type":"RelatedTo","problemIdentifier":1}`)
	want(413, "too-large", "POST", "/problems", `{"title":"x"}`+strings.Repeat(" ", 1024))
	want(422, "unknown-field", "POST", "/problems", `{"title":"x","a":[[]]}`)
	want(400, "malformed-json", "POST", "/problems", `{"title":"x","a":[[[]]]}`)
}

// TestRate checks the rate per token, which is off by default (D18, D22).
func TestRate(t *testing.T) {
	t.Parallel()
	admin := newToken(t)
	s := serve(t, "memory:", "PROBLEMS_BOOTSTRAP_TOKEN="+admin, "PROBLEMS_MAX_RATE=4")
	reader := command(t, []string{"PROBLEMS_URL=" + s.url, "PROBLEMS_TOKEN=" + admin}, "token", "create", "--user", "admin@localhost", "--scope", "read")
	get := func(method, path, token string) *http.Response {
		t.Helper()
		request, err := http.NewRequest(method, s.url+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("Authorization", token)
		response, err := s.as(token).wire.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		if err := response.Body.Close(); err != nil {
			t.Fatal(err)
		}
		return response
	}
	var last *http.Response
	for range 5 {
		last = get("GET", "/api/20151105/me", reader)
		if last.Header.Get("RateLimit") == "" {
			t.Errorf("an answer of %d lacks RateLimit", last.StatusCode)
		}
	}
	if last.StatusCode != http.StatusTooManyRequests || last.Header.Get("Retry-After") == "" {
		t.Errorf("the fifth request of the minute gets %d with Retry-After %q", last.StatusCode, last.Header.Get("Retry-After"))
	}
	// By the order of D18: 404, 405, 401 and 403 come before 429.
	for _, test := range []struct {
		method, path, token string
		status              int
	}{
		{"GET", "/api/20151105/nope", reader, 404},
		{"PUT", "/api/20151105/me", reader, 405},
		{"GET", "/api/20151105/me", "x", 401},
		{"POST", "/api/20151105/problems", reader, 403},
		{"GET", "/api/20151105/me?x=1", reader, 429},
		{"GET", "/api/20151105/problems/0", reader, 429},
		{"GET", "/healthz", "", 200},
	} {
		if got := get(test.method, test.path, test.token).StatusCode; got != test.status {
			t.Errorf("%s %s: %d, want %d", test.method, test.path, got, test.status)
		}
	}
}
