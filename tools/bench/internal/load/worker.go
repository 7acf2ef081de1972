package load

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/problemtracking/problems/conformance/dataset"
	"github.com/problemtracking/problems/domain/problem"
)

// Scene has the targets and the callers of requests.
type Scene struct {
	problems int64    // of the data set: they are numbered from 1
	tokens   []string // of the users of the data set
	Tens     []int64  // problems with exactly ten log entries
	targets  []int64  // problems for comments, made by the mix
	hundreds []int64  // problems with exactly a hundred log entries
	// closed says of each problem of the data set, by its number, whether it is closed. A
	// remainder belongs to one worker.
	closed []bool
	values atomic.Int64 // the number of values so far: each is a new one
}

// NewScene returns the scene of a data set as it was made.
func NewScene(problems int64, tokens []string) *Scene {
	s := &Scene{problems: problems, tokens: tokens, closed: make([]bool, problems+1)}
	for id := int64(1); id <= problems; id++ {
		s.closed[id] = !dataset.Open(problem.ID(id))
	}
	return s
}

// worker is one of the connections to a server at a time.
type worker struct {
	*conn
	*rand.Rand
	contender Contender
	scene     *Scene
	n, of     int // its number, and the number of workers
	deadline  time.Time
	path      []byte // of the latest request
	text      []byte // its body
}

// newWorker connects a worker. Workers of the same numbers and seed draw the same.
func newWorker(c Contender, s *Scene, n, of int, seed uint64, deadline time.Time) (*worker, error) {
	w := &worker{contender: c, scene: s, n: n, of: of, deadline: deadline, Rand: rand.New(rand.NewPCG(seed, uint64(n)))}
	return w, w.connect()
}

// connect makes a new connection in place of the old one.
func (w *worker) connect() error {
	w.Close()
	c, err := dial(w.contender.URL, w.deadline)
	if err != nil {
		return fmt.Errorf("%s: %w", w.contender.Name, err)
	}
	w.conn = c
	return nil
}

// Close ends the connection, if there is one.
func (w *worker) Close() {
	if w.conn != nil {
		_ = w.conn.Close() // nothing is left to be written
		w.conn = nil
	}
}

// failure is a request with a wrong answer.
type failure struct {
	kind string // the same for all failures of a kind
	text string // the description of this one
	cut  bool   // the connection is of no use any more
}

func (f *failure) Error() string { return f.text }

// The types of bodies.
const (
	asJSON = "application/json"
	asText = "text/plain"
	asForm = "application/x-www-form-urlencoded"
)

// to sets the path, below the API's.
func (w *worker) to(format string, args ...any) {
	w.path = fmt.Appendf(append(w.path[:0], API...), format, args...)
}

// API is the base of all requests.
const API = "/api/20151105"

// ask sends a request to the path, on behalf of a user drawn like the owners of problems.
// It fails unless the status is one of those wanted.
func (w *worker) ask(method, contentType string, body []byte, wanted ...int) error {
	return w.askAs(w.scene.tokens[dataset.Owner(w.Rand)], method, contentType, body, wanted...)
}

// askAs is ask on behalf of the user with the token.
func (w *worker) askAs(token, method, contentType string, body []byte, wanted ...int) error {
	status, err := w.send(method, w.path, token, contentType, body)
	if err != nil {
		return &failure{kind: method + ": no answer", text: fmt.Sprintf("%s %s: %v", method, w.path, err), cut: true}
	}
	if !slices.Contains(wanted, status) {
		const enough = 300
		text := strings.ToValidUTF8(string(w.body[:min(len(w.body), enough)]), "")
		return &failure{kind: fmt.Sprint(method, ": ", status), text: fmt.Sprintf("%s %s %s: %d %s", method, w.path, body, status, text)}
	}
	return nil
}

// any returns a problem of the data set.
func (w *worker) any() int64 { return 1 + w.Int64N(w.scene.problems) }

// own returns a problem of the data set for this worker alone.
func (w *worker) own() int64 {
	first := int64(w.n) + 1
	return first + int64(w.of)*w.Int64N((w.scene.problems-first)/int64(w.of)+1)
}
