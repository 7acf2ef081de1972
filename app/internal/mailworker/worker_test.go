package mailworker

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/problemtracking/problems/adapters/memory"
	"github.com/problemtracking/problems/app/internal/background"
	"github.com/problemtracking/problems/domain/access"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/mail"
	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/patch"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/snapshot"
	"github.com/problemtracking/problems/domain/store"
	"github.com/problemtracking/problems/domain/tracker"
	"github.com/problemtracking/problems/domain/tracker/admin"
	"github.com/problemtracking/problems/domain/tracker/mailing"
	"github.com/problemtracking/problems/domain/tracker/usecases"
	"github.com/problemtracking/problems/domain/user"
	"github.com/problemtracking/problems/domain/webhook"
)

// world is some servers on one store, and a mail server. Time is virtual.
type world struct {
	t       *testing.T
	store   store.Store
	servers []*server
	admin   tracker.Caller
	start   time.Time
	step    atomic.Int64 // of the clocks of the servers, in nanoseconds

	mu      sync.Mutex
	answer  func(ctx context.Context, l mail.Letter) error // nil: takes everything
	arrived []sent
}

// sent is a mail at the mail server.
type sent struct {
	mail.Letter
	at time.Time
}

// server is one server. Its connection to the store can be cut.
type server struct {
	store.Store
	*usecases.All
	worker *Worker
	cut    atomic.Bool
	lost   atomic.Bool                                             // writes are lost, and nobody knows
	slow   atomic.Int64                                            // nanoseconds before each View
	log    atomic.Pointer[func(context.Context, problem.ID) error] // comes before a read of a log
	row    atomic.Int64                                            // the number of the problem that cannot be read
	writes atomic.Int64
	stop   func()
}

func (s *server) sends() bool {
	stat, _ := s.worker.Stat()
	return stat.sends
}

var errCut = fault.New(fault.Unavailable, "the store is away")

func (s *server) View(ctx context.Context, fn func(store.Reader) error) error {
	time.Sleep(time.Duration(s.slow.Load()))
	if s.cut.Load() {
		return errCut
	}
	return s.Store.View(ctx, func(r store.Reader) error { return fn(damaged{r, s}) })
}

// damaged is a reader. One problem, or the log of one, cannot be read.
type damaged struct {
	store.Reader
	*server
}

var errRow = fault.New(fault.Internal, "the row is damaged")

func (d damaged) Problem(ctx context.Context, id problem.ID, as ident.ID, parts snapshot.Parts) (snapshot.Snapshot, error) {
	if int64(id) == d.row.Load() {
		return snapshot.Snapshot{}, errRow
	}
	return d.Reader.Problem(ctx, id, as, parts)
}

func (d damaged) Problems(ctx context.Context, ids []problem.ID, as ident.ID, parts snapshot.Parts) ([]snapshot.Snapshot, error) {
	if slices.Contains(ids, problem.ID(d.row.Load())) {
		return nil, errRow
	}
	return d.Reader.Problems(ctx, ids, as, parts)
}

func (d damaged) Log(ctx context.Context, id problem.ID, skip, limit int, budget int64) ([]problem.LogEntry, error) {
	if f := d.log.Load(); f != nil {
		if err := (*f)(ctx, id); err != nil {
			return nil, err
		}
	}
	return d.Reader.Log(ctx, id, skip, limit, budget)
}

func (s *server) Commit(ctx context.Context, c store.Change) (store.Receipt, error) {
	if s.cut.Load() {
		return store.Receipt{}, errCut
	}
	if s.lost.Load() {
		return store.Receipt{}, fault.New(fault.UnknownOutcome, "the store went away during the write")
	}
	s.writes.Add(1)
	return s.Store.Commit(ctx, c)
}

func (s *server) Outcome(ctx context.Context, batch ident.ID, at time.Time) (store.Receipt, bool, error) {
	if s.lost.Load() {
		return store.Receipt{}, false, errCut
	}
	return s.Store.Outcome(ctx, batch, at)
}

