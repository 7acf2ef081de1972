package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/problemtracking/problems/conformance/httpsuite"
	"github.com/problemtracking/problems/conformance/report"
)

// matrix has every case run against every saboteur, and not only the one that has to
// catch it, so that one sees which others would. It takes some minutes.
var matrix = flag.Bool("http.matrix", false, "run all cases of the HTTP suite against every saboteur, and log which of them catch it")

// saboteur is a server that is right but for one thing.
type saboteur struct {
	name   string
	caught string // the case that has to catch it
	breaks func(next serving) serving
}

// serving answers requests.
type serving func(call) reply

// call is a request as it came.
type call struct {
	ctx    context.Context // done when the client has gone
	method string
	uri    string // path and query, as they were written
	header http.Header
	body   []byte
}

// reply is the answer to a call.
type reply struct {
	status int
	header http.Header
	body   []byte
	stream io.ReadCloser // of an answer without an end, in place of the body
}

// path returns the path below the version segment, as it was written.
func (c call) path() string {
	path, _, _ := strings.Cut(c.uri, "?")
	return strings.TrimPrefix(path, "/api/20151105")
}

// is reports whether the call is of this method, and its path of this form, in
// which * is any one segment but that of a search.
func (c call) is(method, form string) bool {
	if strings.HasSuffix(c.path(), "/search") && !strings.HasSuffix(form, "/search") {
		return false
	}
	expression := "^" + strings.ReplaceAll(form, "*", "[^/]+") + "$"
	return c.method == method && regexp.MustCompile(expression).MatchString(c.path())
}

// object is the body as a JSON object; nil when it is none.
func object(body []byte) map[string]any {
	var o map[string]any
	decoder := json.NewDecoder(bytes.NewReader(body))
	decoder.UseNumber()
	if decoder.Decode(&o) != nil {
		return nil
	}
	return o
}

// array is the body as a JSON array of objects.
func array(body []byte) []map[string]any {
	var list []map[string]any
	decoder := json.NewDecoder(bytes.NewReader(body))
	decoder.UseNumber()
	if decoder.Decode(&list) != nil {
		return nil
	}
	return list
}

// asJSON writes a value without a line's end.
func asJSON(value any) []byte {
	text, err := json.Marshal(value)
	if err != nil {
		panic(err) // only a defect of a saboteur can have a value without JSON
	}
	return text
}

// kind is the last part of an error's type.
func (r reply) kind() string { return slug(r.body) }

// fails returns an error in the form of D18.
func fails(status int, kind, detail string) reply {
	header := http.Header{}
	header.Set("Content-Type", "application/problem+json")
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("Content-Security-Policy", "default-src 'none'")
	header.Set("X-Request-Id", "r1")
	return reply{status: status, header: header, body: asJSON(map[string]any{"type": "/errors/" + kind, "title": kind, "status": status,
		"detail": detail, "instance": "urn:request:r1", "errors": []any{}})}
}

// real returns what passes every call on to the server.
func (s *server) real() serving {
	return func(c call) reply {
		request, err := http.NewRequestWithContext(c.ctx, c.method, s.url+c.uri, bytes.NewReader(c.body))
		if err != nil {
			return reply{status: http.StatusBadGateway, header: http.Header{}, body: []byte(err.Error())}
		}
		request.Header = c.header
		response, err := s.transport.RoundTrip(request)
		if err != nil {
			return reply{status: http.StatusBadGateway, header: http.Header{}, body: []byte(err.Error())}
		}
		if response.Header.Get("Content-Type") == "text/event-stream" {
			return reply{status: response.StatusCode, header: response.Header, stream: response.Body}
		}
		defer response.Body.Close()
		body, err := io.ReadAll(response.Body)
		if err != nil {
			return reply{status: http.StatusBadGateway, header: http.Header{}, body: []byte(err.Error())}
		}
		return reply{status: response.StatusCode, header: response.Header, body: body}
	}
}

