package httpapi

import (
	"bufio"
	"context"
	"crypto/tls"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"github.com/problemtracking/problems/adapters/httpapi/internal/samples"
	"github.com/problemtracking/problems/adapters/httpapi/internal/wire"
	"github.com/problemtracking/problems/adapters/httpframe"
	"github.com/problemtracking/problems/domain/access"
	"github.com/problemtracking/problems/domain/budget"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/snapshot"
	"github.com/problemtracking/problems/domain/store"
	"github.com/problemtracking/problems/domain/tracker"
	"github.com/problemtracking/problems/domain/tracker/usecases"
)

// enlarge gives the sample a long log, long keywords and many comments: 1.5 MB, which its
// size says only if the store is to treat it as large.
func (f *fixture) enlarge(large bool) {
	f.snapshot.Keywords, f.snapshot.Log, f.snapshot.Comments = nil, nil, nil
	for i := range 2500 {
		f.snapshot.Log = append(f.snapshot.Log, problem.LogEntry{ID: samples.Identifier(i), Type: problem.FieldChanged, Created: samples.Time,
			Author: samples.Ann.ID, Field: "title", From: `"a"`, To: problem.LogText(strings.Repeat("x", 200)), Revision: 3})
	}
	for i := range 20 {
		f.snapshot.Keywords = append(f.snapshot.Keywords, problem.Keyword{Name: fmt.Sprintf("k%02d", i), Value: problem.Text(strings.Repeat("y", 30<<10))})
	}
	for i := range 150 {
		f.snapshot.Comments = append(f.snapshot.Comments, problem.Comment{ID: samples.Identifier(i), Author: samples.Ann.ID, Created: samples.Time, Text: strings.Repeat("z", 3<<10)})
	}
	if f.snapshot.Size = 0; large {
		f.snapshot.Size = problem.Size(f.snapshot.Fields, f.snapshot.Keywords, f.snapshot.Comments, f.snapshot.Attachments, f.snapshot.Log)
	}
}

// A large problem is sent in parts of bounded size, byte for byte as it would be at once.
func TestLargeAnswersAreTheSame(t *testing.T) {
	t.Parallel()
	f := setup(t)
	f.manyHits(3)
	for _, c := range []struct{ method, path, body string }{
		{"GET", "/problems/12", ""},
		{"GET", "/problems/12?limit=7", ""},
		{"GET", "/problems/12/comments", ""},
		{"GET", "/problems/12/relationships", ""},
		{"GET", "/problems/12/watchers", ""},
		{"GET", "/problems", ""},
		{"GET", "/problems?includeDetail=true", ""},
		{"GET", "/problems?includeDetail=true&fields=title,logs.author.name,keywords.value", ""},
		{"GET", "/problems/12?fields=logs,keywords.value,state.nextStates.name", ""},
		{"GET", "/problems/search?predicate=TRUEPREDICATE&includeDetail=true", ""},
		{"PATCH", "/problems/12?dryRun=true", `{"title":"Another","modificationDate":"2001-01-01T00:00:00Z"}`},
	} {
		f.enlarge(false)
		whole := f.send(t, request(c.method, api+c.path, c.body), 200, "")
		f.enlarge(true)
		w := &parts{ResponseRecorder: httptest.NewRecorder()}
		f.ServeHTTP(w, request(c.method, api+c.path, c.body))
		if w.Body.String() != whole.Body.String() || w.Code != 200 {
			t.Errorf("%s %s: %d bytes, and %d at once", c.method, c.path, w.Body.Len(), whole.Body.Len())
		}
		if !json.Valid(w.Body.Bytes()) {
			t.Errorf("%s %s: not JSON", c.method, c.path)
		}
		if largest := slices.Max(w.sizes); largest > wire.PartSize+32<<10 {
			t.Errorf("%s %s: a part has %d bytes", c.method, c.path, largest)
		}
		for _, name := range []string{"Etag", "Problem-Revision", "Link", "Content-Type", "Ignored-Members"} {
			if w.Header().Get(name) != whole.Header().Get(name) {
				t.Errorf("%s %s: %s is %q, and %q at once", c.method, c.path, name, w.Header().Get(name), whole.Header().Get(name))
			}
		}
		if c.method != "GET" {
			if ignored := w.Header().Get("Ignored-Members"); ignored != "modificationDate" {
				t.Errorf("%s %s: ignored are %q", c.method, c.path, ignored)
			}
			continue
		}
		if head := f.do(request("HEAD", api+c.path, "")); head.Code != 200 || head.Body.Len() > 0 || head.Header().Get("Etag") != w.Header().Get("Etag") {
			t.Errorf("HEAD %s: %d with %d bytes", c.path, head.Code, head.Body.Len())
		}
		if tag := w.Header().Get("Etag"); tag != "" {
			if known := f.do(request("GET", api+c.path, "", "If-None-Match", tag)); known.Code != 304 || known.Body.Len() > 0 {
				t.Errorf("GET %s, known: %d with %d bytes", c.path, known.Code, known.Body.Len())
			}
		}
	}
}

