package serve

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/fx"
	"go.uber.org/fx/fxtest"

	"github.com/problemtracking/problems/adapters/memory"
	"github.com/problemtracking/problems/app/internal/config"
	"github.com/problemtracking/problems/domain/access"
	"github.com/problemtracking/problems/domain/event"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/store"
)

var errAway = fmt.Errorf("postgres: %w", fault.New(fault.Unavailable, "connection refused"))

// later is an opener of a store in memory that first fails with some errors. Once they
// are used up, it waits until it may go on.
type later struct {
	errs  []error
	may   chan struct{} // nil: at once
	tries atomic.Int32
	store store.Store // nil: a new one
}

func (l *later) open(ctx context.Context) (store.Store, error) {
	if try := int(l.tries.Add(1)); try <= len(l.errs) {
		return nil, l.errs[try-1]
	}
	if l.may != nil {
		select {
		case <-l.may:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	if l.store != nil {
		return l.store, nil
	}
	return memory.Open(ctx, memory.Options{})
}

// The pause between tries is bounded, the errors are told, and one that waiting does
// not mend ends it.
func TestHandleWaits(t *testing.T) {
	t.Parallel()
	wrong := errors.New("wrong password")
	for _, c := range []struct {
		name  string
		errs  []error
		waits bool
		start error // of the start
		wait  error // of the wait
		after time.Duration
		told  int
	}{
		{"there", nil, true, nil, nil, 0, 0},
		{"away for a while", []error{errAway, errAway, errAway}, true, nil, nil, 3 * nextTry, 3},
		{"wrong from the start", []error{wrong}, true, wrong, nil, 0, 0},
		{"wrong once it is back", []error{errAway, wrong}, true, nil, wrong, nextTry, 1},
		{"a store that is not waited for", []error{errAway}, false, errAway, nil, 0, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				lc := fxtest.NewLifecycle(t)
				h := newHandle(lc, starting{t.Context()}, c.waits, (&later{errs: c.errs}).open)
				began := time.Now()
				if err := lc.Start(t.Context()); !errors.Is(err, c.start) {
					t.Fatalf("the start ends with %v, want %v", err, c.start)
				}
				if c.start != nil {
					return
				}
				if !h.isOpen() {
					if _, err := h.Versions(t.Context()); !fault.Is(err, fault.Unavailable) {
						t.Errorf("before the store is there, a call ends with %v", err)
					}
					told := 0
					if err := h.wait(func(err error) { told++ }); !errors.Is(err, c.wait) || told != c.told {
						t.Errorf("the wait ends with %v and has told %d errors; want %v and %d", err, told, c.wait, c.told)
					}
				}
				if after := time.Since(began); after != c.after || h.isOpen() != (c.wait == nil) {
					t.Errorf("it took %s; want %s", after, c.after)
				}
				if err := lc.Stop(t.Context()); err != nil {
					t.Error(err)
				}
			})
		})
	}
}

