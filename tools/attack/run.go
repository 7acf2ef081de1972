package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/problemtracking/problems/tools/launch"
)

// siege is a run of the program.
type siege struct {
	options
	launcher    launch.Program
	certificate []string
	folder      string // of its own
	db          *launch.Database
	report      report
	self        []string // the command for this program
	warned      []string
	undo        []func(context.Context) error
}

// execute makes all attacks and prints the results.
func execute(ctx context.Context, o options, out io.Writer) (err error) {
	s := &siege{options: o}
	defer func() {
		for i := len(s.undo) - 1; i >= 0; i-- {
			err = errors.Join(err, s.undo[i](context.WithoutCancel(ctx)))
		}
	}()
	if err := s.setUp(ctx); err != nil {
		return err
	}
	s.report.head(out, o)
	err = s.attackAll(ctx, out)
	if o.json != "" {
		err = errors.Join(err, s.report.write(o.json))
	}
	fmt.Fprintf(os.Stderr, "attack: on %s: %d attacks were made\n", strings.Join(o.stores, ", "), len(s.report.Rows))
	return errors.Join(err, s.report.verdict(o.limit))
}

// setUp makes everything shared by the attacks.
func (s *siege) setUp(ctx context.Context) (err error) {
	if s.folder, err = os.MkdirTemp(s.dir, "problems-attack-"); err != nil {
		return err
	}
	s.undo = append(s.undo, func(context.Context) error { return os.RemoveAll(s.folder) })
	// Another user may run PostgreSQL, and has to reach its data below.
	if err := os.Chmod(s.folder, 0o711); err != nil {
		return err
	}
	binary, err := filepath.Abs(s.options.program)
	if err != nil {
		return err
	}
	if _, err := os.Stat(binary); err != nil {
		return fmt.Errorf("-program: %w: make build makes it", err)
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	s.self = []string{self}
	s.launcher = launch.Program{Path: binary, Home: s.folder, Logs: s.serverLog}
	if s.certificate, err = writeCertificate(s.folder); err != nil {
		return err
	}
	return nil
}

// attackAll makes all attacks on one store after the other.
func (s *siege) attackAll(ctx context.Context, out io.Writer) error {
	for _, store := range s.stores {
		p, err := s.newPlace(ctx, store)
		if err != nil {
			return err
		}
		for _, a := range s.attacks {
			if a.without == store {
				continue
			}
			if store == inMemory {
				p = newPlace(store, p.url) // nothing of the one before is left
			}
			fmt.Fprintf(os.Stderr, "attack: %s: %s\n", store, a.name)
			r, err := s.attackOnce(ctx, p, a)
			if err != nil {
				return fmt.Errorf("%s, %s: %w", store, a.name, err)
			}
			s.report.Rows = append(s.report.Rows, r)
			r.print(out)
		}
		if p.store == onSQLite {
			// The next store needs the disk space.
			for _, suffix := range []string{"", "-wal", "-shm"} {
				_ = os.Remove(filepath.Join(s.folder, sqliteFile+suffix)) // not all exist
			}
		}
	}
	return nil
}

const sqliteFile = "problems.db"

// newPlace makes an empty store.
func (s *siege) newPlace(ctx context.Context, store string) (*place, error) {
	switch store {
	case onSQLite:
		return newPlace(store, "sqlite://"+filepath.Join(s.folder, sqliteFile)), nil
	case onPostgres:
		var err error
		if s.postgres != "" {
			s.db = launch.GivenDatabase(s.postgres)
		} else if s.db, err = launch.StartDatabase(ctx, filepath.Join(s.folder, "postgres")); err != nil {
			return nil, err
		}
		s.undo = append(s.undo, s.db.Stop)
		url, err := s.db.Create(ctx, fmt.Sprintf("problems_attack_%d", os.Getpid()))
		return newPlace(store, url), err
	default:
		return newPlace(store, "memory:"), nil
	}
}

// target is a running server under attack.
type target struct{ *launch.Server }

// serve starts a server.
func (s *siege) serve(ctx context.Context, p *place, a attack) (target, error) {
	variables := []string{"PROBLEMS_BOOTSTRAP_TOKEN=" + p.admin}
	if a.tls {
		variables = append(variables, s.certificate...)
	}
	server, err := s.launcher.Serve(ctx, p.url, variables...)
	return target{server}, err
}

// dead reports whether the server has ended.
func (t target) dead() bool {
	select {
	case <-t.Ended():
		return true
	default:
		return false
	}
}

// prepareLimit is how long a preparation, or the answers to a short attack, may take.
const prepareLimit = 10 * time.Minute

// attackOnce makes one attack. It fails if the attack is impossible; the behaviour of the
// server is in the row.
func (s *siege) attackOnce(ctx context.Context, p *place, a attack) (row, error) {
	t, err := s.serve(ctx, p, a)
	if err != nil {
		return row{}, err
	}
	r := row{Store: p.store, Attack: a.name, Title: s.sizes().fill(a.title)}
	st := &stage{place: p, sizes: s.sizes(), patience: preparePatience}
	had := len(p.made)
	if err := s.prepare(ctx, p, a, st, t); err != nil {
		if t.dead() || st.killed {
			r.Fate, r.Notes = "died while it was prepared: "+t.Exit(), []string{err.Error()}
			return r, nil
		}
		t.Kill()
		return row{}, err
	}
	if p.store != inMemory && len(p.made) > had {
		// The memory of a preparation is no part of the attack.
		if err := t.Stop(); err != nil {
			return row{}, err
		}
		if t, err = s.serve(ctx, p, a); err != nil {
			return row{}, err
		}
	}
	if err := s.measure(ctx, p, a, st, t, &r); err != nil {
		t.Kill()
		return row{}, err
	}
	return r, nil
}

// prepare makes the users and the target of the attack. The guard watches.
func (s *siege) prepare(ctx context.Context, p *place, a attack, st *stage, t target) error {
	watch, err := newSampler(ctx, t.PID(), s.guard, t.Kill)
	if err != nil {
		return err
	}
	defer func() {
		watch.stop()
		st.killed = watch.killed
	}()
	ctx, cancel := context.WithTimeout(ctx, prepareLimit)
	defer cancel()
	if err := p.settle(ctx, t.URL, s.sizes().honest); err != nil {
		return err
	}
	if a.prepare == nil {
		return nil
	}
	st.ctx, st.attacker = ctx, newClient(t.URL, p.attacker, 0)
	defer st.attacker.close()
	return a.prepare(st)
}

// measure attacks.
func (s *siege) measure(ctx context.Context, p *place, a attack, st *stage, t target, r *row) error {
	watch, err := newSampler(ctx, t.PID(), s.guard, t.Kill)
	if err != nil {
		return err
	}
	came, err := s.attackBesideHonest(ctx, p, a, t.URL, r)
	watch.stop()
	if err != nil {
		return cmp.Or(ctx.Err(), err)
	}
	p.asked += r.Honest.Requests
	r.Before, r.Peak = watch.before, watch.peak
	r.Fate = s.end(t, watch.killed)
	r.Answers, r.Wrong = came.Answers, came.Wrong
	if r.Fate == alive {
		r.Wrong = append(r.Wrong, r.Honest.Wrong...)
	}
	r.Notes = append(slices.Clone(st.notes), came.Notes...)
	if came.Priority != "" {
		s.warn("the attackers have the priority of all others, whose times can be longer for it: " + came.Priority)
	}
	return ctx.Err()
}

// attackBesideHonest lets one process attack while honest clients ask in another one. It
// writes their waits into the row.
func (s *siege) attackBesideHonest(ctx context.Context, p *place, a attack, url string, r *row) (came attacked, err error) {
	user, err := startChild(s.self, honestRole)
	if err != nil {
		return came, err
	}
	attackers, err := startChild(s.self, attackersRole)
	if err != nil {
		user.close()
		return came, errors.Join(err, user.cmd.Wait())
	}
	ended := make(chan error, 1)
	go func() {
		ended <- attackers.do(ctx, attackTask{
			URL: url, Attack: a.name, Short: s.short, Duration: s.duration, Attacker: p.attacker, Admin: p.admin,
			StoreURL: p.url, Made: p.made, Program: s.launcher, Guard: s.guard,
		}, &came)
	}()
	err = user.do(ctx, honestTask{
		URL: url, Token: p.user, Problems: p.problems, Rate: s.rate, Asked: p.asked, Duration: s.duration, Patience: honestPatience,
	}, &r.Honest)
	return came, errors.Join(err, <-ended)
}

// warn prints a warning once.
func (s *siege) warn(text string) {
	if !slices.Contains(s.warned, text) {
		s.warned = append(s.warned, text)
		fmt.Fprintln(os.Stderr, "attack:", text)
	}
}

// alive is the fate of a surviving server.
const alive = "alive"

// end says how a server is after an attack, and ends it.
func (s *siege) end(t target, killed bool) string {
	switch {
	case killed:
		<-t.Ended()
		return fmt.Sprintf("killed by us at %d MiB", s.guard/mebibyte)
	case t.dead():
		return "died: " + t.Exit()
	}
	ctx, cancel := context.WithTimeout(context.Background(), launch.Patience/2)
	defer cancel()
	c := newClient(t.URL, "", 1)
	defer c.close()
	status := 0
	ask, err := http.NewRequestWithContext(ctx, http.MethodGet, t.URL+"/healthz", nil)
	if err == nil {
		var answer *http.Response
		if answer, err = c.http.Do(ask); err == nil {
			status = answer.StatusCode
			_ = answer.Body.Close() // only the status counts
		}
	}
	if err != nil {
		// The end of a killed process may show a moment later.
		select {
		case <-t.Ended():
			return "died: " + t.Exit()
		case <-ctx.Done():
		}
	}
	stopped := t.Stop()
	switch {
	case err != nil:
		return "deaf: " + err.Error()
	case status != http.StatusOK:
		return fmt.Sprintf("ill: /healthz says %d", status)
	case stopped != nil:
		return "did not end in order: " + stopped.Error()
	}
	return alive
}