// Whoever follows the links reads the whole log, and all comments, once and in order.
func TestLogInPages(t *testing.T) {
	t.Parallel()
	for _, large := range []bool{false, true} {
		f := setup(t)
		f.enlarge(large)
		for limit, pages := range map[int]int{1000: 3, 999: 3, 500: 5, 313: 8} {
			var log []wire.LogEntry
			follow(t, f, fmt.Sprintf("%s/problems/12?limit=%d", api, limit), pages, func(body []byte) error {
				var p wire.Problem
				err := json.Unmarshal(body, &p)
				log = append(log, p.Logs...)
				return err
			})
			for i, e := range log {
				if e.Identifier != samples.Identifier(i).String() {
					t.Fatalf("entry %d is %s", i, e.Identifier)
				}
			}
			if len(log) != 2500 {
				t.Errorf("large %t, limit %d: %d entries", large, limit, len(log))
			}
		}
		n := 0
		follow(t, f, api+"/problems/12/comments?limit=50", 3, func(body []byte) error {
			var page []wire.Comment
			err := json.Unmarshal(body, &page)
			n += len(page)
			return err
		})
		if n != 150 {
			t.Errorf("large %t: %d comments on all pages", large, n)
		}
	}
}

// follow reads all pages of a list.
func follow(t *testing.T, f *fixture, path string, pages int, read func([]byte) error) {
	t.Helper()
	for page := 1; path != ""; page++ {
		w := f.send(t, request("GET", path, ""), 200, "")
		if err := read(w.Body.Bytes()); err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		link := w.Header().Get("Link")
		if path = strings.TrimSuffix(strings.TrimPrefix(link, "<"), `>; rel="next"`); (path == "") != (page == pages) {
			t.Fatalf("page %d of %d has the link %q", page, pages, link)
		}
	}
}

func TestWindowParameters(t *testing.T) {
	t.Parallel()
	f := setup(t)
	log, comments := window{list: "log"}.cursor(2), window{list: "comments"}.cursor(2)
	for _, query := range []string{"limit=0", "limit=1001", "limit=01", "limit=", "limit=-1", "limit=1&limit=2", "cursor=", "cursor=1", "cursor=" + comments, "cursor=" + log + "=", "cursor=" + window{list: "log"}.cursor(-1)} {
		f.send(t, request("GET", api+"/problems/12?"+query, ""), 400, fault.MalformedRequest)
	}
	f.send(t, request("GET", api+"/problems/12/comments?cursor="+log, ""), 400, fault.MalformedRequest)
	for _, path := range []string{"/problems/12?cursor=" + log, "/problems/12?limit=1000&asOf=3", "/problems/12/comments?limit=1&cursor=" + comments} {
		f.send(t, request("GET", api+path, ""), 200, "")
	}
	w := f.send(t, request("GET", api+"/problems/12?limit=1&asOf=2026-01-01T00:00:00.000Z", ""), 200, "")
	if link := w.Header().Get("Link"); link != "" && !strings.Contains(link, "asOf=2026") {
		t.Errorf("the link forgets the time: %s", link)
	}
}

// What is sent must not pass for all when the store fails in between.
func TestLargeAnswerIsCutWhenTheStoreFails(t *testing.T) {
	t.Parallel()
	f := setup(t)
	f.enlarge(true)
	f.logFails = true
	defer func() {
		if cause := recover(); cause != http.ErrAbortHandler {
			t.Errorf("the handler ends with %v", cause)
		}
	}()
	f.ServeHTTP(httptest.NewRecorder(), request("GET", api+"/problems/12", ""))
	t.Error("the answer has ended as if it were whole")
}