// A store that is silent does not keep the start for long, and one that opens at last
// is used.
func TestHandleOfSilentStore(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		lc := fxtest.NewLifecycle(t)
		slow := &later{may: make(chan struct{})}
		h := newHandle(lc, starting{t.Context()}, true, slow.open)
		began := time.Now()
		if err := lc.Start(t.Context()); err != nil || time.Since(began) != firstTry || h.isOpen() {
			t.Fatalf("the start ends with %v after %s", err, time.Since(began))
		}
		time.AfterFunc(time.Minute, func() { close(slow.may) })
		told := ""
		if err := h.wait(func(err error) { told += err.Error() }); err != nil || !h.isOpen() || told != "no answer within 3s" {
			t.Errorf("the wait ends with %v, and has told %q", err, told)
		}
		if err := lc.Stop(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

// buffer can be read while a service writes to it.
type buffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (b *buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

func (b *buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}

// waiting is a service whose store is opened by a test.
type waiting struct {
	t              *testing.T
	stdout, stderr buffer
	end            context.CancelFunc
	ended          chan error
}

func startOn(t *testing.T, open opener, change ...func(*Options)) *waiting {
	t.Helper()
	ctx, end := context.WithCancel(t.Context())
	s := &waiting{t: t, end: end, ended: make(chan error, 1)}
	settings := config.Settings{
		Limits:   config.Limits{Memory: 512 << 20, MaxProblem: 64 << 20, MaxBody: 1 << 20, MaxHeaders: 32 << 10, MaxDepth: 32},
		Timeouts: config.Timeouts{RequestTimeout: 30 * time.Second, HeaderTimeout: 10 * time.Second, ReadTimeout: 30 * time.Second, WriteTimeout: time.Minute, IdleTimeout: time.Minute, ShutdownTimeout: 10 * time.Second},
	}
	settings.Server.Listen = "127.0.0.1:0"
	settings.Storage.Store = builtIn(t, "postgres://ann:hunter2@db.example/x")
	o := Options{
		Settings: settings, Version: "v1", Program: "problems", Stdout: &s.stdout, Stderr: &s.stderr,
		Now: time.Now, Random: rand.Reader, NewRequestID: rand.Text,
	}
	for _, c := range change {
		c(&o)
	}
	module := fx.Options(fx.Supply(searches(0)), fx.Provide(func(lc fx.Lifecycle, start starting) *handle {
		return newHandle(lc, start, true, open)
	}))
	go func() { s.ended <- run(ctx, o, module) }()
	t.Cleanup(s.end)
	return s
}

// printed waits for lines on standard output.
func (s *waiting) printed(count int) []string {
	s.t.Helper()
	for limit := time.Now().Add(30 * time.Second); ; time.Sleep(5 * time.Millisecond) {
		switch lines := strings.Split(strings.TrimSuffix(s.stdout.String(), "\n"), "\n"); {
		case len(lines) >= count && lines[0] != "":
			return lines
		case time.Now().After(limit):
			s.t.Fatalf("printed is %q\n%s", s.stdout.String(), s.stderr.String())
		}
	}
}

func (s *waiting) get(path, token string) (int, string) {
	s.t.Helper()
	return s.do(http.MethodGet, path, token, "")
}

func (s *waiting) do(method, path, token, body string) (int, string) {
	s.t.Helper()
	url := strings.TrimPrefix(s.printed(1)[0], "listening on ")
	request, err := http.NewRequestWithContext(s.t.Context(), method, url+path, strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	request.Header.Set("Authorization", token)
	request.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		s.t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	answer, err := io.ReadAll(response.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return response.StatusCode, string(answer)
}

// result waits until the service has ended.
func (s *waiting) result() error {
	s.t.Helper()
	select {
	case err := <-s.ended:
		return err
	case <-time.After(30 * time.Second):
		s.t.Fatalf("the service does not end\n%s", s.stderr.String())
		return nil
	}
}

// count returns how many lines of the log have a text.
func (s *waiting) count(text string) int { return strings.Count(s.stderr.String(), text) }

func TestServeWaitsForItsStore(t *testing.T) {
	t.Parallel()
	l := &later{errs: []error{errAway, errAway}, may: make(chan struct{})}
	s := startOn(t, l.open)
	for path, want := range map[string]int{"/healthz": 200, "/readyz": 503, "/openapi.json": 200, "/api/20151105/nowhere": 404} {
		if code, body := s.get(path, ""); code != want {
			t.Errorf("%s while the store is away: %d %s", path, code, body)
		}
	}
	for l.tries.Load() < 3 {
		time.Sleep(5 * time.Millisecond)
	}
	if lines := s.printed(1); len(lines) != 1 {
		t.Errorf("printed is %q", lines)
	}
	close(l.may)
	token := s.printed(2)[1]
	if code, body := s.get("/api/20151105/me", token); code != 200 {
		t.Errorf("once the store is there: %d %s", code, body)
	}
	if code, _ := s.get("/readyz", ""); code != 200 {
		t.Errorf("/readyz is %d", code)
	}
	s.end()
	if err := s.result(); err != nil {
		t.Errorf("the service ends with %v", err)
	}
	if s.count("the store is away: the service waits for it") != 1 || s.count(`"store":"postgres://ann:xxxxx@db.example/x"`) < 1 || s.count(`"msg":"the store is back"`) != 1 || s.count("hunter2") > 0 {
		t.Errorf("the log is\n%s", s.stderr.String())
	}
	if s.count(`"status":503`) > 0 || s.count(`"msg":"unavailable"`) > 0 {
		t.Errorf("the log has lines of single requests\n%s", s.stderr.String())
	}
}

// reluctant is a store whose Commit waits.
type reluctant struct {
	store.Store
	may chan struct{}
}

func (s *reluctant) Commit(ctx context.Context, change store.Change) (store.Receipt, error) {
	select {
	case <-s.may:
	case <-ctx.Done():
		return store.Receipt{}, ctx.Err()
	}
	return s.Store.Commit(ctx, change)
}

// A store without its seed would refuse the first token.
func TestNobodyUsesAStoreBeforeItsSeed(t *testing.T) {
	t.Parallel()
	inMemory, err := memory.Open(t.Context(), memory.Options{})
	if err != nil {
		t.Fatal(err)
	}
	wrong := access.NewSecret([32]byte{1}).Reveal()
	slow := &reluctant{Store: inMemory, may: make(chan struct{})}
	l := &later{errs: []error{errAway}, store: slow}
	s := startOn(t, l.open)
	for l.tries.Load() < 2 {
		time.Sleep(5 * time.Millisecond)
	}
	for range 20 {
		for _, path := range []string{"/readyz", "/api/20151105/me"} {
			if code, body := s.get(path, wrong); code != 503 {
				t.Fatalf("%s before the seed: %d %s", path, code, body)
			}
		}
		time.Sleep(5 * time.Millisecond)
	}
	close(slow.may)
	token := s.printed(2)[1]
	if code, body := s.get("/api/20151105/me", token); code != 200 {
		t.Errorf("after the seed: %d %s", code, body)
	}
	if code, body := s.get("/api/20151105/me", wrong); code != 401 {
		t.Errorf("a wrong token after the seed: %d %s", code, body)
	}
}

func TestServeIsToldToEndWhileItWaits(t *testing.T) {
	t.Parallel()
	for name, l := range map[string]*later{
		"between two tries": {errs: []error{errAway, errAway, errAway, errAway, errAway, errAway, errAway}},
		"within one":        {errs: []error{errAway}, may: make(chan struct{})},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := startOn(t, l.open)
			s.printed(1)
			for l.may != nil && l.tries.Load() < 2 {
				time.Sleep(5 * time.Millisecond)
			}
			s.end()
			if err := s.result(); err != nil || s.count(`"msg":"stopped"`) != 1 {
				t.Errorf("the service ends with %v\n%s", err, s.stderr.String())
			}
		})
	}
}

func TestServeEndsWithWhatWaitingDoesNotMend(t *testing.T) {
	t.Parallel()
	wrong := errors.New("the database refuses the password")
	s := startOn(t, (&later{errs: []error{errAway, wrong}}).open)
	if err := s.result(); !errors.Is(err, wrong) {
		t.Errorf("the service ends with %v", err)
	}
	s = startOn(t, (&later{errs: []error{wrong}}).open)
	if err := s.result(); !errors.Is(err, wrong) || s.stdout.String() != "" {
		t.Errorf("the service ends with %v, and has printed %q", err, s.stdout.String())
	}
}

// shaky is a store whose first commits are stored, or not, and whose outcomes are not
// known.
type shaky struct {
	store.Store
	stores bool
	fails  atomic.Int32
}

func (s *shaky) Commit(ctx context.Context, change store.Change) (store.Receipt, error) {
	if s.fails.Add(-1) < 0 {
		return s.Store.Commit(ctx, change)
	}
	if s.stores {
		if receipt, err := s.Store.Commit(ctx, change); err != nil {
			return receipt, err
		}
	}
	return store.Receipt{}, fault.New(fault.UnknownOutcome, "gone")
}

func (s *shaky) Outcome(context.Context, ident.ID, time.Time) (store.Receipt, bool, error) {
	return store.Receipt{}, false, fault.New(fault.Unavailable, "gone")
}

// The token that is printed works, also when the first try to store it ended without
// a word.
func TestTokenOfAnUnknownOutcome(t *testing.T) {
	t.Parallel()
	for _, stores := range []bool{true, false} {
		inMemory, err := memory.Open(t.Context(), memory.Options{})
		if err != nil {
			t.Fatal(err)
		}
		unknown := &shaky{Store: inMemory, stores: stores}
		unknown.fails.Store(1)
		s := startOn(t, (&later{store: unknown}).open)
		if code, body := s.get("/api/20151105/me", s.printed(2)[1]); code != 200 {
			t.Errorf("stored %t: the token gets %d %s", stores, code, body)
		}
		s.end()
		if err := s.result(); err != nil {
			t.Error(err)
		}
	}
}

// ordered is a store that is slow at the feed. It notes the order of the first problem and of
// the first state of e-mail.
type ordered struct {
	store.Store
	order chan string
	away  bool // at the first look at the feed
	cut   bool // off the first write of the state
}

func (s *ordered) FeedEnds(ctx context.Context) (oldest, newest event.Entry, err error) {
	if s.away {
		s.away = false
		return event.Entry{}, event.Entry{}, errAway
	}
	time.Sleep(100 * time.Millisecond)
	return s.Store.FeedEnds(ctx)
}

func (s *ordered) Commit(ctx context.Context, change store.Change) (store.Receipt, error) {
	for _, e := range change.Effects {
		switch e := e.(type) {
		case store.CreateProblem:
			s.order <- "problem"
		case store.PutLease:
			if e.Lease.Name == "mail" && s.cut {
				s.cut = false
				return store.Receipt{}, fault.New(fault.UnknownOutcome, "cut off")
			}
			if e.Lease.Name == "mail" {
				s.order <- "mail"
			}
		}
	}
	return s.Store.Commit(ctx, change)
}

// E-mail begins before the first request, so it tells of the first change, too. Until then the
// service is not ready. The token of the administrator is shown, whatever fails before.
func TestMailBeginsBeforeTheFirstRequest(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		errs      []error
		away, cut bool
	}{
		"at the start":            {},
		"after an outage":         {errs: []error{errAway}},
		"in an outage":            {away: true},
		"after a lost connection": {cut: true},
	} {
		inMemory, err := memory.Open(t.Context(), memory.Options{})
		if err != nil {
			t.Fatal(err)
		}
		of := &ordered{Store: inMemory, order: make(chan string, 100), away: c.away, cut: c.cut}
		s := startOn(t, (&later{errs: c.errs, store: of}).open, func(o *Options) {
			o.Settings.Server.PublicURL, o.Settings.Mail.MailFrom, o.Settings.Mail.MailLanguage = "https://tracker.example.org", "problems@example.org", "en"
			if err := o.Settings.Mail.MailURL.UnmarshalText([]byte("smtp://127.0.0.1:9?starttls=off")); err != nil {
				t.Fatal(err)
			}
		})
		for code := 0; code != http.StatusOK; {
			code, _ = s.get("/readyz", "")
		}
		if code, body := s.get("/api/20151105/me", access.NewSecret([32]byte{1}).Reveal()); code != http.StatusUnauthorized {
			t.Errorf("%s: once it is ready, a wrong token gets %d %s", name, code, body)
		}
		token := s.printed(2)[1]
		for code := 0; code != http.StatusCreated; {
			var body string
			if code, body = s.do(http.MethodPost, "/api/20151105/problems", token, `{"title":"The lamp is broken"}`); code != http.StatusCreated && code != http.StatusServiceUnavailable {
				t.Fatalf("%s: %d %s", name, code, body)
			}
		}
		if first := <-of.order; first != "mail" {
			t.Errorf("%s: the first %s was stored before the state of e-mail", name, first)
		}
	}
}