// Send and Rest make the world the sender of all servers.
func (w *world) Send(ctx context.Context, l mail.Letter) error {
	w.mu.Lock()
	answer := w.answer
	w.mu.Unlock()
	if answer != nil {
		if err := answer(ctx, l); err != nil {
			return err
		}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.arrived = append(w.arrived, sent{l, time.Now()})
	return nil
}

func (*world) Rest() {}

func (w *world) answers(f func(ctx context.Context, l mail.Letter) error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.answer = f
}

// mails returns the mails since the last call, each as "person: #1 #2", sorted.
func (w *world) mails() (all []string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, l := range w.arrived {
		line := l.To.Name + ":"
		for _, s := range l.Stories {
			line += fmt.Sprintf(" #%d", s.Problem)
		}
		if l.More > 0 {
			line += fmt.Sprintf(" and %d", l.More)
		}
		all = append(all, line)
	}
	w.arrived = nil
	slices.Sort(all)
	return all
}

func (w *world) expect(what string, want ...string) {
	w.t.Helper()
	slices.Sort(want)
	if got := w.mails(); !slices.Equal(got, want) {
		w.t.Errorf("%s: the mails are %q, want %q", what, got, want)
	}
}

// inTime runs a test with some servers in virtual time.
func inTime(t *testing.T, servers int, test func(t *testing.T, w *world)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		s, err := memory.Open(t.Context(), memory.Options{})
		if err != nil {
			t.Fatal(err)
		}
		w := &world{t: t, store: s, start: time.Now()}
		for range servers {
			w.servers = append(w.servers, w.serve())
		}
		secret := access.NewSecret([32]byte{31: 1})
		if _, err := w.servers[0].Seed(t.Context(), secret); err != nil {
			t.Fatal(err)
		}
		if w.admin, err = w.servers[0].Authenticate(t.Context(), secret); err != nil {
			t.Fatal(err)
		}
		time.Sleep(2 * time.Second) // the first look
		test(t, w)
		for _, s := range w.servers {
			s.stop()
		}
		synctest.Wait()
	})
}

// serve starts a server, which sends when it can.
func (w *world) serve() *server {
	s := &server{Store: w.store}
	s.All = usecases.New(tracker.Options{
		Store: s, Now: func() time.Time { return time.Now().Add(time.Duration(w.step.Load())) }, Random: rand.Reader, Limits: tracker.DefaultLimits(),
		WebhookKey: func() (webhook.Key, error) { return webhook.NewKey([32]byte{1}), nil },
	}, nil)
	s.worker = New(Options{Service: s.Mailing, Sender: w, Quiet: mail.Quiet, Logger: slog.New(slog.DiscardHandler)})
	s.stop = background.Run(s.worker.Run)
	return s
}

// person adds a user, and returns the caller of the user.
func (w *world) person(name string) tracker.Caller {
	w.t.Helper()
	a, err := w.servers[0].Users().Create(w.t.Context(), w.admin, admin.CreateObject[admin.UserPatch]{
		Patch: admin.UserPatch{Name: patch.Set(name), Email: patch.Set(name + "@example.org")},
	})
	if err != nil {
		w.t.Fatal(err)
	}
	return tracker.Caller{User: a.Value.ID, Scope: access.Write}
}

func (w *world) create(by tracker.Caller, title string) problem.ID {
	w.t.Helper()
	a, err := w.servers[0].CreateProblem(w.t.Context(), by, tracker.CreateProblem{ProblemPatch: tracker.ProblemPatch{Title: patch.Set(title)}})
	if err != nil {
		w.t.Fatal(err)
	}
	return a.Value.ID
}

func (w *world) comment(by tracker.Caller, on problem.ID, text string) {
	w.t.Helper()
	if _, err := w.servers[0].AddComment(w.t.Context(), by, on, tracker.AddComment{Text: patch.Set(text)}); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) watch(who tracker.Caller, on problem.ID) {
	w.t.Helper()
	members := metadata.Members{"identifier": metadata.Text(who.User.String())}
	if _, err := w.servers[0].AddWatcher(w.t.Context(), w.admin, on, tracker.AddWatcher{User: members}); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) choose(who tracker.Caller, m user.Mail) {
	w.t.Helper()
	if _, err := w.servers[0].Mailing.Set(w.t.Context(), who, mailing.Set{Mail: patch.Set(m.String())}); err != nil {
		w.t.Fatal(err)
	}
}

func TestTellsOfChangesByOthers(t *testing.T) {
	t.Parallel()
	inTime(t, 2, func(t *testing.T, w *world) {
		ann, bob, cy := w.person("ann"), w.person("bob"), w.person("cy")
		id := w.create(ann, "a lamp")
		w.watch(bob, id)
		w.watch(cy, id)
		time.Sleep(mail.Quiet - time.Second)
		w.expect("before it is quiet")
		time.Sleep(5 * time.Second)
		w.expect("once it is quiet", "bob: #1", "cy: #1")
		w.comment(bob, id, "first")
		time.Sleep(time.Minute)
		w.comment(bob, id, "second")
		time.Sleep(mail.Quiet - 2*time.Second)
		w.expect("while it is not quiet")
		time.Sleep(5 * time.Second)
		w.mu.Lock()
		var lines []string
		for _, l := range w.arrived {
			for _, e := range l.Stories[0].Entries {
				lines = append(lines, l.To.Name+" "+e.Author+" "+string(e.Type)+" "+e.Comment)
			}
		}
		w.mu.Unlock()
		slices.Sort(lines)
		if want := []string{"ann bob CommentAdded first", "ann bob CommentAdded second", "cy bob CommentAdded first", "cy bob CommentAdded second"}; !slices.Equal(lines, want) {
			t.Errorf("the mails have %q, want %q", lines, want)
		}
		w.expect("once it is quiet again", "ann: #1", "cy: #1")
		time.Sleep(time.Hour)
		w.expect("afterwards")
	})
}

