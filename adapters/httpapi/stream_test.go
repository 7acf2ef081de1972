package httpapi

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/problemtracking/problems/adapters/httpapi/internal/samples"
	"github.com/problemtracking/problems/adapters/httpapi/internal/wire"
	"github.com/problemtracking/problems/domain/access"
	"github.com/problemtracking/problems/domain/budget"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/store"
)

// manyHits has the store find the sample so often.
func (f *fixture) manyHits(n int) {
	for range n {
		f.hits = append(f.hits, store.Hit{ID: 12})
	}
}

// parts notes what is written at once.
type parts struct {
	*httptest.ResponseRecorder
	sizes []int
}

func (p *parts) Write(b []byte) (int, error) {
	p.sizes = append(p.sizes, len(b))
	return p.ResponseRecorder.Write(b)
}

// A long result is sent batch by batch.
func TestSearchStreams(t *testing.T) {
	t.Parallel()
	f := setup(t)
	f.manyHits(1050)
	r := request("GET", api+"/problems/search?predicate=TRUEPREDICATE", "")
	w := &parts{ResponseRecorder: httptest.NewRecorder()}
	f.ServeHTTP(w, r)
	var all []wire.FoundProblem
	if err := json.Unmarshal(w.Body.Bytes(), &all); err != nil || len(all) != 1050 || !strings.HasSuffix(w.Body.String(), "]\n") {
		t.Fatalf("%d problems, %v", len(all), err)
	}
	if slices.Max(w.sizes) > w.Body.Len()/10 || !w.Flushed {
		t.Errorf("written in parts of %v, flushed %t", w.sizes, w.Flushed)
	}
	header(t, w.ResponseRecorder, map[string]string{"Content-Type": mediaJSON, "Content-Length": ""})
	head := f.do(request("HEAD", r.URL.String(), ""))
	if fmt.Sprint(head.Header()) != fmt.Sprint(w.Header()) || head.Code != 200 || head.Body.Len() > 0 {
		t.Errorf("HEAD has %v and a body of %d bytes", head.Header(), head.Body.Len())
	}
}

// So is a long list of objects.
func TestSearchStreamsObjects(t *testing.T) {
	t.Parallel()
	f := setup(t)
	content := hugeCatalogue().Content()
	f.catalogue = metadata.NewCatalogue(ident.Version{Number: 16}, metadata.Content{Users: slices.Clone(content.Users[:3500])})
	w := &parts{ResponseRecorder: httptest.NewRecorder()}
	f.ServeHTTP(w, request("GET", api+"/users/search?predicate=TRUEPREDICATE&sort=-identifier", ""))
	var all []wire.User
	if err := json.Unmarshal(w.Body.Bytes(), &all); err != nil || len(all) != 3500 || len(w.sizes) < 4 {
		t.Fatalf("%d users, written in parts of %v, %v", len(all), w.sizes, err)
	}
	if !slices.IsSortedFunc(all, func(a, b wire.User) int { return strings.Compare(b.Identifier, a.Identifier) }) {
		t.Error("out of order")
	}
}

// D31: the array is never closed over a gap.
func TestSearchFailsOnItsWay(t *testing.T) {
	t.Parallel()
	f := setup(t)
	f.manyHits(300)
	loaded := 0
	f.during = func() {
		if loaded++; loaded == 150 {
			f.err = fault.New(fault.Internal, "the disk is gone")
		}
	}
	server := httptest.NewServer(f)
	defer server.Close()
	r := request("GET", server.URL+api+"/problems/search?predicate=TRUEPREDICATE", "")
	r.RequestURI = ""
	answer, err := server.Client().Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != io.ErrUnexpectedEOF || answer.StatusCode != 200 || json.Valid(body) {
		t.Errorf("status %d, %d bytes, %v", answer.StatusCode, len(body), err)
	}
	server.Close() // and the handler has ended
	if !strings.Contains(f.log.String(), "the disk is gone") {
		t.Errorf("the log does not say why: %s", f.log)
	}
}

