package e2e

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/problemtracking/problems/adapters/postgres/postgrestest"
)

// TestStalled lets the database fall silent, with its connections open, while many
// clients ask for something: each is told soon that it is away, and all is well
// again as soon as the database is.
func TestStalled(t *testing.T) {
	t.Parallel()
	const (
		clients = 40
		// soon is half of the time that a request may take (D22).
		soon = 15 * time.Second
	)
	proxy, token := postgrestest.NewProxy(t, postgrestest.Schema(t)), newToken(t)
	s := serve(t, proxy.URL(), "PROBLEMS_BOOTSTRAP_TOKEN="+token, "PROBLEMS_STORE_TIMEOUT=10s") // the default
	c := s.as(token)
	if code, body := c.do(http.MethodPost, "/problems", `{"title":"Before"}`); code != http.StatusCreated {
		t.Fatalf("the first problem: %d %s", code, body)
	}
	// The server trusts no token that it has cached before it made another.
	if code, body := c.do(http.MethodPost, "/tokens", `{"user":{"email":"admin@localhost"},"scope":"read"}`); code != http.StatusCreated {
		t.Fatalf("a token: %d %s", code, body)
	}
	ready := func() (int, string) { return ask(t, c, http.MethodGet, s.url+"/readyz", "") }

	proxy.Stall(true)
	began := time.Now()
	var group sync.WaitGroup
	for i := range clients {
		group.Go(func() {
			method, path, body := http.MethodGet, "/problems/1", ""
			if i%2 == 0 {
				method, path, body = http.MethodPost, "/problems", fmt.Sprintf(`{"title":"Client %d"}`, i)
			}
			code, retry := ask(t, c, method, c.url+path, body)
			if code != http.StatusServiceUnavailable || retry == "" {
				t.Errorf("%s %s while the database is silent: %d with Retry-After %q", method, path, code, retry)
			}
		})
	}
	group.Go(func() {
		tick := time.NewTicker(50 * time.Millisecond)
		defer tick.Stop()
		code, retry := ready()
		for code == http.StatusOK && time.Since(began) < soon { // by a write of the last second
			<-tick.C
			code, retry = ready()
		}
		if code != http.StatusServiceUnavailable || retry == "" {
			t.Errorf("/readyz while the database is silent: %d with Retry-After %q", code, retry)
		}
	})
	group.Wait()
	if took := time.Since(began); took > soon {
		t.Errorf("%d clients were all answered after %s, want at most %s", clients, took, soon)
	}

	proxy.Stall(false)
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for end := time.After(patience); ; {
		if code, _ := ready(); code == http.StatusOK {
			break
		}
		select {
		case <-tick.C:
		case <-end:
			t.Fatal("/readyz still fails though the database answers")
		}
	}
	for i := range clients {
		group.Go(func() {
			code, body := 0, []byte(nil)
			for began := time.Now(); code == 0 || code == http.StatusServiceUnavailable && time.Since(began) < patience; { // on a busy machine
				code, body = c.do(http.MethodPost, "/problems", fmt.Sprintf(`{"title":"After %d"}`, i))
			}
			if code != http.StatusCreated {
				t.Errorf("a write once the database answers: %d %s", code, body)
			}
		})
	}
	group.Wait()
	var first struct{ Title string }
	if c.get(t, "/problems/1", &first); first.Title != "Before" {
		t.Errorf("problem 1 is %q", first.Title)
	}
}

// ask sends a request to a URL and returns the status, 0 when the exchange broke
// off, and the header Retry-After.
func ask(t *testing.T, c *client, method, url, body string) (code int, retry string) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Error(err)
		return 0, ""
	}
	request.Header.Set("Authorization", c.token)
	response, err := c.wire.Do(request)
	if err != nil {
		t.Error(err)
		return 0, ""
	}
	defer response.Body.Close()
	if _, err := io.Copy(io.Discard, response.Body); err != nil {
		t.Error(err)
	}
	return response.StatusCode, response.Header.Get("Retry-After")
}