// Over each protocol, a client sees that a large answer was cut.
func TestClientsSeeThatAnAnswerIsCut(t *testing.T) {
	t.Parallel()
	f := setup(t)
	f.enlarge(true)
	f.logFails = true
	server := httptest.NewUnstartedServer(f)
	server.EnableHTTP2 = true
	server.StartTLS()
	t.Cleanup(server.Close)
	for _, protocol := range []string{"HTTP/1.0", "HTTP/1.1", "HTTP/2.0"} {
		config := server.Client().Transport.(*http.Transport).TLSClientConfig.Clone()
		client := &http.Client{Transport: &http.Transport{TLSClientConfig: config, ForceAttemptHTTP2: protocol == "HTTP/2.0", DisableKeepAlives: true}}
		r := request("GET", server.URL+api+"/problems/12", "")
		r.RequestURI = ""
		var answer *http.Response
		var err error
		if protocol != "HTTP/1.0" {
			answer, err = client.Do(r)
		} else {
			var conn net.Conn
			if conn, err = tls.Dial("tcp", server.Listener.Addr().String(), config); err != nil {
				t.Fatal(err)
			}
			defer conn.Close()
			fmt.Fprintf(conn, "GET %s HTTP/1.0\r\nAuthorization: %s\r\n\r\n", r.URL.Path, r.Header.Get("Authorization"))
			answer, err = http.ReadResponse(bufio.NewReader(conn), nil)
		}
		if err != nil {
			t.Fatalf("%s: %v", protocol, err)
		}
		body, err := io.ReadAll(answer.Body)
		_ = answer.Body.Close()
		if answer.Proto != protocol && protocol != "HTTP/1.0" || len(body) == 0 {
			t.Errorf("%s: %s with %d bytes", protocol, answer.Proto, len(body))
		}
		// HTTP/1.0 has nothing but the end of the connection: there the JSON lacks its end.
		if err == nil && protocol != "HTTP/1.0" || json.Valid(body) {
			t.Errorf("%s: the answer passes for whole", protocol)
		}
	}
}

// stalled is a client that reads nothing until it is let.
type stalled struct {
	*httptest.ResponseRecorder
	read chan struct{}
}

func (s stalled) Write(b []byte) (int, error) {
	<-s.read
	return s.ResponseRecorder.Write(b)
}

// Large answers that nobody reads hold memory, but never more than there is; who would
// need some is refused after a while. Short answers, and other users, are not concerned.
func TestMemory(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		memory := budget.New(16 << 20)
		f := setup(t, func(o *Options) { o.Memory, o.Observe, o.Limits.RequestTime = memory, nil, time.Minute })
		f.enlarge(true)
		read := make(chan struct{})
		done := make(chan int)
		const readers = 12
		for range readers {
			go func() {
				w := stalled{httptest.NewRecorder(), read}
				f.ServeHTTP(w, request("GET", api+"/problems/12/comments", ""))
				done <- w.Code
			}()
		}
		synctest.Wait()
		if held, _ := memory.Held(); held > 8<<20 {
			t.Errorf("one user holds %d bytes", held)
		}
		f.send(t, request("GET", api+"/me", ""), 200, "")
		f.send(t, request("POST", api+"/problems?dryRun=true", `{"title":"`+strings.Repeat("x", 500)+`"}`), 201, "")
		f.send(t, request("POST", api+"/problems/12/comments", strings.Repeat("x", 900<<10), "Content-Type", "text/plain"), 503, fault.Unavailable)
		time.Sleep(time.Minute)
		close(read)
		answers := map[int]int{}
		for range readers {
			answers[<-done]++
		}
		if answers[200] < 4 || answers[200]+answers[503] != readers || answers[503] == 0 {
			t.Errorf("the answers: %v", answers)
		}
		if held, waiting := memory.Held(); held != 0 || waiting != 0 {
			t.Errorf("%d bytes are held in the end, and %d wait", held, waiting)
		}
	})
}

// Bodies take memory as they arrive, and give it back.
func TestMemoryOfBodies(t *testing.T) {
	t.Parallel()
	memory := budget.New(16 << 20)
	f := setup(t, func(o *Options) { o.Memory = memory })
	body := strings.Repeat("x", 700<<10)
	for _, chunked := range []bool{false, true} {
		r := request("POST", api+"/problems/12/comments?dryRun=true", body, "Content-Type", "text/plain")
		if chunked {
			r.ContentLength, r.Body = -1, io.NopCloser(strings.NewReader(body))
		}
		var most int64
		f.during = func() { most, _ = memory.Held() }
		f.send(t, r, 201, "")
		if most < 4*700<<10 || most > 8<<20 {
			t.Errorf("a body of %d bytes takes %d", len(body), most)
		}
	}
	if held, _ := memory.Held(); held != 0 {
		t.Errorf("%d bytes are held in the end", held)
	}
	f.snapshot.Size = snapshot.Small // and no more
	f.send(t, request("GET", api+"/problems/12", ""), 200, "")
}

// committing is a store with a function to call at each Commit.
type committing struct {
	*fixedStore
	during func()
}

func (c committing) Commit(ctx context.Context, change store.Change) (store.Receipt, error) {
	c.during()
	return c.fixedStore.Commit(ctx, change)
}

// The memory of a body is held until its content is stored.
func TestMemoryOfBodiesUntilTheyAreStored(t *testing.T) {
	t.Parallel()
	memory := budget.New(16 << 20)
	var held int64
	f := setup(t, func(o *Options) {
		o.Memory = memory
		o.Service = usecases.New(tracker.Options{Store: committing{newFixedStore(), func() { held, _ = memory.Held() }}, Now: o.Now, Random: zeros{}, Limits: tracker.DefaultLimits()}, nil)
	})
	body := strings.Repeat("x", 700<<10)
	for _, key := range []string{"", "k1"} {
		f.send(t, request("POST", api+"/problems/12/comments", body, "Content-Type", "text/plain", "Idempotency-Key", key), 201, "")
		if held < 4*700<<10 {
			t.Errorf("key %q: %d bytes are held when the body is stored", key, held)
		}
	}
	if held, _ := memory.Held(); held != 0 {
		t.Errorf("%d bytes are held in the end", held)
	}
}

