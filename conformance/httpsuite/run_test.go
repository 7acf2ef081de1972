package httpsuite

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/problemtracking/problems/conformance/httpsuite/internal/session"
	"github.com/problemtracking/problems/conformance/internal/engine"
	"github.com/problemtracking/problems/conformance/report"
)

const anyToken = "pts_0123456789012345678901234567890123456789012345678"

// begun answers what the probe asks, and hands over all else.
func begun(rest http.HandlerFunc) http.HandlerFunc {
	var problems atomic.Int64
	return func(w http.ResponseWriter, r *http.Request) {
		answer := func(status int, body string) {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(status)
			fmt.Fprint(w, body)
		}
		switch r.Method + " " + strings.TrimPrefix(r.URL.Path, session.API) {
		case "GET /me":
			answer(200, `{"scope":"admin"}`)
		case "POST /users":
			answer(201, `{"identifier":"u1"}`)
		case "POST /tokens":
			answer(201, `{"identifier":"t1","token":"`+anyToken+`"}`)
		case "POST /problems":
			answer(201, fmt.Sprintf(`{"identifier":%d}`, problems.Add(1)))
		default:
			rest(w, r)
		}
	}
}

func serve(t *testing.T, h http.HandlerFunc) Target {
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return Target{BaseURL: s.URL, AdminToken: anyToken}
}

func TestBrokenServer(t *testing.T) {
	t.Parallel()
	target := serve(t, begun(func(w http.ResponseWriter, _ *http.Request) { http.Error(w, anyToken, http.StatusInternalServerError) }))
	r := Execute(t.Context(), target, Options{})
	if r.ExitCode() != 1 || r.Count(report.Core).Failed < 50 || len(r.Cases) != len(Cases()) {
		t.Errorf("%s, with %+v", r.Reason, r.Count(report.Core))
	}
	text, err := json.Marshal(r)
	if err != nil || strings.Contains(string(text), anyToken) {
		t.Errorf("the report shows the token, or %v", err)
	}
}

func TestFailuresTellTheirStory(t *testing.T) {
	t.Parallel()
	target := serve(t, begun(func(w http.ResponseWriter, _ *http.Request) { http.Error(w, anyToken, http.StatusTeapot) }))
	r := Execute(t.Context(), target, Options{Only: regexp.MustCompile("^HTTP-W5-001$"), Seed: 7})
	i := slices.IndexFunc(r.Cases, func(c report.Case) bool { return c.Status == report.Failed })
	if i < 0 {
		t.Fatalf("nothing failed: %s", r.Reason)
	}
	for _, want := range []string{
		"HTTP-W5-001: deleting a keyword is answered with 204 and no body (D10)",
		"\nSee https://github.com/problemtracking/problems/blob/main/domain/rules/requests.md#d10\n",
		"But PUT /problems/10/keywords/color answered 418",
		"want 201",
		`administrator: POST /problems {"title":`,
		`administrator: PUT /problems/10/keywords/color "red" → 418 $TOKEN`,
		"problems-conformance http --url " + target.BaseURL + " --only '^HTTP-W5-001$' --seed 7 --token $TOKEN",
	} {
		if !strings.Contains(r.Cases[i].Failure, want) {
			t.Errorf("the failure is\n%s\nwant in it %s", r.Cases[i].Failure, want)
		}
	}
}

func TestEndedRunIsIncomplete(t *testing.T) {
	t.Parallel()
	ctx, end := context.WithCancel(t.Context())
	defer end()
	target := serve(t, begun(func(_ http.ResponseWriter, r *http.Request) {
		if r.URL.Path == session.API+"/users/u1" {
			return // those who leave
		}
		end()
		_, _ = io.Copy(io.Discard, r.Body) // without which nobody tells that the client has gone
		<-r.Context().Done()
	}))
	r := Execute(ctx, target, Options{Only: regexp.MustCompile("^HTTP-(W5-001|W4-00[123]|FLAG-001)$"), Parallel: 4})
	if r.Result != report.Incomplete && r.Reason != "not one core case was run" {
		t.Errorf("the run is %s: %s", r.Result, r.Reason)
	}
	under := 0
	for _, c := range r.Cases {
		if c.Status != report.NotRun {
			t.Errorf("%s is %s: %s", c.ID, c.Status, c.Failure)
		}
		if strings.Contains(c.Reason, "ended during it") {
			under++
		}
	}
	if under == 0 {
		t.Errorf("no case was under way when the run was ended: %+v", r.Profiles)
	}
}

