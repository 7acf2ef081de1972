package e2e

import (
	"io"
	"net/http"
	"net/http/cookiejar"
	"path/filepath"
	"strings"
	"testing"
)

// page returns the status and the text of a page after all redirections, as a browser
// behind a proxy with this header gets it.
func page(t *testing.T, client *http.Client, url, email string) (*http.Response, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Accept", "text/html")
	if email != "" {
		r.Header.Set("X-Forwarded-Email", email)
	}
	response, err := client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response, string(text)
}

// The settings for signing in reach the client application: the header of the proxy
// begins a session, and a provider that is away is a page.
func TestSignInWithoutToken(t *testing.T) {
	t.Parallel()
	away := "http://127.0.0.1:1/realm"
	address := freeAddress(t) // a sign-in begins at the public one
	s := serve(t, newFile(t), "PROBLEMS_LISTEN="+address, "PROBLEMS_PUBLIC_URL=http://"+address,
		"PROBLEMS_OIDC_ISSUER="+away, "PROBLEMS_OIDC_CLIENT_ID=problems", "PROBLEMS_OIDC_CLIENT_SECRET=hunter2", "PROBLEMS_OIDC_NAME=Example & Co",
		"PROBLEMS_PROXY_USER_HEADER=x-forwarded-email", "PROBLEMS_PROXY_USER_NETWORKS=127.0.0.1", "PROBLEMS_PROXY_SCOPE=read")
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	client := &http.Client{Jar: jar, Transport: s.transport}
	if r, text := page(t, client, s.url+"/sign-in", ""); r.StatusCode != 200 || !strings.Contains(text, "Sign in with Example &amp; Co") {
		t.Errorf("the page for signing in has the status %d:\n%s", r.StatusCode, text)
	}
	if r, text := page(t, client, s.url+"/sign-in/openid", ""); r.StatusCode != 503 || !strings.Contains(text, "Example &amp; Co cannot be reached") {
		t.Errorf("without the provider the status is %d:\n%s", r.StatusCode, text)
	}
	if r, text := page(t, client, s.url+"/settings", "nobody@example.org"); r.StatusCode != 403 || !strings.Contains(text, "nobody@example.org") {
		t.Errorf("an unknown person gets the status %d:\n%s", r.StatusCode, text)
	}
	if r, text := page(t, client, s.url+"/settings", "admin@localhost"); r.StatusCode != 200 || r.Request.URL.Path != "/settings" || !strings.Contains(text, "<dd>read</dd>") {
		t.Errorf("a known person gets %s with the status %d:\n%s", r.Request.URL, r.StatusCode, text)
	}
	if r, _ := page(t, client, s.url+"/api/20151105/me", "admin@localhost"); r.StatusCode != 401 {
		t.Errorf("the session and the header open the API: %d", r.StatusCode)
	}
	if log := s.stderr.String(); !strings.Contains(log, "sign-in by OpenID Connect failed") || strings.Contains(log, "hunter2") {
		t.Errorf("the log is\n%s", log)
	}
}

// A secret that cannot be read ends the start, though the provider is asked only when
// somebody signs in.
func TestSignInSecretIsReadAtTheStart(t *testing.T) {
	t.Parallel()
	code, _, stderr := problems(t, []string{
		"PROBLEMS_STORE=memory:", "PROBLEMS_LISTEN=127.0.0.1:0", "PROBLEMS_PUBLIC_URL=http://127.0.0.1",
		"PROBLEMS_OIDC_ISSUER=http://127.0.0.1:1", "PROBLEMS_OIDC_CLIENT_ID=problems", "PROBLEMS_OIDC_CLIENT_SECRET_FILE=" + filepath.Join(t.TempDir(), "missing"),
	}, "serve")
	if code != 1 || !strings.Contains(stderr, "the password of OpenID Connect cannot be read: open ") {
		t.Errorf("the exit code is %d\n%s", code, stderr)
	}
}
