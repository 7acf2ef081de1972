package e2e

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
)

// client speaks to a server with one token.
type client struct {
	url, token string
	wire       *http.Client
}

func (s *server) as(token string) *client {
	return &client{s.url + "/api/20151105", token, &http.Client{Timeout: patience, Transport: s.transport}}
}

// do sends a request with the given headers, alternately names and values, and
// returns status and body; status 0 when the exchange broke off.
func (c *client) do(method, path, body string, headers ...string) (int, []byte) {
	request, err := http.NewRequest(method, c.url+path, strings.NewReader(body))
	if err != nil {
		return 0, nil
	}
	request.Header.Set("Authorization", c.token)
	for i := 0; i < len(headers); i += 2 {
		request.Header.Set(headers[i], headers[i+1])
	}
	response, err := c.wire.Do(request)
	if err != nil {
		return 0, nil
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	if err != nil {
		return 0, nil
	}
	return response.StatusCode, answer
}

// get demands a JSON answer with 200 and reads it into value.
func (c *client) get(t testing.TB, path string, value any) {
	t.Helper()
	status, body := c.do(http.MethodGet, path, "")
	if status != http.StatusOK {
		t.Fatalf("GET %s: %d %s", path, status, body)
	}
	if err := json.Unmarshal(body, value); err != nil {
		t.Fatalf("GET %s: %v\n%s", path, err, body)
	}
}