// front starts a server that answers as the function does, and returns its URL.
func front(t testing.TB, serve serving) string {
	f := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		a := serve(call{r.Context(), r.Method, r.RequestURI, r.Header.Clone(), body})
		for name, values := range a.header {
			if name != "Content-Length" || r.Method == http.MethodHead { // a saboteur may have changed the length of a body
				w.Header()[name] = values
			}
		}
		w.WriteHeader(a.status)
		if a.stream != nil {
			defer a.stream.Close()
			passOn(w, a.stream)
			return
		}
		_, _ = w.Write(a.body) // whoever has gone needs no answer
	}))
	t.Cleanup(f.Close)
	return f.URL
}

// passOn writes each part of a stream as soon as it is there.
func passOn(w http.ResponseWriter, stream io.Reader) {
	part := make([]byte, 4096)
	for {
		n, err := stream.Read(part)
		if _, failed := w.Write(part[:n]); failed != nil || err != nil {
			return
		}
		if http.NewResponseController(w).Flush() != nil {
			return
		}
	}
}

// asking returns a saboteur's way to change requests.
func asking(change func(c *call)) func(serving) serving {
	return func(next serving) serving {
		return func(c call) reply {
			change(&c)
			return next(c)
		}
	}
}

// answering returns a saboteur's way to change answers.
func answering(change func(c call, r *reply)) func(serving) serving {
	return func(next serving) serving {
		return func(c call) reply {
			r := next(c)
			change(c, &r)
			return r
		}
	}
}

// rewriting changes the JSON object in the bodies of requests that one of the
// methods sends.
func rewriting(change func(o map[string]any), methods ...string) func(serving) serving {
	return asking(func(c *call) {
		if o := object(c.body); o != nil && slices.Contains(methods, c.method) && !strings.HasPrefix(c.path(), "/users") && !strings.HasPrefix(c.path(), "/tokens") {
			change(o)
			c.body = asJSON(o)
		}
	})
}

// memory is what a saboteur keeps between calls.
type memory[V any] struct {
	mu   sync.Mutex
	kept map[string]V
}

func (m *memory[V]) get(key string) (V, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	v, ok := m.kept[key]
	return v, ok
}

func (m *memory[V]) put(key string, v V) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.kept == nil {
		m.kept = map[string]V{}
	}
	m.kept[key] = v
}

// saboteurs returns all of them.
func saboteurs() []saboteur {
	return slices.Concat(problemSaboteurs(), recordSaboteurs(), conditionSaboteurs(), accessSaboteurs(), frameSaboteurs(),
		searchSaboteurs(), pageSaboteurs(), metadataSaboteurs(), pastSaboteurs(), bulkSaboteurs(), undoSaboteurs(), auditSaboteurs(), eventSaboteurs(), streamSaboteurs(), webhookSaboteurs(), raceSaboteurs())
}

// ended returns how a case ended.
func ended(t *testing.T, r *report.Report, id string) report.Case {
	t.Helper()
	i := slices.IndexFunc(r.Cases, func(c report.Case) bool { return c.ID == id })
	if i < 0 {
		t.Fatalf("there is no case %s: %s", id, r.Reason)
	}
	return r.Cases[i]
}

// failed returns the identifiers of the cases that failed.
func failed(r *report.Report) (ids []string) {
	for _, c := range r.Cases {
		if c.Status == report.Failed {
			ids = append(ids, c.ID)
		}
	}
	return ids
}

// exactly matches one of the identifiers.
func exactly(ids ...string) *regexp.Regexp {
	return regexp.MustCompile("^(" + strings.Join(ids, "|") + ")$")
}

// saboteurSeed begins the random choices of a case, with a saboteur and without.
const saboteurSeed = 1

// fewStreams makes HTTP-EV-016 cheap. The case takes 100 streams, and leaves 100 to others.
const fewStreams = "PROBLEMS_MAX_STREAMS=200"