// No more than some requests read large bodies at a time; small ones pass by.
func TestHeavyRequests(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var s *server
		setup(t, func(o *Options) {
			o.Observe, o.Limits.RequestTime = nil, time.Minute
			s = &server{Options: *o, rates: httpframe.NewRateLimits("token", 0, 0, o.TrustedProxies, o.Now), large: httpframe.NewSemaphore()}
		})
		hold, done := make(chan struct{}), make(chan int)
		op := &huma.Operation{Method: http.MethodPost, Metadata: notes{detailsKey: &details{scope: access.Read, bodies: []body{{media: mediaText}}}}}
		handler := s.wrap(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			s.serve(humago.NewContext(op, r, w), func(ctx huma.Context) {
				if len(callOf(ctx.Context()).body) > 1 {
					<-hold // before the body is decoded
				}
				ctx.SetStatus(http.StatusOK)
			})
		}))
		send := func(length int) int {
			w := httptest.NewRecorder()
			handler.ServeHTTP(w, request("POST", api, strings.Repeat("x", length)))
			return w.Code
		}
		for range cap(s.large) + 1 {
			go func() { done <- send(httpframe.LargeBody + 1) }()
		}
		synctest.Wait()
		if code := send(1); code != 200 {
			t.Errorf("a small one: %d", code)
		}
		if code := <-done; code != 503 { // after a while
			t.Errorf("one more than there are places for: %d", code)
		}
		close(hold)
		for range cap(s.large) {
			if code := <-done; code != 200 {
				t.Errorf("one that had a place: %d", code)
			}
		}
	})
}

// A large body takes its place only until it is decoded, and not while its operation
// waits for the store.
func TestDecodedBodiesLeavePlaceToOthers(t *testing.T) {
	search := func() *http.Request {
		return request("POST", api+"/problems/search", `{"predicate":"TRUEPREDICATE"`+strings.Repeat(" ", httpframe.LargeBody)+`}`)
	}
	comment := func() *http.Request {
		return request("POST", api+"/problems/12/comments?dryRun=true", strings.Repeat("x", httpframe.LargeBody+1), "Content-Type", "text/plain")
	}
	for name, c := range map[string]struct {
		waits, other func() *http.Request
		block        func(f *fixture, wait func()) // waits
		status       int                           // of waits
	}{
		"a search":          {search, comment, func(f *fixture, wait func()) { f.searched = func(context.Context, store.Query) { wait() } }, 200},
		"a comment as text": {comment, search, func(f *fixture, wait func()) { f.during = wait }, 201},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := setup(t, func(o *Options) { o.Observe, o.Limits.RequestTime = nil, time.Minute })
				hold, done := make(chan struct{}), make(chan int)
				c.block(f, func() { <-hold })
				places := cap(httpframe.NewSemaphore())
				for range places {
					go func() { done <- f.do(c.waits()).Code }()
				}
				synctest.Wait()
				if code := f.do(c.other()).Code; code == 503 {
					t.Error("another large body has no place")
				}
				close(hold)
				for range places {
					if code := <-done; code != c.status {
						t.Errorf("one that waited: %d, not %d", code, c.status)
					}
				}
			})
		})
	}
}

// Who has gone waits for no memory, and holds none.
func TestMemoryOfClientsThatHaveGone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		memory := budget.New(16 << 20)
		other := memory.Open(nil)
		other.Add(16 << 20)
		f := setup(t, func(o *Options) { o.Memory, o.Observe, o.Limits.RequestTime = memory, nil, time.Minute })
		f.enlarge(true)
		connection, hangUp := context.WithCancel(t.Context())
		done := make(chan time.Duration)
		began := time.Now()
		for _, path := range []string{"/problems/12", "/problems/12/comments", "/problems/12?asOf=3"} {
			go func() {
				f.do(request("GET", api+path, "").WithContext(connection))
				done <- time.Since(began)
			}()
		}
		synctest.Wait()
		if _, waiting := memory.Held(); waiting == 0 {
			t.Error("nobody waits")
		}
		hangUp()
		for range 3 {
			if took := <-done; took > 0 {
				t.Errorf("a client that had gone was waited for %v", took)
			}
		}
		other.Close()
		if held, waiting := memory.Held(); held != 0 || waiting != 0 {
			t.Errorf("%d bytes are held in the end, and %d wait", held, waiting)
		}
	})
}
