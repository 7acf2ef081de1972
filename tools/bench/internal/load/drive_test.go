package load

import (
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// fakeServer is a server that answers as the service does, and remembers what it was
// asked.
type fakeServer struct {
	*httptest.Server
	mu    sync.Mutex
	asked []string // method, path and body
	fail  func(n int, r *http.Request) int
}

func newFakeServer(t *testing.T) *fakeServer {
	s := &fakeServer{}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		s.asked = append(s.asked, r.Method+" "+r.URL.Path+" "+string(body))
		if s.fail != nil {
			if status := s.fail(len(s.asked), r); status == 0 {
				panic(http.ErrAbortHandler)
			} else if status > 0 {
				http.Error(w, "on purpose", status)
				return
			}
		}
		if r.URL.Path == "/sign-in" {
			http.SetCookie(w, &http.Cookie{Name: "session", Value: "key", Path: "/"})
			http.Redirect(w, r, "/problems", http.StatusSeeOther)
			return
		}
		if r.Method == "POST" || strings.HasSuffix(r.URL.Path, "/relationships") {
			w.WriteHeader(http.StatusCreated)
		}
		fmt.Fprintf(w, `{"identifier":%d}`, 1000+len(s.asked))
	}))
	t.Cleanup(s.Close)
	return s
}

func (s *fakeServer) run(m Mix, connections int) Run {
	return Run{Contender: Contender{Name: "a fake", URL: s.URL}, Scene: testScene(), Mix: m, Connections: connections, Duration: 50 * time.Millisecond}
}

func testScene() *Scene {
	s := NewScene(100, slices.Repeat([]string{"a token"}, 100))
	s.Tens = []int64{101, 102}
	s.hundreds = []int64{103}
	return s
}

func named(t *testing.T, name string) Mix {
	t.Helper()
	found, err := ChooseMixes(name)
	if err != nil {
		t.Fatal(err)
	}
	return found[0]
}

func TestEveryMixIsAnswered(t *testing.T) {
	t.Parallel()
	for _, m := range mixes {
		if m.Next == nil {
			continue
		}
		server := newFakeServer(t)
		o, err := server.run(m, 3).Drive(t.Context())
		if err != nil || o.Requests == 0 || len(o.Latencies) != o.Requests || len(o.Failures) > 0 {
			t.Errorf("%s: %d requests, %d latencies, %v, %v", m.Name, o.Requests, len(o.Latencies), o.Failures, err)
		}
		if o.Seconds < .05 || o.Seconds > patience.Seconds() {
			t.Errorf("%s has taken %v s", m.Name, o.Seconds)
		}
	}
}

// A request that is not answered as it has to be is counted by what it was, and the
// others go on.
func TestFailuresAreCounted(t *testing.T) {
	t.Parallel()
	server := newFakeServer(t)
	server.fail = func(n int, _ *http.Request) int {
		switch n {
		case 2, 3:
			return http.StatusTeapot
		case 4:
			return 0 // the connection is cut
		default:
			return -1
		}
	}
	o, err := server.run(named(t, "load"), 1).Drive(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if len(o.Failures) != 2 || o.Failures[0].Kind != "GET: 418" || o.Failures[0].Count != 2 || !strings.Contains(o.Failures[0].First, "418 on purpose") ||
		o.Failures[1].Kind != "GET: no answer" || o.Failures[1].Count != 1 {
		t.Errorf("the failures are %+v", o.Failures)
	}
	server.mu.Lock()
	defer server.mu.Unlock()
	if o.Requests != len(server.asked)-3 {
		t.Errorf("%d requests of %d count as answered; want all but 3", o.Requests, len(server.asked))
	}
}

func TestServerThatIsGone(t *testing.T) {
	t.Parallel()
	server := newFakeServer(t)
	server.fail = func(int, *http.Request) int {
		server.Listener.Close()
		return 0
	}
	if _, err := server.run(named(t, "load"), 1).Drive(t.Context()); err == nil {
		t.Error("a server that is gone is no error")
	}
}

func TestMixedDay(t *testing.T) {
	t.Parallel()
	server := newFakeServer(t)
	w, err := newWorker(Contender{URL: server.URL}, testScene(), 0, 1, 1, time.Now().Add(patience))
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	const all = 4000
	for range all {
		if err := mixedDay(w); err != nil {
			t.Fatal(err)
		}
	}
	reads := 0
	for _, asked := range server.asked {
		if strings.HasPrefix(asked, "GET ") {
			reads++
		}
	}
	if share := float64(reads) / all; share < .78 || share > .82 {
		t.Errorf("%v of the requests read; want 0.8", share)
	}
}

// Workers never patch the same problem, and each patch changes the state.
func TestOwnProblems(t *testing.T) {
	t.Parallel()
	const workers = 7
	s := testScene()
	owners := make([]int, s.problems+1)
	for n := range workers {
		w := &worker{scene: s, n: n, of: workers, Rand: rand.New(rand.NewPCG(1, uint64(n)))}
		for range 2000 {
			id := w.own()
			if owners[id] != 0 && owners[id] != n+1 {
				t.Fatalf("problem %d is drawn by two workers", id)
			}
			owners[id] = n + 1
		}
	}
	if never := slices.Index(owners[1:], 0); never >= 0 {
		t.Errorf("problem %d is never drawn", never+1)
	}
}

func TestStatesAreChanged(t *testing.T) {
	t.Parallel()
	server := newFakeServer(t)
	r := server.run(named(t, "state"), 2)
	before := slices.Clone(r.Scene.closed)
	if _, err := r.Drive(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, asked := range server.asked {
		var id int
		if _, err := fmt.Sscanf(asked, "PATCH "+API+"/problems/%d", &id); err != nil {
			t.Fatal(asked)
		}
		if want := map[bool]string{true: "Open", false: "Closed"}[before[id]]; !strings.Contains(asked, want) {
			t.Fatalf("%s; want the state %s", asked, want)
		}
		before[id] = !before[id]
	}
}

func TestTargetsOfComments(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]int{"one": 1, "many": 5} {
		server := newFakeServer(t)
		if _, err := server.run(named(t, name), 5).Drive(t.Context()); err != nil {
			t.Fatal(err)
		}
		on := map[string]bool{}
		for _, asked := range server.asked {
			if path := strings.Fields(asked)[1]; strings.HasSuffix(path, "/comments") {
				on[path] = true
			}
		}
		if len(on) != want {
			t.Errorf("%s: comments on %d problems; want %d", name, len(on), want)
		}
	}
}
