package httpsuite

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/problemtracking/problems/conformance/report"
)

func TestProbeSaysWhatIsWrong(t *testing.T) {
	t.Parallel()
	me := func(status int, mediaType, body string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", mediaType)
			w.WriteHeader(status)
			_, _ = w.Write([]byte(body))
		}
	}
	const json = "application/json"
	for name, test := range map[string]struct {
		handler    http.HandlerFunc
		base, mine string // what differs of the target
		want       string
	}{
		"404 everywhere":   {handler: http.NotFound, want: "there is no http"},
		"401":              {handler: me(401, json, `{}`), want: "want one that this server has issued"},
		"401, other form":  {handler: me(401, json, `{}`), mine: "secret", want: "has not the form pts_"},
		"HTML":             {handler: me(200, "text/html", "<html>"), want: "something else than JSON"},
		"read":             {handler: me(200, json, `{"scope":"read"}`), want: `the token has the scope "read"; want admin`},
		"redirect":         {handler: http.RedirectHandler("https://example.org/", http.StatusFound).ServeHTTP, want: "redirects to https://example.org/"},
		"500":              {handler: me(500, json, `{}`), want: "answered with 500 instead of 200"},
		"endless":          {handler: endless, want: "a body of more than 1 MiB"},
		"no users":         {handler: onlyMe, want: "the cases need to make users"},
		"other metadata":   {handler: withoutHigh(), want: `the server does not know the priority "High"`},
		"the API's path":   {base: "/api/20151105", want: "has the path of the API in it"},
		"a query":          {base: "?x=1", want: "has more than scheme, host and path"},
		"a token's spaces": {mine: "Bearer x", want: "want the token alone"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := test.handler
			if h == nil {
				h = http.NotFound
			}
			target := serve(t, h)
			target.BaseURL += test.base
			if test.mine != "" {
				target.AdminToken = test.mine
			}
			refused(t, Execute(t.Context(), target, Options{}), test.want)
		})
	}
	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()
	refused(t, Execute(t.Context(), Target{gone.URL, anyToken}, Options{}), "does not answer")
	refused(t, Execute(t.Context(), Target{"localhost:8080", anyToken}, Options{}), "http:// or https:// is missing")
	refused(t, Execute(t.Context(), Target{"me:hunter2@localhost:8080", anyToken}, Options{}), "http:// or https:// is missing")
	refused(t, Execute(t.Context(), Target{"http:///base", anyToken}, Options{}), "names no host")
	refused(t, Execute(t.Context(), Target{"http://me:hunter2@localhost", anyToken}, Options{}), "has more than scheme, host and path")
	refused(t, Execute(t.Context(), Target{gone.URL, ""}, Options{}), "there is no token")
}

// refused demands a report about a server that cannot be tested.
func refused(t *testing.T, r *report.Report, want string) {
	t.Helper()
	if r.Result != report.Incomplete || r.ExitCode() != 2 {
		t.Errorf("the run is %s with exit code %d: %s", r.Result, r.ExitCode(), r.Reason)
	}
	if strings.Contains(r.Implementation.URL, "hunter2") {
		t.Errorf("the report shows a password: %s", r.Implementation.URL)
	}
	if c := r.Count(report.Core); c.Broken > 0 {
		t.Errorf("the probe is counted as a core case: %+v", c)
	}
	said := ""
	for _, c := range r.Cases {
		if c.Status == report.Broken {
			said += c.Failure
		} else if c.Status != report.NotRun {
			t.Errorf("%s is %s", c.ID, c.Status)
		}
	}
	if !strings.Contains(said, want) || strings.Contains(said, anyToken) || strings.Contains(said, "hunter2") {
		t.Errorf("the probe says %q, want %q in it and no secret", said, want)
	}
}

// endless is a server whose answers never end.
func endless(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	text := []byte(strings.Repeat(" ", 1<<16))
	for {
		if _, err := w.Write(text); err != nil {
			return
		}
	}
}

// onlyMe lets the administrator in and refuses all else.
func onlyMe(w http.ResponseWriter, r *http.Request) {
	if strings.HasSuffix(r.URL.Path, "/me") {
		begun(http.NotFound)(w, r)
		return
	}
	http.Error(w, "no", http.StatusForbidden)
}

// withoutHigh is a server without the priority High.
func withoutHigh() http.HandlerFunc {
	known := begun(http.NotFound)
	return func(w http.ResponseWriter, r *http.Request) {
		if !strings.HasSuffix(r.URL.Path, "/problems") {
			known(w, r)
			return
		}
		body := make([]byte, 1000)
		n, _ := r.Body.Read(body)
		if strings.Contains(string(body[:n]), `"High"`) {
			w.WriteHeader(http.StatusUnprocessableEntity)
			return
		}
		w.WriteHeader(http.StatusCreated)
	}
}
