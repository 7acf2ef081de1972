package simulate

import (
	"log/slog"
	"math/rand/v2"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/problemtracking/problems/adapters/httpapi"
	"github.com/problemtracking/problems/domain/store"
	"github.com/problemtracking/problems/domain/tracker"
	"github.com/problemtracking/problems/domain/tracker/usecases"
)

// askerSlot is the first slot of askers for tokens, after the slots of events.
const (
	askerSlot  = eventSlot + eventsMost
	askersMost = 30
)

// server is one process of the service, from its start until it is killed.
type server struct {
	number int
	link   *link
	shell  *shell

	mu    sync.Mutex
	crowd []*actor // the requests under way about two problems
}

// mostLinking is how many requests about two problems a server gets at a time. Of
// three, one can let both of the others go on at once, and then these could race for
// a problem: no sleep of theirs is in between.
const mostLinking = 2

// enter waits until a server can admit a request about two problems.
func (s *server) enter(a *actor) {
	for !s.admit(a) {
		a.sleep(10 * time.Millisecond)
	}
}

func (s *server) admit(a *actor) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.crowd) == mostLinking {
		return false
	}
	s.crowd = append(s.crowd, a)
	return true
}

// leave admits another request, if this one was admitted.
func (s *server) leave(a *actor) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.crowd = slices.DeleteFunc(s.crowd, func(other *actor) bool { return other == a })
}

// shell is a handler around a replaceable Service. Making a handler takes longer than a
// whole run, because of the API's description.
type shell struct {
	service *usecases.All
	now     func() time.Time
	handler http.Handler
}

// shells are the handlers not in use by a run.
var shells struct {
	sync.Mutex
	free []*shell
}

func newShell() (*shell, error) {
	shells.Lock()
	defer shells.Unlock()
	if n := len(shells.free); n > 0 {
		s := shells.free[n-1]
		shells.free = shells.free[:n-1]
		return s, nil
	}
	s := &shell{service: new(usecases.All)}
	handler, err := httpapi.New(httpapi.Options{
		Service:      s.service,
		Limits:       httpapi.DefaultLimits(),
		Logger:       slog.New(slog.DiscardHandler),
		NewRequestID: func() string { return "request" },
		Now:          func() time.Time { return s.now() },
	})
	s.handler = handler
	return s, err
}

func (s *shell) free() {
	shells.Lock()
	defer shells.Unlock()
	shells.free = append(shells.free, s)
}

// start starts a server anew: nothing is left of the one before but its clock.
func (w *world) start(number int) *server {
	shell, err := newShell()
	if err != nil {
		panic("simulate: no handler: " + err.Error())
	}
	w.started++
	s := &server{number: number, shell: shell, link: &link{
		cluster: w.cluster, server: number, messages: &w.goroutines,
		asker: newActor(askerSlot+w.started%askersMost, w.plan.Seed, 6<<40|uint64(w.started)),
	}}
	var behind store.Store = s.link
	if w.options.Wrap != nil {
		behind = w.options.Wrap(behind)
	}
	clock := &w.clocks[number]
	shell.now = func() time.Time { return time.Now().Add(time.Duration(clock.Load())) }
	var key [32]byte
	key[0], key[1], key[2] = byte(number), byte(w.started), byte(w.started>>8)
	for i := range 8 {
		key[8+i] = byte(w.plan.Seed >> (8 * i))
	}
	*shell.service = *usecases.New(tracker.Options{
		Store:  behind,
		Now:    shell.now,
		Random: &random{source: rand.NewChaCha8(key)},
		Limits: tracker.DefaultLimits(),
	}, nil)
	w.all = append(w.all, s)
	return s
}

// random is a source of randomness for several goroutines.
type random struct {
	sync.Mutex
	source *rand.ChaCha8
}

// Read implements io.Reader.
func (r *random) Read(b []byte) (int, error) {
	r.Lock()
	defer r.Unlock()
	return r.source.Read(b)
}