// TestHTTPSaboteurs runs against each broken server the case that has to catch it. In
// TestHTTPCommand, the same cases pass on such a server without a saboteur.
func TestHTTPSaboteurs(t *testing.T) {
	t.Parallel()
	token := newToken(t)
	start := func(t *testing.T) *server { return serve(t, "memory:", "PROBLEMS_BOOTSTRAP_TOKEN="+token, fewStreams) }
	shared := start(t)
	seen := map[string]bool{}
	places := make(chan struct{}, 16) // more than -parallel: saboteurs of streams wait for up to 30 s
	for _, b := range saboteurs() {
		if seen[b.name] {
			t.Errorf("there are two saboteurs %q", b.name)
		}
		seen[b.name] = true
		t.Run(b.name, func(t *testing.T) {
			s := shared
			if *matrix || b.caught == "HTTP-EV-016" {
				s = start(t) // two such cases at once would leave no stream to others
			}
			target := httpsuite.Target{BaseURL: front(t, b.breaks(s.real())), AdminToken: token}
			only := exactly(b.caught)
			if *matrix {
				only = nil
			}
			run := make(chan *report.Report, 1)
			go func() {
				places <- struct{}{}
				defer func() { <-places }()
				run <- httpsuite.Execute(t.Context(), target, httpsuite.Options{Only: only, Seed: saboteurSeed})
			}()
			t.Parallel()
			r := <-run
			c := ended(t, r, b.caught)
			if c.Status != report.Failed || r.ExitCode() != 1 {
				t.Fatalf("%s is %s and the exit code %d: the saboteur survives", b.caught, c.Status, r.ExitCode())
			}
			t.Logf("caught by %s", strings.Join(failed(r), ", "))
			if strings.Contains(c.Failure, token) || !strings.HasPrefix(c.Failure, b.caught+": "+c.Rule) || !strings.Contains(c.Failure, "--only '^"+b.caught+"$'") {
				t.Errorf("the failure shows the token, or lacks the rule or how to repeat it:\n%s", c.Failure)
			}
		})
	}
}

// TestCoreAsksNoMore runs the core cases against a server that has nothing of the
// conventions of 2026: no ETags, no security headers, no problem details, one
// status for all refusals. It is one that clients of old can work with.
func TestCoreAsksNoMore(t *testing.T) {
	t.Parallel()
	token := newToken(t)
	s := serve(t, "memory:", "PROBLEMS_BOOTSTRAP_TOKEN="+token)
	plain := answering(func(_ call, r *reply) {
		header := http.Header{"Content-Type": r.header["Content-Type"]}
		if next := r.header["Link"]; next != nil {
			header["Link"] = next // without which nobody reads a second page (D31)
		}
		if r.status >= 400 {
			r.status, r.body = http.StatusBadRequest, []byte("no\n")
			header.Set("Content-Type", "text/plain")
		}
		r.header = header
	})
	target := httpsuite.Target{BaseURL: front(t, plain(s.real())), AdminToken: token}
	core := httpsuite.Execute(t.Context(), target, httpsuite.Options{CoreOnly: true})
	for _, c := range core.Cases {
		if c.Level == report.Core && c.Status != report.Passed {
			t.Errorf("%s", c.Failure)
		}
	}
	if core.ExitCode() != 0 || core.Count(report.Extended).Passed > 0 {
		t.Errorf("the core alone: %s, %s", core.Result, core.Reason)
	}
	// Of the extended cases, those about ETags and errors notice what is missing.
	r := httpsuite.Execute(t.Context(), target, httpsuite.Options{Only: regexp.MustCompile("^HTTP-(COND|ERROR|ORDER)-")})
	if count := r.Count(report.Extended); count.Failed < 20 || count.Passed > 3 {
		t.Errorf("%d extended cases about ETags and errors failed, and %d passed", count.Failed, count.Passed)
	}
}