func TestTellsWhomItConcerns(t *testing.T) {
	t.Parallel()
	inTime(t, 1, func(t *testing.T, w *world) {
		ann, bob, cy := w.person("ann"), w.person("bob"), w.person("cy")
		id := w.create(ann, "a lamp")
		w.watch(bob, id)
		w.watch(cy, id)
		w.choose(ann, user.MailMine)
		w.choose(bob, user.MailMine)
		w.choose(cy, user.MailNone)
		time.Sleep(10 * time.Minute)
		w.mails()
		w.comment(w.admin, id, "for all")
		time.Sleep(10 * time.Minute)
		w.expect("by the choices", "ann: #1")
		// Each of two authors gets the change by the other, and nothing of one's own.
		w.choose(bob, user.MailEverything)
		w.comment(ann, id, "by ann")
		w.comment(bob, id, "by bob")
		time.Sleep(10 * time.Minute)
		w.mu.Lock()
		for _, l := range w.arrived {
			for _, e := range l.Stories[0].Entries {
				if e.Author == l.To.Name {
					t.Errorf("%s gets a mail about an own change", e.Author)
				}
			}
		}
		w.mu.Unlock()
		w.expect("of two authors", "ann: #1", "bob: #1")
		// Whoever ends mail gets none, although one waits.
		w.comment(w.admin, id, "again")
		time.Sleep(time.Minute)
		key := webhook.NewKey([32]byte{1})
		if err := w.servers[0].Mailing.Unsubscribe(t.Context(), mail.NewToken(key, ann.User)); err != nil {
			t.Fatal(err)
		}
		time.Sleep(10 * time.Minute)
		w.expect("after the end", "bob: #1")
	})
}

// doneAtOnce comments on many problems of one person, after the mails about their creation.
func (w *world) doneAtOnce(problems int) {
	ann := w.person("ann")
	for i := range problems {
		w.create(ann, fmt.Sprint(i))
	}
	time.Sleep(10 * time.Minute)
	w.mails()
	for i := range problems {
		w.comment(w.admin, problem.ID(i+1), "done")
	}
}

// A change of many problems is one mail for each person, also problem by problem.
func TestManyProblems(t *testing.T) {
	t.Parallel()
	inTime(t, 1, func(t *testing.T, w *world) {
		w.doneAtOnce(300)
		time.Sleep(10 * time.Minute)
		got := w.mails()
		if len(got) != 1 || !strings.HasSuffix(got[0], " and 250") {
			t.Errorf("the mails are %.300q", got)
		}
		for i := range 300 {
			w.comment(w.admin, problem.ID(i+1), "again")
			time.Sleep(250 * time.Millisecond)
		}
		time.Sleep(time.Hour)
		if got := w.mails(); len(got) > 2*mail.MostSeparate {
			t.Errorf("%d mails about changes problem by problem", len(got))
		}
	})
}

