package httpapi

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/problemtracking/problems/domain/access"
	"github.com/problemtracking/problems/domain/fault"
)

// A body that never ends must not hold a request longer than its time.
func TestSlowBody(t *testing.T) {
	t.Parallel()
	for name, limit := range map[string]time.Duration{
		"the time ends within the body": 50 * time.Millisecond,
		"the time ends before the body": time.Nanosecond,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := setup(t, func(o *Options) { o.Limits.RequestTime = limit })
			server := httptest.NewServer(f)
			defer server.Close()
			conn, err := net.Dial("tcp", server.Listener.Addr().String())
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close()
			fmt.Fprintf(conn, "POST %s/problems HTTP/1.1\r\nHost: x\r\nAuthorization: %s\r\nContent-Length: 100\r\n\r\n{", api, secretOf(access.Write).Reveal())
			if err := conn.SetReadDeadline(time.Now().Add(time.Minute)); err != nil {
				t.Fatal(err)
			}
			response, err := http.ReadResponse(bufio.NewReader(conn), nil)
			if err != nil {
				t.Fatal(err)
			}
			defer response.Body.Close()
			body, err := io.ReadAll(response.Body)
			if err != nil || response.StatusCode != 503 || !strings.Contains(string(body), "unavailable") {
				t.Errorf("status %d: %s (%v)", response.StatusCode, body, err)
			}
			if len(f.changes) > 0 {
				t.Error("the refused request has written to the store")
			}
		})
	}
}

// A body that was cut off is the client's fault, and nothing is done.
func TestCutBody(t *testing.T) {
	t.Parallel()
	f := setup(t)
	r := request("POST", api+"/problems", "")
	r.Body = io.NopCloser(io.MultiReader(strings.NewReader(`{"title":"a"}`), brokenReader{}))
	r.ContentLength = -1
	f.send(t, r, 400, fault.MalformedRequest)
	if len(f.changes) > 0 {
		t.Error("the refused request has written to the store")
	}
}

type brokenReader struct{}

func (brokenReader) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }
