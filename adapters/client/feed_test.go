package client_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/problemtracking/problems/adapters/client"
)

// script is a server with prepared answers, one for each request.
type script struct {
	t       *testing.T
	mu      sync.Mutex
	answers []answer
	asked   []string // each request: its parameters, and Last-Event-ID after a space
}

// answer is an answer of a script. end, if not nil, is called behind the body.
type answer struct {
	status int
	header map[string]string
	body   string
	end    func(r *http.Request)
}

func (s *script) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	asked := r.URL.RawQuery
	if id := r.Header.Get("Last-Event-ID"); id != "" {
		asked += " " + id
	}
	s.asked = append(s.asked, asked)
	if r.URL.Path != "/tracker/api/20151105/events" || r.Header.Get("Authorization") == "" {
		s.t.Errorf("the request is for %s, with %v", r.URL.Path, r.Header)
	}
	a := answer{status: http.StatusInternalServerError}
	if len(s.answers) > 0 {
		a, s.answers = s.answers[0], s.answers[1:]
	} else {
		s.t.Errorf("the script has no answer to %s", asked)
	}
	s.mu.Unlock()
	for name, value := range a.header {
		w.Header().Set(name, value)
	}
	w.WriteHeader(a.status)
	_, _ = io.WriteString(w, a.body)
	_ = http.NewResponseController(w).Flush()
	if a.end != nil {
		a.end(r)
	}
}

// cut breaks the connection.
func cut(*http.Request) { panic(http.ErrAbortHandler) }

// hang waits until the client goes.
func hang(r *http.Request) { <-r.Context().Done() }

// page is a page of the feed, with a link to next.
func page(next, events string) answer {
	return answer{status: 200, header: map[string]string{"Link": `</elsewhere/events?after=` + next + `&limit=1000>; rel="next"`}, body: events}
}

// stream is the beginning of a stream.
func stream(body string, end func(*http.Request)) answer {
	return answer{status: 200, header: map[string]string{"Content-Type": "text/event-stream"}, body: "retry: 2000\n\n" + body, end: end}
}

// refused is an error of the API.
func refused(status int, kind, members string) answer {
	return answer{status: status, body: fmt.Sprintf(`{"type":"/base/errors/%s","detail":"It is %s."%s}`, kind, kind, members)}
}

var gone = refused(http.StatusGone, "cursor-gone", `,"oldest":"start","newest":"z"`)

// result is the outcome of a reader.
type result struct {
	lines     string
	position  string // the last one; in what was got, the last of positions
	positions []string
	reports   []string
	asked     []string
	err       error
}

// reading is one of the two ways to read the client.
type reading func(*client.Client, context.Context, client.Feed) iter.Seq2[client.Batch, error]

var events, follow reading = (*client.Client).Events, (*client.Client).Follow

// dial returns a client that tries again at once.
func dial(t *testing.T, address string) *client.Client {
	t.Helper()
	c, err := client.New(address, client.Options{Token: "secret", Pause: time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// lines returns the events of a batch, each on a line.
func lines(b client.Batch) (all string) {
	for _, e := range b.Events {
		all += string(e.JSON) + "\n"
	}
	return all
}

// run runs a reader against a script. It ends after the event "last".
func run(t *testing.T, read reading, f client.Feed, answers ...answer) result {
	t.Helper()
	s := &script{t: t, answers: answers}
	server := httptest.NewServer(s)
	defer server.Close()
	var got result
	f.Pause = time.Millisecond
	f.Report = func(sentence string) {
		got.reports = append(got.reports, strings.ReplaceAll(sentence, server.URL, "URL"))
	}
	for b, err := range read(dial(t, server.URL+"/tracker"), t.Context(), f) {
		if got.err = err; err != nil {
			break
		}
		got.lines += lines(b)
		got.positions = append(got.positions, b.Position)
		if strings.Contains(got.lines, `"last"`) {
			break
		}
	}
	server.CloseClientConnections()
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.answers) > 0 {
		t.Errorf("%d answers were not asked for", len(s.answers))
	}
	got.asked = s.asked
	return got
}

func (r result) want(t *testing.T, want result) {
	t.Helper()
	if len(r.positions) > 0 {
		r.position = r.positions[len(r.positions)-1]
	}
	if r.lines != want.lines || r.position != want.position || !errors.Is(r.err, want.err) {
		t.Errorf("the reader yielded\n%sup to %q, with the error %v; want\n%sup to %q, with the error %v", r.lines, r.position, r.err, want.lines, want.position, want.err)
	}
	if want.asked != nil && !slices.Equal(r.asked, want.asked) {
		t.Errorf("it asked %q, want %q", r.asked, want.asked)
	}
	if len(r.reports) != len(want.reports) {
		t.Errorf("it reported %q, want %q", r.reports, want.reports)
		return
	}
	for i, part := range want.reports {
		if !strings.Contains(r.reports[i], part) {
			t.Errorf("it reported %q, want %q", r.reports, want.reports)
		}
	}
}

func TestEvents(t *testing.T) {
	t.Parallel()
	// The empty page in the middle has moved on: events were left out.
	run(t, events, client.Feed{Predicate: "title = 'a&b'", Problem: 7},
		page("b", `[{"identifier":"a", "title":"<&>"},`+"\n"+` {"identifier":"b"}]`+"\n"),
		page("c", `[]`),
		page("d", `[{"identifier":"d"}]`),
		page("d", `[]`),
	).want(t, result{
		lines:    `{"identifier":"a","title":"<&>"}` + "\n" + `{"identifier":"b"}` + "\n" + `{"identifier":"d"}` + "\n",
		position: "d",
		asked: []string{
			"limit=1000&predicate=title+%3D+%27a%26b%27&problem=7",
			"after=b&limit=1000&predicate=title+%3D+%27a%26b%27&problem=7",
			"after=c&limit=1000&predicate=title+%3D+%27a%26b%27&problem=7",
			"after=d&limit=1000&predicate=title+%3D+%27a%26b%27&problem=7",
		},
	})
}

// A broken page is no loss: the next one begins behind its last whole event.
func TestEventsGoOnAfterABrokenPage(t *testing.T) {
	t.Parallel()
	broken := page("c", `[{"identifier":"a"},{"identifier":"b"},{"identi`)
	broken.end = cut
	run(t, events, client.Feed{}, broken, page("c", `[{"identifier":"c"}]`), page("c", `[]`)).want(t, result{
		lines:    `{"identifier":"a"}` + "\n" + `{"identifier":"b"}` + "\n" + `{"identifier":"c"}` + "\n",
		position: "c",
		asked:    []string{"limit=1000", "after=b&limit=1000", "after=c&limit=1000"},
	})
}

func TestGone(t *testing.T) {
	t.Parallel()
	event := stream("id: last\ndata: {\"identifier\":\"last\"}\n\n", hang)
	const line = `{"identifier":"last"}` + "\n"
	run(t, events, client.Feed{After: "x", Gone: client.GoneFails}, gone).want(t, result{err: client.ErrGone, asked: []string{"after=x&limit=1000"}})
	run(t, events, client.Feed{After: "x", Gone: client.GoneFromOldest}, gone, page("e", `[{"identifier":"e"}]`), page("e", `[]`)).want(t,
		result{lines: `{"identifier":"e"}` + "\n", position: "e", reports: []string{"from the oldest"}, asked: []string{"after=x&limit=1000", "limit=1000", "after=e&limit=1000"}})
	run(t, events, client.Feed{After: "x", Gone: client.GoneFromNow}, gone, page("z", `[]`)).want(t,
		result{position: "z", reports: []string{"from the newest"}, asked: []string{"after=x&limit=1000", "after=z&limit=1000"}})
	run(t, follow, client.Feed{After: "x", Gone: client.GoneFails}, gone).want(t, result{err: client.ErrGone, asked: []string{" x"}})
	run(t, follow, client.Feed{After: "x", Gone: client.GoneFromOldest}, gone, event).want(t,
		result{lines: line, position: "last", reports: []string{"from the oldest"}, asked: []string{" x", ""}})
	run(t, follow, client.Feed{After: "x", Gone: client.GoneFromNow}, gone, event).want(t,
		result{lines: line, position: "last", reports: []string{"from the newest"}, asked: []string{" x", " z"}})
}

// Whatever breaks the connection, every event comes once, and two sentences tell of it.
func TestFollowConnectsAgain(t *testing.T) {
	t.Parallel()
	const first, last = "id: a\ndata: {\"identifier\":\"a\"}\n\n", "id: last\ndata: {\"identifier\":\"last\"}\n\n"
	const lines = `{"identifier":"a"}` + "\n" + `{"identifier":"last"}` + "\n"
	busy := refused(http.StatusTooManyRequests, "rate-limited", "")
	away := refused(http.StatusServiceUnavailable, "unavailable", "")
	for _, c := range []struct {
		name    string
		answers []answer
		asked   []string
		lost    string
	}{
		{"end of the stream", []answer{stream(first, nil), stream(last, hang)}, []string{"", " a"}, "it ended the stream"},
		{"cut", []answer{stream(first, cut), stream(last, hang)}, []string{"", " a"}, "the connection to the server at URL/tracker is lost"},
		{"cut in an event", []answer{stream(first+"id: b\ndata: {\"identifier\":\"la", cut), stream(last, hang)}, []string{"", " a"}, "is lost"},
		{"cut behind an identifier", []answer{stream(first+"id: b\n", nil), stream(last, hang)}, []string{"", " a"}, "is lost"},
		{"events left out", []answer{stream(first+":\nid: b\n\n", cut), stream(last, hang)}, []string{"", " b"}, "is lost"},
		{"store away", []answer{stream(first, cut), away, busy, away, stream(last, hang)}, []string{"", " a", " a", " a", " a"}, "is lost"},
		{"another server in front", []answer{stream(first, cut), {status: http.StatusBadGateway, body: "<html>"}, stream(last, hang)}, []string{"", " a", " a"}, "is lost"},
		{"away at the start", []answer{away, stream(first+last, hang)}, []string{"", ""}, "It is unavailable."},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			run(t, follow, client.Feed{}, c.answers...).want(t, result{lines: lines, position: "last", asked: c.asked, reports: []string{c.lost, "connected again"}})
		})
	}
}

// A silent server is lost, before its answer and within it.
func TestFollowNoticesSilence(t *testing.T) {
	t.Parallel()
	var first sync.Once
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		answered := true
		first.Do(func() { answered = false })
		if answered {
			body := "id: a\ndata: {}\n\n"
			if r.Header.Get("Last-Event-ID") == "a" {
				body = "id: b\ndata: {}\n\n"
			}
			w.Header().Set("Content-Type", "text/event-stream")
			_, _ = io.WriteString(w, body)
			_ = http.NewResponseController(w).Flush()
		}
		<-r.Context().Done()
	}))
	defer server.Close()
	var got, reports string
	for b, err := range dial(t, server.URL).Follow(t.Context(), client.Feed{Pause: time.Millisecond, Silence: 100 * time.Millisecond,
		Report: func(sentence string) { reports += sentence + "\n" }}) {
		if err != nil {
			t.Fatal(err)
		}
		if got += lines(b); b.Position == "b" {
			break
		}
	}
	if got != "{}\n{}\n" || !strings.Contains(reports, "does not answer: silence for 100ms") {
		t.Errorf("yielded %q, and reported\n%s", got, reports)
	}
}

// From now on, a reader knows its position before the first event.
func TestFollowFromNow(t *testing.T) {
	t.Parallel()
	r := run(t, follow, client.Feed{After: client.Now},
		page("m", `[]`), stream("", cut), stream("id: last\ndata: {\"identifier\":\"last\"}\n\n", hang))
	r.want(t, result{lines: `{"identifier":"last"}` + "\n", position: "last", asked: []string{"after=now&limit=1", " m", " m"}, reports: []string{"is lost", "connected again"}})
	if !slices.Equal(r.positions, []string{"m", "last"}) {
		t.Errorf("the positions are %q", r.positions)
	}
}