// A change that a full digest cannot tell of comes while the digest is under way. One more mail
// counts it, in spite of deaths of servers, unless its addressee wants no mail any more.
func TestChangeDuringAFullDigest(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		ends bool // mail to the addressee
		dies bool // the server, at the last mail
		want []string
	}{
		"all goes well":   {want: []string{" and 1"}},
		"the server dies": {dies: true, want: []string{" and 1", " and 1"}},
		"mail ends":       {ends: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			inTime(t, 2, func(t *testing.T, w *world) {
				const full = 500
				ann := w.person("ann")
				for i := range full + 1 {
					w.create(ann, fmt.Sprint(i))
				}
				time.Sleep(10 * time.Minute)
				w.mails()
				w.answers(func(ctx context.Context, l mail.Letter) error {
					switch {
					case len(l.Stories) > 0:
						time.Sleep(mail.Quiet + time.Minute)
					case c.dies && w.count() == 0:
						for _, s := range w.servers {
							s.cut.Store(s.sends())
						}
					}
					return nil
				})
				for i := range full {
					w.comment(w.admin, problem.ID(i+1), "done")
				}
				time.Sleep(mail.Quiet + 70*time.Second)
				w.comment(w.admin, full+1, "done")
				time.Sleep(mail.Quiet + 30*time.Second)
				if c.ends {
					w.choose(ann, user.MailNone)
				}
				time.Sleep(time.Minute)
				if got := w.mails(); len(got) != 1 || !strings.HasSuffix(got[0], " and 450") {
					t.Fatalf("the mails are %.300q", got)
				}
				time.Sleep(10 * time.Minute)
				w.mu.Lock()
				for _, l := range w.arrived {
					if l.ID == "" || l.ID != w.arrived[0].ID {
						t.Errorf("sent again, the mail %q is %q", w.arrived[0].ID, l.ID)
					}
				}
				w.mu.Unlock()
				var want []string
				for _, end := range c.want {
					want = append(want, "ann:"+end)
				}
				w.expect("after the digest", want...)
				w.answers(nil)
				for _, s := range w.servers {
					s.cut.Store(false)
					if s.sends() {
						t.Error("a server still has work")
					}
				}
			})
		})
	}
}

// Very many problems become complete at once. The server keeps the lease meanwhile, although
// the store is slow.
func TestCatchUpKeepsTheLease(t *testing.T) {
	t.Parallel()
	inTime(t, 2, func(t *testing.T, w *world) {
		w.doneAtOnce(2500)
		time.Sleep(mail.Quiet / 2)
		for _, s := range w.servers {
			s.slow.Store(int64(400 * time.Millisecond))
		}
		time.Sleep(mail.Quiet + time.Minute)
		if got := w.mails(); len(got) != 1 || !strings.HasSuffix(got[0], " and 2450") {
			t.Errorf("the mails are %.300q", got)
		}
	})
}

// An outage of the mail server for an hour loses nothing, and floods nobody after it.
func TestOutageOfTheMailServer(t *testing.T) {
	t.Parallel()
	inTime(t, 2, func(t *testing.T, w *world) {
		ann, bob := w.person("ann"), w.person("bob")
		first, second := w.create(ann, "a lamp"), w.create(bob, "a fuse")
		time.Sleep(10 * time.Minute)
		w.mails()
		tries := 0
		w.answers(func(context.Context, mail.Letter) error {
			tries++
			return &mail.Failure{Kind: mail.Unreachable, Reason: "away"}
		})
		for i := range 20 { // every three minutes
			w.comment(w.admin, first, fmt.Sprint(i))
			time.Sleep(3 * time.Minute)
		}
		w.comment(w.admin, second, "once")
		time.Sleep(5 * time.Minute)
		w.expect("during the outage")
		if tries < 30 || tries > 100 {
			t.Errorf("%d attempts in an hour", tries)
		}
		i := slices.IndexFunc(w.servers, (*server).sends)
		if i < 0 {
			t.Fatal("no server sends")
		}
		if stat, _ := w.servers[i].worker.Stat(); stat.Pending != 2 || time.Since(stat.Oldest) < 50*time.Minute || w.servers[i].worker.Attempts(Outcome(mail.Unreachable)) != int64(tries) {
			t.Errorf("the state is %+v", stat)
		}
		w.answers(nil)
		time.Sleep(2 * mostPause)
		w.mu.Lock()
		for _, l := range w.arrived {
			if n := len(l.Stories[0].Entries); l.To.ID == ann.User && n != 20 {
				t.Errorf("the mail has %d changes, want all 20", n)
			}
		}
		w.mu.Unlock()
		w.expect("after the outage", "ann: #1", "bob: #2")
		time.Sleep(time.Hour)
		w.expect("later")
	})
}

// One person whose mail is refused holds up nobody else.
func TestRefusalsForDays(t *testing.T) {
	t.Parallel()
	inTime(t, 1, func(t *testing.T, w *world) {
		ann, bob := w.person("ann"), w.person("bob")
		id := w.create(w.admin, "a lamp")
		w.watch(ann, id)
		w.watch(bob, id)
		var tries []time.Duration
		kind := mail.Refused
		w.answers(func(_ context.Context, l mail.Letter) error {
			if l.To.ID != ann.User {
				return nil
			}
			tries = append(tries, time.Since(w.start))
			return &mail.Failure{Kind: kind, Person: true, Reason: "no"}
		})
		w.comment(w.admin, id, "hello")
		time.Sleep(10 * time.Minute)
		w.expect("at first", "bob: #1")
		time.Sleep(25 * time.Hour)
		if len(tries) != 3 || w.servers[0].worker.Attempts(Lost) != 1 {
			t.Errorf("refused at %v; %d lost", tries, w.servers[0].worker.Attempts(Lost))
		}
		tries, kind = nil, mail.Deferred
		w.comment(w.admin, id, "again")
		time.Sleep(time.Hour)
		w.answers(nil)
		time.Sleep(10 * time.Hour)
		if len(tries) < 4 {
			t.Errorf("put off at %v", tries)
		}
		w.expect("later", "bob: #1", "ann: #1")
	})
}

