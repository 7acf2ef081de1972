package load

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"
)

// fakeHooks is a server with comments and webhooks. It sends one message twice, counted from
// 1: with its identifier, or with another one.
type fakeHooks struct {
	mu       sync.Mutex
	problems int
	hooks    map[string]string // the URL and the problem of each, by its identifier
	sent     int
	again    int
	double   int
	failing  int // a comment without success
	comments int
}

func (f *fakeHooks) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	defer f.mu.Unlock()
	path := strings.TrimPrefix(r.URL.Path, API)
	switch {
	case path == "/problems":
		f.problems++
		w.WriteHeader(http.StatusCreated)
		fmt.Fprintf(w, `{"identifier":%d}`, f.problems)
	case path == "/webhooks":
		var made struct{ URL, Predicate string }
		if err := json.NewDecoder(r.Body).Decode(&made); err != nil {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		id := fmt.Sprint(len(f.hooks))
		f.hooks[id] = made.URL + " " + strings.TrimPrefix(made.Predicate, "identifier = ")
		w.WriteHeader(http.StatusCreated)
		fmt.Fprintf(w, `{"identifier":%q}`, id)
	case r.Method == http.MethodDelete:
		delete(f.hooks, strings.TrimPrefix(path, "/webhooks/"))
		w.WriteHeader(http.StatusNoContent)
	default:
		if f.comments++; f.comments == f.failing {
			w.WriteHeader(http.StatusInternalServerError)
			return
		}
		w.WriteHeader(http.StatusCreated)
		f.deliver(strings.Split(path, "/")[2])
	}
}

// deliver sends a message to each webhook of a problem, without waiting for those that hang.
func (f *fakeHooks) deliver(problem string) {
	client := http.Client{Timeout: 100 * time.Millisecond}
	post := func(url string, id int) {
		r, err := http.NewRequest(http.MethodPost, url, strings.NewReader("{}"))
		if err != nil {
			panic(err)
		}
		r.Header.Set("Webhook-Id", fmt.Sprint(id))
		if answer, err := client.Do(r); err == nil {
			answer.Body.Close()
		}
	}
	for _, hook := range f.hooks {
		url, of, _ := strings.Cut(hook, " ")
		if of != problem {
			continue
		}
		f.sent++
		post(url, f.sent)
		if f.sent == f.again {
			post(url, f.sent)
		}
		if f.sent == f.double {
			post(url, -f.sent)
		}
	}
}

func TestDelivering(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		rule     string
		hooks    *fakeHooks
		webhooks int
		hanging  bool
		want     string // part of the error
	}{
		{"each receiver has each message", &fakeHooks{}, 4, false, ""},
		{"a message that comes again counts once", &fakeHooks{again: 6}, 4, false, ""},
		{"nobody waits for those that hang", &fakeHooks{}, 6, true, ""},
		{"there is no webhook", &fakeHooks{}, 0, false, ""},
		{"one message too many", &fakeHooks{double: 6}, 4, false, "messages, of"},
	} {
		t.Run(test.rule, func(t *testing.T) {
			t.Parallel()
			test.hooks.hooks = map[string]string{}
			server := httptest.NewServer(test.hooks)
			t.Cleanup(server.Close)
			d := Delivering{Webhooks: test.webhooks, Hanging: test.hanging}
			d.Writing = Writing{Writers: Contender{Name: "a fake", URL: server.URL}, Scene: NewScene(100, make([]string, 100)), Connections: 2, Problems: 2, Rate: 50, Duration: 200 * time.Millisecond}
			done, err := d.Drive(t.Context())
			if len(test.hooks.hooks) > 0 {
				t.Errorf("%d webhooks are left", len(test.hooks.hooks))
			}
			if test.want != "" {
				if err == nil || !strings.Contains(err.Error(), test.want) {
					t.Errorf("the error is %v; want one with %q", err, test.want)
				}
				return
			}
			answering := test.webhooks
			if test.hanging {
				answering -= test.webhooks / 3
			}
			// Half of the webhooks follow each problem.
			if want := answering * done.Writes / 2; err != nil || done.Writes == 0 || done.Messages != want || len(done.Arrivals) != want {
				t.Errorf("%d writes have %d messages with %d times, want %d; %v", done.Writes, done.Messages, len(done.Arrivals), want, err)
			}
		})
	}
}

// A failed write is part of the result: nobody waits for its message.
func TestDeliveringReportsFailures(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(&fakeHooks{hooks: map[string]string{}, failing: 4})
	t.Cleanup(server.Close)
	d := Delivering{Webhooks: 2}
	d.Writing = Writing{Writers: Contender{Name: "a fake", URL: server.URL}, Scene: NewScene(100, make([]string, 100)), Connections: 2, Problems: 2, Rate: 50, Duration: 200 * time.Millisecond}
	done, err := d.Drive(t.Context())
	if err != nil || len(done.Failures) != 1 || done.Failures[0].Count != 1 {
		t.Errorf("the failures are %v; %v", done.Failures, err)
	}
}