func TestCoreOnly(t *testing.T) {
	t.Parallel()
	target := serve(t, begun(http.NotFound))
	r := Execute(t.Context(), target, Options{CoreOnly: true})
	if c := r.Count(report.Extended); c.Waived != c.Total() || c.Total() == 0 {
		t.Errorf("of the extended cases: %+v", c)
	}
}

// tried runs fn as a case against the server.
func tried(t *testing.T, target Target, limit time.Duration, fn func(*session.Session)) engine.Outcome {
	s := newSuite(target, Options{Limit: limit})
	t.Cleanup(s.server.Close)
	return engine.Do(t.Context(), "HTTP-X-001", "", s.Limit, func(r *engine.Run) {
		fn(session.New(s.server.Trial(r, report.Core), s.server, s.Seed))
	})
}

func TestRateLimiterIsRespected(t *testing.T) {
	t.Parallel()
	for after, want := range map[string]struct {
		status   int
		requests int64
	}{
		"0":    {200, 3},
		"1":    {200, 3},
		"3600": {429, 1}, // longer than a case has
	} {
		t.Run(after, func(t *testing.T) {
			t.Parallel()
			var requests atomic.Int64
			target := serve(t, func(w http.ResponseWriter, r *http.Request) {
				body := make([]byte, 4)
				if n, _ := r.Body.Read(body); string(body[:n]) != "text" {
					t.Errorf("the body is %q", body[:n])
				}
				if requests.Add(1) < 3 {
					w.Header().Set("Retry-After", after)
					w.WriteHeader(http.StatusTooManyRequests)
				}
			})
			o := tried(t, target, time.Minute, func(s *session.Session) {
				s.Admin.Post("/problems/1/comments", "text", session.Plain()).Is(want.status)
			})
			if o.Status != report.Passed || requests.Load() != want.requests {
				t.Errorf("%d requests, want %d: %s", requests.Load(), want.requests, o.Failure())
			}
		})
	}
}

func TestPagesAreFollowed(t *testing.T) {
	t.Parallel()
	var host string
	target := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		page := r.URL.Query().Get("cursor")
		switch {
		case r.URL.Path == session.API+"/elsewhere":
			w.Header().Set("Link", `<http://example.invalid/>; rel="next"`)
		case page == "":
			w.Header().Set("Link", `<https://example.org/terms>; rel="license", </api/20151105/users?cursor=2>; rel="next"`)
		case page == "2":
			w.Header().Set("Link", "<"+host+session.API+`/users?cursor=3>; rel=next`)
		}
		fmt.Fprintf(w, `["page %s"]`, page)
	})
	host = target.BaseURL
	var seen []string
	o := tried(t, target, time.Minute, func(s *session.Session) {
		for a := range s.Admin.Pages("/users") {
			seen = append(seen, a.Text("/0"))
		}
	})
	if want := []string{"page ", "page 2", "page 3"}; o.Status != report.Passed || !slices.Equal(seen, want) {
		t.Errorf("saw %q, want %q: %s", seen, want, o.Failure())
	}
	o = tried(t, target, time.Minute, func(s *session.Session) {
		for range s.Admin.Pages("/elsewhere") {
		}
	})
	if o.Status != report.Failed {
		t.Error("a link to another server was followed")
	}
}

func TestUsersAreLeftInactive(t *testing.T) {
	t.Parallel()
	var left atomic.Int64
	target := serve(t, begun(func(_ http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPatch && r.URL.Path == session.API+"/users/u1" {
			left.Add(1)
		}
	}))
	o := tried(t, target, time.Minute, func(s *session.Session) {
		s.User()
		s.Fatalf("over")
	})
	if o.Status != report.Failed || left.Load() != 1 {
		t.Errorf("the case ended %s, and %d users were made inactive", o.Status, left.Load())
	}
}