// A mail that waits for its next attempt shows on all servers while none of them has work.
func TestStatOfMailThatWaitsForDays(t *testing.T) {
	t.Parallel()
	inTime(t, 2, func(t *testing.T, w *world) {
		id := w.create(w.person("ann"), "a lamp")
		w.answers(func(context.Context, mail.Letter) error { return &mail.Failure{Kind: mail.Refused, Reason: "no"} })
		w.comment(w.admin, id, "hello")
		shown := func(when string, pending int, oldest time.Duration) {
			t.Helper()
			for i, s := range w.servers {
				stat, ok := s.worker.Stat()
				if age := time.Since(stat.Oldest); !ok || stat.sends || stat.Gathering != 0 || stat.Pending != pending || stat.Oldest.IsZero() != (pending == 0) || pending > 0 && age < oldest {
					t.Errorf("%s: the state on server %d is %+v, %t", when, i, stat, ok)
				}
			}
		}
		time.Sleep(mail.Quiet + time.Minute)
		shown("after the refusal", 1, 50*time.Second)
		w.servers[0].stop()
		w.servers[0] = w.serve()
		time.Sleep(20 * time.Hour)
		shown("between two attempts", 1, 20*time.Hour)
		w.answers(nil)
		time.Sleep(5 * time.Hour)
		w.expect("a day later", "ann: #1")
		shown("at last", 0, 0)
	})
}

// The servers without the lease show nothing.
func TestOneSendingServerShowsItsState(t *testing.T) {
	t.Parallel()
	inTime(t, 3, func(t *testing.T, w *world) {
		w.comment(w.admin, w.create(w.person("ann"), "a lamp"), "hello")
		time.Sleep(time.Minute)
		shown := 0
		for _, s := range w.servers {
			if stat, ok := s.worker.Stat(); ok {
				shown++
				if !stat.sends || stat.Gathering != 1 || stat.Oldest.IsZero() {
					t.Errorf("the state is %+v", stat)
				}
			}
		}
		if shown != 1 {
			t.Errorf("%d servers show their state, want 1", shown)
		}
	})
}

// A deferred mail waits while no server has work. A step of the clock does not
// stop it.
func TestClockStepsWhileAMailWaits(t *testing.T) {
	t.Parallel()
	for _, step := range []time.Duration{-1000 * time.Hour, -time.Minute, time.Hour} {
		t.Run(step.String(), func(t *testing.T) {
			t.Parallel()
			inTime(t, 2, func(t *testing.T, w *world) {
				id := w.create(w.person("ann"), "a lamp")
				w.answers(func(context.Context, mail.Letter) error { return &mail.Failure{Kind: mail.Deferred, Reason: "no"} })
				w.comment(w.admin, id, "hello")
				time.Sleep(mail.Quiet + 30*time.Second)
				for _, s := range w.servers {
					if s.sends() {
						t.Fatal("a server has work")
					}
				}
				w.answers(nil)
				w.step.Store(int64(step))
				time.Sleep(time.Minute)
				w.expect("a minute later", "ann: #1")
			})
		})
	}
}