// Many small events come in few portions, and none waits for another one.
func TestFollowDelivers(t *testing.T) {
	t.Parallel()
	var events strings.Builder
	const n = 20_000
	for i := range n {
		fmt.Fprintf(&events, "id: e%d\ndata: {\"identifier\":\"e%d\"}\n\n", i, i)
	}
	server := httptest.NewServer(&script{t: t, answers: []answer{stream(events.String(), hang)}})
	defer server.Close()
	got, batches := 0, 0
	for b, err := range dial(t, server.URL+"/tracker").Follow(t.Context(), client.Feed{}) {
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range b.Events {
			if e.Identifier != fmt.Sprintf("e%d", got) {
				t.Fatalf("event %d is %s", got, e.JSON)
			}
			got++
		}
		if batches++; b.Position != fmt.Sprintf("e%d", got-1) {
			t.Errorf("after %d events the position is %s", got, b.Position)
		}
		if got == n {
			break
		}
	}
	server.CloseClientConnections()
	if batches > n/4 {
		t.Errorf("%d events came in %d batches", got, batches)
	}
}

func TestRefuses(t *testing.T) {
	t.Parallel()
	html := answer{status: http.StatusOK, body: "<html>", header: map[string]string{"Link": `</?after=b>; rel="next"`, "Content-Type": "text/html"}}
	for _, c := range []struct {
		name string
		read reading
		answer
		want string
	}{
		{"predicate", events, refused(http.StatusBadRequest, "invalid-predicate", `,"line":1,"column":3`), "It is invalid-predicate. (line 1, column 3)"},
		{"token", follow, refused(http.StatusUnauthorized, "unauthenticated", ""), "It is unauthenticated."},
		{"store away", events, refused(http.StatusServiceUnavailable, "unavailable", ""), "It is unavailable."},
		{"no Link", events, answer{status: http.StatusOK, body: "[]"}, "Link is missing"},
		{"Link without position", events, answer{status: http.StatusOK, body: "[]", header: map[string]string{"Link": `</events>; rel="next"`}}, "has no position"},
		{"no JSON", events, html, "does not answer as this service does"},
		{"no array", events, page("b", `{}`), "an array of events was expected"},
		{"event without identifier", events, page("b", `[{}]`), "an event without an identifier"},
		{"no stream", follow, html, "a stream of events was expected"},
		{"streamed event without identifier", follow, stream("data: {}\n\n", hang), "an event without an identifier"},
		{"streamed event that is no JSON", follow, stream("id: a\ndata: {\n\n", hang), "does not answer as this service does"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r := run(t, c.read, client.Feed{}, c.answer)
			if r.err == nil || !strings.Contains(r.err.Error(), c.want) || r.lines != "" || len(r.reports) > 0 {
				t.Errorf("the error is %v, want %q; yielded: %q, reported: %q", r.err, c.want, r.lines, r.reports)
			}
		})
	}
}

func TestInterrupted(t *testing.T) {
	t.Parallel()
	for name, read := range map[string]reading{"events": events, "follow": follow} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithCancel(t.Context())
			server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
				cancel()
				<-r.Context().Done()
			}))
			defer server.Close()
			var err error
			for _, err = range read(dial(t, server.URL), ctx, client.Feed{}) {
			}
			if name == "follow" && err != nil || name == "events" && (err == nil || !strings.Contains(err.Error(), "interrupted")) {
				t.Errorf("the error is %v", err)
			}
		})
	}
}
