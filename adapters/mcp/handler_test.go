package mcp_test

import (
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/problemtracking/problems/adapters/httpframe"
	"github.com/problemtracking/problems/adapters/mcp"
	"github.com/problemtracking/problems/domain/budget"
)

// What the API cannot finish, and what is too large, is a refusal that a model reads. It ends
// nothing else, and no memory stays reserved.
func TestHandlerOutlastsTheAPI(t *testing.T) {
	t.Parallel()
	const find = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"find","arguments":{}}}`
	memory := budget.New(1 << 30)
	var search http.HandlerFunc
	server := httptest.NewServer(mcp.Handler(mcp.Options{
		MostBody: 1 << 20,
		API: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if strings.HasSuffix(r.URL.Path, "/me") {
				_, _ = io.WriteString(w, `{"user":{"identifier":"0197c3f2-89ab-7cde-8f01-23456789abcd"}}`)
				return
			}
			search(w, r)
		}),
		Frame: httpframe.Options{
			RequestTime: time.Minute, Memory: memory, Now: time.Now, Logger: slog.New(slog.DiscardHandler),
			NewRequestID: func() string { return "1" },
		},
	}))
	defer server.Close()
	for _, c := range []struct {
		name, body string
		search     http.HandlerFunc
		status     int
		want       string
	}{
		{"an answer", find, func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "[]") }, 200, `"problems":[]`},
		{"broken off", find, func(w http.ResponseWriter, _ *http.Request) {
			_, _ = io.WriteString(w, "[")
			panic(http.ErrAbortHandler)
		}, 200, `"isError":true`},
		{"too large", find, func(w http.ResponseWriter, _ *http.Request) {
			for range 17 {
				if _, err := io.WriteString(w, strings.Repeat(" ", 1<<20)); err != nil {
					panic(http.ErrAbortHandler)
				}
			}
		}, 200, "the answer has more than 16777216 bytes"},
		{"many words", strings.Replace(find, "{}", `{"text":"`+strings.Repeat("a ", 1<<18)+`"}`, 1), func(http.ResponseWriter, *http.Request) {
			t.Error("a condition was made of each of a quarter of a million words")
		}, 200, "text has 524288 bytes, and can have 4096"},
		{"several messages", " \n[" + find + "]", nil, 400, "one message"},
	} {
		search = c.search
		request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, server.URL+"/mcp", strings.NewReader(c.body))
		if err != nil {
			t.Fatal(err)
		}
		request.Header = http.Header{"Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"}}
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		answer, err := io.ReadAll(response.Body)
		if err != nil {
			t.Fatal(err)
		}
		_ = response.Body.Close()
		if response.StatusCode != c.status || !strings.Contains(string(answer), c.want) {
			t.Errorf("%s: %s %s, want %d and %s", c.name, response.Status, answer, c.status, c.want)
		}
		if held, waiting := memory.Held(); held != 0 || waiting != 0 {
			t.Errorf("%s: %d bytes are held, and %d requests wait", c.name, held, waiting)
		}
	}
}