// A mail whose content the mail server does not take holds up no other mail of its addressee.
func TestLetterThatFailsForDays(t *testing.T) {
	t.Parallel()
	for kind, want := range map[mail.FailureKind][]string{
		mail.Refused:     {"ann: #1", "ann: #2"}, // a later change stays apart
		mail.Deferred:    {"ann: #2"},            // it joins the letter
		mail.Unreachable: {"ann: #2"},
	} {
		t.Run(string(kind), func(t *testing.T) {
			t.Parallel()
			inTime(t, 1, func(t *testing.T, w *world) {
				ann := w.person("ann")
				first, second := w.create(ann, "a lamp"), w.create(ann, "a fuse")
				time.Sleep(10 * time.Minute)
				w.mails()
				tries := 0
				w.answers(func(_ context.Context, l mail.Letter) error {
					for _, e := range l.Stories[0].Entries {
						if e.Comment == "spam" {
							tries++
							return &mail.Failure{Kind: kind, Reason: "no"}
						}
					}
					return nil
				})
				w.comment(w.admin, first, "spam")
				time.Sleep(time.Second)
				w.comment(w.admin, second, "hello")
				time.Sleep(mail.Quiet + time.Minute)
				w.expect("at first", "ann: #2")
				w.comment(w.admin, first, "hello")
				w.comment(w.admin, second, "again")
				time.Sleep(mail.Quiet + 2*time.Minute)
				w.expect("afterwards", want...)
				for range 26 { // hours
					w.comment(w.admin, second, "again")
					time.Sleep(time.Hour)
				}
				if got := w.mails(); len(got) != 26 {
					t.Errorf("%d mails arrive beside the failed one, want 26", len(got))
				}
				lost := w.servers[0].worker.Attempts(Lost)
				if kind == mail.Refused && (lost != 1 || tries != 3) || kind != mail.Refused && (lost != 0 || tries < 8) {
					t.Errorf("%d mails are lost after %d attempts", lost, tries)
				}
				w.answers(nil)
				w.comment(w.admin, first, "at last")
				time.Sleep(9 * time.Hour)
				w.expect("at last", "ann: #1")
			})
		})
	}
}

// A mail that cannot be written, or only slowly, holds up no other one.
func TestMailThatCannotBeWrittenForDays(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		read    func(context.Context) error
		outcome mail.FailureKind
	}{
		"its log is damaged":  {func(context.Context) error { return errors.New("damaged") }, mail.Deferred},
		"its log has no end":  {func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() }, mail.Unreachable},
		"its log takes a day": {func(ctx context.Context) error { <-ctx.Done(); return errCut }, mail.Unreachable},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			inTime(t, 1, func(t *testing.T, w *world) {
				ann, bob := w.person("ann"), w.person("bob")
				first, second := w.create(ann, "a lamp"), w.create(ann, "a fuse")
				w.watch(bob, second)
				time.Sleep(10 * time.Minute)
				w.mails()
				read := func(ctx context.Context, id problem.ID) error {
					if id == first {
						return c.read(ctx)
					}
					return nil
				}
				w.servers[0].log.Store(&read)
				w.comment(w.admin, first, "hello")
				time.Sleep(time.Second)
				w.comment(w.admin, second, "hello")
				time.Sleep(mail.Quiet + 2*time.Minute)
				w.expect("at first", "ann: #2", "bob: #2")
				for range 10 {
					w.comment(w.admin, second, "again")
					time.Sleep(10 * time.Minute)
				}
				if got := w.mails(); len(got) != 20 {
					t.Errorf("%d mails arrive beside the one that cannot be written, want 20", len(got))
				}
				if w.servers[0].worker.Attempts(Outcome(c.outcome)) == 0 {
					t.Error("no attempt is counted")
				}
				if c.outcome == mail.Deferred {
					time.Sleep(75 * time.Hour)
					if lost := w.servers[0].worker.Attempts(Lost); lost != 1 {
						t.Errorf("%d mails are lost, want 1", lost)
					}
					return
				}
				w.servers[0].log.Store(nil)
				time.Sleep(10 * time.Hour)
				w.expect("once the log can be read", "ann: #1")
			})
		})
	}
}

// A damaged problem holds up no mail about another one, also to the same person. Its own mail
// waits for three days, and shows meanwhile.
func TestDamagedProblemForDays(t *testing.T) {
	t.Parallel()
	inTime(t, 1, func(t *testing.T, w *world) {
		ann := w.person("ann")
		broken := w.create(ann, "a lamp")
		var all []string
		for range mail.MostSeparate + 2 {
			all = append(all, fmt.Sprintf(" #%d", w.create(ann, "a fuse")))
		}
		time.Sleep(10 * time.Minute)
		w.mails()
		comment := func() {
			for id := range problem.ID(len(all) + 1) {
				w.comment(w.admin, id+1, "hello")
			}
		}
		server := w.servers[0]
		digest := "ann:" + strings.Join(all, "")

		comment()
		server.row.Store(int64(broken)) // before the addressees are known
		time.Sleep(mail.Quiet + 2*time.Minute)
		w.expect("about the others", digest)
		if stat, _ := server.worker.Stat(); stat.Gathering != 1 || time.Since(stat.Oldest) < mail.Quiet || server.worker.Attempts(Outcome(mail.Deferred)) == 0 {
			t.Errorf("the state is %+v, after %d attempts", stat, server.worker.Attempts(Outcome(mail.Deferred)))
		}
		w.comment(w.admin, 2, "again")
		time.Sleep(mail.Quiet + time.Minute)
		w.expect("later", "ann: #2")
		server.row.Store(0)
		time.Sleep(time.Hour)
		w.expect("once it can be read", "ann: #1")

		comment()
		time.Sleep(mail.Quiet + 5*time.Second)
		server.row.Store(int64(broken)) // before the digest is written
		time.Sleep(2 * time.Minute)
		w.expect("digest about the others", digest)
		server.row.Store(0)
		time.Sleep(time.Hour)
		w.expect("once it can be told", "ann: #1")

		comment()
		server.row.Store(int64(broken))
		time.Sleep(75 * time.Hour)
		w.expect("in three days", digest)
		if stat, _ := server.worker.Stat(); stat.Gathering != 0 || !stat.Oldest.IsZero() || server.worker.Attempts(Lost) != 1 {
			t.Errorf("after them, the state is %+v, and %d mails are lost", stat, server.worker.Attempts(Lost))
		}
		server.row.Store(0)
		time.Sleep(10 * time.Hour)
		w.expect("of what was given up")
	})
}