// A client that goes away stops the query.
func TestSearchEndsWithItsClient(t *testing.T) {
	t.Parallel()
	for _, method := range []string{"GET", "POST"} {
		f := setup(t)
		searching, ended := make(chan struct{}), make(chan error, 1)
		f.searched = func(ctx context.Context, _ store.Query) {
			close(searching)
			select {
			case <-ctx.Done():
			case <-time.After(time.Minute):
			}
			ended <- context.Cause(ctx)
		}
		server := httptest.NewServer(f)
		ctx, leave := context.WithCancel(t.Context())
		r := request(method, server.URL+api+"/problems/search", `{"predicate":"TRUEPREDICATE"}`).WithContext(ctx)
		if r.RequestURI = ""; method == "GET" {
			r.URL.RawQuery = "predicate=TRUEPREDICATE"
			r.Body, r.ContentLength = nil, 0
		}
		go func() {
			<-searching
			leave()
		}()
		if answer, err := server.Client().Do(r); err == nil {
			t.Errorf("%s: answered with %d", method, answer.StatusCode)
			answer.Body.Close()
		}
		if err := <-ended; err != errGone {
			t.Errorf("%s: the search ended with %v", method, err)
		}
		server.Close()
		// Nobody was told anything, and it is nobody's fault.
		if len(f.exchanges) != 1 || f.exchanges[0].Status != 0 || f.log.Len() > 0 {
			t.Errorf("%s: observed %+v, logged %s", method, f.exchanges, f.log)
		}
	}
}

// To net/http, a client that has sent all it will has left. It waits for the answer of
// a write, which happens anyway; but not for that of a search.
func TestWritesOutlastTheConnection(t *testing.T) {
	t.Parallel()
	f := setup(t)
	closed, end := context.WithCancel(t.Context())
	end()
	f.send(t, request("POST", api+"/problems", `{"title":"a"}`).WithContext(closed), 201, "")
	f.send(t, request("GET", api+"/problems/12", "").WithContext(closed), 200, "")
	defer func() {
		if v := recover(); v != http.ErrAbortHandler {
			t.Errorf("the search ends with %v", v)
		}
	}()
	f.do(request("GET", api+"/problems/search?predicate=TRUEPREDICATE", "").WithContext(closed))
	t.Error("the search is answered")
}

// After a stored write there is no fault.Unavailable (D18): its answer waits for no memory.
func TestLargeAnswerOfAWriteNeedsNoFreeMemory(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		memory := budget.New(16 << 20)
		other := memory.Open(nil)
		f := setup(t, func(o *Options) { o.Memory, o.Observe, o.Limits.RequestTime = memory, nil, time.Minute })
		f.enlarge(true)
		f.snapshot.Keywords = f.snapshot.Keywords[:1]
		f.snapshot.Size = 100 << 10
		other.Add(16<<20 - 500<<10) // enough for the problem, too little for the answer
		f.send(t, request("PATCH", api+"/problems/12", `{"title":"Another"}`), 200, "")
		if len(f.changes) != 1 {
			t.Errorf("%d changes are stored", len(f.changes))
		}
		f.send(t, request("GET", api+"/problems/12", ""), 503, fault.Unavailable)
		other.Close()
		if held, waiting := memory.Held(); held != 0 || waiting != 0 {
			t.Errorf("%d bytes are held in the end, and %d wait", held, waiting)
		}
	})
}

// One user's answers that wait for memory leave the places for encoding to others.
func TestWaitsForMemoryLeaveTheEncodingToOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		searches := cap(newEncoding())
		share := int64(searches) * 8 << 20
		memory := budget.New(2 * share)
		f := setup(t, func(o *Options) { o.Memory, o.Observe, o.Limits.RequestTime = memory, nil, time.Minute })
		f.manyHits(3)
		f.enlarge(true)
		f.tokens = append(f.tokens, access.Token{ID: samples.Identifier(104), User: samples.Bob.ID, Scope: access.Read, Digest: secretOf("bob").Digest(), Created: samples.Time})
		other := memory.Open(nil)
		other.For(samples.Ann.ID)
		other.Add(share - int64(searches)*(perStream+32<<10)) // enough is left to begin the answers
		ended := make(chan any)
		for range searches {
			go func() {
				defer func() { ended <- recover() }()
				f.do(request("GET", api+"/problems?includeDetail=true", ""))
			}()
		}
		synctest.Wait()
		if _, waiting := memory.Held(); waiting != searches {
			t.Errorf("%d wait for memory, not %d", waiting, searches)
		}
		began := time.Now()
		f.send(t, request("GET", api+"/problems/12", "", "Authorization", secretOf("bob").Reveal()), 200, "")
		if took := time.Since(began); took > 0 {
			t.Errorf("another user's answer took %v", took)
		}
		other.Close()
		for range searches {
			if cause := <-ended; cause != nil {
				t.Errorf("a search ended with %v", cause)
			}
		}
	})
}

// Who has gone waits for no place among the encoded answers.
func TestEncodingOfClientsThatHaveGone(t *testing.T) {
	t.Parallel()
	places := make(encoding, 1)
	if !places.take(nil) {
		t.Fatal("a free place is refused")
	}
	gone := make(chan struct{})
	close(gone)
	if places.take(gone) {
		t.Error("a place is taken twice")
	}
	if places.leave(); !places.take(gone) {
		t.Error("a free place is refused to a client that may have closed only its own side")
	}
}