// A mail at which the mail server breaks the connection holds up nobody else, now and later.
func TestMailThatBreaksTheConnection(t *testing.T) {
	t.Parallel()
	inTime(t, 1, func(t *testing.T, w *world) {
		ann, bob, cy := w.person("ann"), w.person("bob"), w.person("cy")
		id := w.create(w.admin, "a lamp")
		for _, who := range []tracker.Caller{ann, bob, cy} {
			w.watch(who, id)
		}
		w.answers(func(_ context.Context, l mail.Letter) error {
			if l.To.ID == ann.User {
				return &mail.Failure{Kind: mail.Unreachable, Reason: "the connection has broken"}
			}
			return nil
		})
		w.comment(w.admin, id, "hello")
		time.Sleep(mail.Quiet + time.Minute)
		w.expect("at first", "bob: #1", "cy: #1")
		time.Sleep(time.Hour)
		w.comment(w.admin, id, "again")
		time.Sleep(mail.Quiet + 3*mostPause)
		w.expect("an hour later", "bob: #1", "cy: #1")
		w.answers(nil)
		time.Sleep(time.Hour)
		w.expect("once the mail server takes it", "ann: #1")
	})
}

// A mail at which the connection breaks each time, while those to others arrive, is given up
// like a deferred one. Nothing is given up while no mail arrives.
func TestBreaksForDays(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		arrives bool // what goes to others
		lost    int64
	}{"others arrive": {true, 1}, "nothing arrives": {false, 0}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			inTime(t, 1, func(t *testing.T, w *world) {
				ann, bob := w.person("ann"), w.person("bob")
				broken, other := w.create(ann, "a lamp"), w.create(bob, "a fuse")
				time.Sleep(10 * time.Minute)
				w.mails()
				w.answers(func(_ context.Context, l mail.Letter) error {
					if l.To.ID == ann.User || !c.arrives {
						return &mail.Failure{Kind: mail.Unreachable, Reason: "the connection has broken"}
					}
					return nil
				})
				w.comment(w.admin, broken, "hello")
				for range 5 * 24 { // hours
					w.comment(w.admin, other, "hello")
					time.Sleep(time.Hour)
				}
				if got := w.servers[0].worker.Attempts(Lost); got != c.lost {
					t.Errorf("%d mails are lost, want %d", got, c.lost)
				}
				w.mails()
				w.answers(nil)
				time.Sleep(2 * mostPause)
				if c.lost == 0 {
					w.expect("once the mail server takes it", "ann: #1", "bob: #2")
					return
				}
				w.expect("once the mail server takes it")
				w.comment(w.admin, broken, "again")
				time.Sleep(mail.Quiet + time.Minute)
				w.expect("of a later change", "ann: #1")
			})
		})
	}
}

// When the sending server dies or loses the store, another one goes on: no mail is lost, and
// one at most is sent twice.
func TestDeathOfAServer(t *testing.T) {
	t.Parallel()
	for name, kill := range map[string]func(*server){
		"it loses the store": func(s *server) { s.cut.Store(true) },
		"it stops":           func(s *server) { s.stop() },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			inTime(t, 2, func(t *testing.T, w *world) {
				var people []tracker.Caller
				for i := range 8 {
					people = append(people, w.person(fmt.Sprint("p", i)))
				}
				id := w.create(w.admin, "a lamp")
				for _, p := range people {
					w.watch(p, id)
				}
				time.Sleep(10 * time.Minute)
				w.mails()
				w.answers(func(ctx context.Context, _ mail.Letter) error {
					select {
					case <-time.After(time.Second):
						return nil
					case <-ctx.Done():
						return ctx.Err()
					}
				})
				w.comment(w.admin, id, "hello")
				dead := -1
				for dead < 0 || w.count() < 3 {
					time.Sleep(100 * time.Millisecond)
					dead = slices.IndexFunc(w.servers, (*server).sends)
				}
				kill(w.servers[dead])
				time.Sleep(time.Minute)
				counts := make(map[string]int)
				for _, m := range w.mails() {
					counts[m]++
				}
				twice := 0
				for i := range people {
					switch n := counts[fmt.Sprintf("p%d: #1", i)]; n {
					case 1:
					case 2:
						twice++
					default:
						t.Errorf("person %d has %d mails", i, n)
					}
				}
				if twice > 1 {
					t.Errorf("%d mails were sent twice", twice)
				}
				w.servers[dead].cut.Store(false)
			})
		})
	}
}

// The store goes away while the server stores that a mail has arrived. The mail does not come
// again once the store is back.
func TestStoreGoesAwayDuringAWrite(t *testing.T) {
	t.Parallel()
	inTime(t, 1, func(t *testing.T, w *world) {
		bob := w.person("bob")
		id := w.create(w.admin, "a lamp")
		w.watch(bob, id)
		w.answers(func(context.Context, mail.Letter) error {
			w.servers[0].lost.Store(true)
			return nil
		})
		for w.count() == 0 {
			time.Sleep(100 * time.Millisecond)
		}
		time.Sleep(2 * time.Second)
		w.servers[0].lost.Store(false)
		w.answers(nil)
		time.Sleep(time.Hour)
		w.expect("after the outage", "bob: #1")
	})
}

// A mail to many people is stored in portions. A death of the server repeats the mails of a
// second at most, and loses none.
func TestManyPeople(t *testing.T) {
	t.Parallel()
	for name, dies := range map[string]bool{"all goes well": false, "the server dies": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			inTime(t, 2, func(t *testing.T, w *world) {
				const people, took = 400, 20 * time.Millisecond
				id := w.create(w.admin, "a lamp")
				for i := range people {
					w.watch(w.person(fmt.Sprint("p", i)), id)
				}
				time.Sleep(10 * time.Minute)
				w.mails()
				w.answers(func(ctx context.Context, _ mail.Letter) error {
					select {
					case <-time.After(took):
						return nil
					case <-ctx.Done():
						return ctx.Err()
					}
				})
				w.comment(w.admin, id, "hello")
				before := w.servers[0].writes.Load() + w.servers[1].writes.Load()
				for w.count() < people/2 {
					time.Sleep(100 * time.Millisecond)
				}
				if n := w.servers[0].writes.Load() + w.servers[1].writes.Load() - before; n > 100 { // some of them renewals
					t.Errorf("%d mails were stored by %d writes", w.count(), n)
				}
				if dies {
					dead := slices.IndexFunc(w.servers, (*server).sends)
					w.servers[dead].cut.Store(true)
				}
				time.Sleep(time.Minute)
				got := w.mails()
				again := len(got) - people
				if all := slices.Compact(got); len(all) != people {
					t.Errorf("%d people have mail, want %d", len(all), people)
				}
				if most := int(saveEvery/took) + 1; again < 0 || again > most || !dies && again > 0 {
					t.Errorf("%d mails came again, want at most %d", again, most)
				}
				for _, s := range w.servers {
					s.cut.Store(false)
				}
			})
		})
	}
}

func (w *world) count() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.arrived)
}

// A server without changes writes nothing.
func TestIdleServerWritesNothing(t *testing.T) {
	t.Parallel()
	inTime(t, 2, func(t *testing.T, w *world) {
		w.create(w.admin, "a lamp")
		time.Sleep(time.Hour)
		writes := w.servers[0].writes.Load() + w.servers[1].writes.Load()
		time.Sleep(time.Hour)
		if now := w.servers[0].writes.Load() + w.servers[1].writes.Load(); now != writes {
			t.Errorf("%d writes in an hour without a change", now-writes)
		}
	})
}

// What happens while no server sends is in mails later.
func TestChangesWhileNobodySends(t *testing.T) {
	t.Parallel()
	inTime(t, 1, func(t *testing.T, w *world) {
		ann := w.person("ann")
		w.servers[0].stop()
		id := w.create(ann, "a lamp")
		w.comment(w.admin, id, "while nobody sends")
		w.servers[0] = w.serve()
		time.Sleep(10 * time.Minute)
		w.expect("after the restart, nothing is lost", "ann: #1")
	})
}
