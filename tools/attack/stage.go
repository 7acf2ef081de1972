package main

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"sync"
	"time"

	"github.com/problemtracking/problems/tools/launch"
)

// stage is where one attack takes place.
type stage struct {
	ctx   context.Context // ends with the attack
	last  context.Context // ends when whole requests of the attack are given up, then or later
	whole context.Context // ends when nobody waits for the results
	place *place
	sizes sizes
	// The attacker has a token of the scope write. The administrator only reads the
	// attacker's objects.
	attacker, admin *client
	attack          attack
	tally           tally
	program         launch.Program
	guard           int64
	patience        time.Duration // with a busy server, while something is prepared
	killed          bool          // by the guard, while it was prepared

	mu    sync.Mutex
	notes []string
}

// note adds a note to the table.
func (s *stage) note(format string, args ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.notes = append(s.notes, fmt.Sprintf(format, args...))
}

// errEnough is the error of a server that refuses the rest of a preparation.
var errEnough = errors.New("the server allows no more")

// preparePatience is the time for repeating refused requests of a preparation on a busy
// server.
const preparePatience = 10 * time.Second

// make sends a request of a preparation and reads the new object into a value, unless
// that is nil. It fails with errEnough when the server refuses: the attack uses the
// objects so far.
func (s *stage) make(what string, r request, into any) error {
	status, body, err := s.attacker.ask(s.ctx, r)
	for began := time.Now(); err == nil && (status == 429 || status == 503) && time.Since(began) < s.patience; {
		wait(s.ctx, 10*afterRefusal)
		status, body, err = s.attacker.ask(s.ctx, r)
	}
	switch {
	case err != nil:
		return fmt.Errorf("%s %s: %w", r.method, r.path, err)
	case status == 409 || status == 413 || status == 422 || status == 429 || status == 503:
		s.note("%s ended: %d %s", what, status, detail(body))
		return errEnough
	case status >= 300:
		return fmt.Errorf("%s %s: %d %s", r.method, r.path, status, detail(body))
	case into == nil:
		return nil
	}
	return json.Unmarshal(body, into)
}

// detail returns the detail of an error.
func detail(body []byte) string {
	var problem struct{ Detail string }
	if json.Unmarshal(body, &problem) == nil && problem.Detail != "" {
		return problem.Detail
	}
	return string(body[:min(len(body), 100)])
}

// repeat prepares something n times, or as often as the server allows, and returns the
// number.
func (s *stage) repeat(n int, each func(i int) error) (int, error) {
	for i := range n {
		switch err := each(i); {
		case errors.Is(err, errEnough):
			s.note("prepared %d of %d", i, n)
			return i, nil
		case err != nil:
			return i, err
		}
	}
	return n, nil
}

// create makes a problem and returns its number.
func (s *stage) create(title string) (int64, error) {
	var made struct{ Identifier int64 }
	err := s.make("creating problems", sendJSON(http.MethodPost, "/problems", map[string]string{"title": title}), &made)
	return made.Identifier, err
}

// once prepares a thing unless the store has it already, and returns its number.
func (s *stage) once(name string, prepare func() (int64, error)) error {
	if _, made := s.place.made[name]; made {
		for _, note := range s.place.notes[name] {
			s.note("%s", note)
		}
		return nil
	}
	before := len(s.notes)
	id, err := prepare()
	if err != nil {
		return fmt.Errorf("preparing %s: %w", name, err)
	}
	s.place.made[name] = id
	s.place.notes[name] = s.notes[before:]
	return nil
}

// id returns the number of the prepared problem.
func (s *stage) id(name string) int64 { return s.place.made[name] }

// afterRefusal is the pause of an attacker after a refusal. The attacks are about the
// cost of answers, not of refusals.
const afterRefusal = 10 * time.Millisecond

// storm sends requests, so many at once, until the attack ends.
func (s *stage) storm(atOnce int, next func(worker, n int) request) {
	s.stormAs(s.attacker, atOnce, next)
}

func (s *stage) stormAs(c *client, atOnce int, next func(worker, n int) request) {
	var group sync.WaitGroup
	for worker := range atOnce {
		group.Go(func() {
			for n := 0; s.ctx.Err() == nil; n++ {
				r := next(worker, n)
				if r.method == "" {
					return
				}
				status, err := c.drain(s.last, r)
				s.count(s.last, r.method+" "+r.path, status, err)
				if err != nil || status >= 400 {
					wait(s.ctx, afterRefusal)
				}
			}
		})
	}
	group.Wait()
}

// count counts the outcome of a request.
func (s *stage) count(ctx context.Context, what string, status int, err error) {
	o := outcome(ctx, status, err)
	s.tally.add(o)
	const enough = 120
	what = what[:min(len(what), enough)]
	switch {
	case o == broken:
		s.tally.addWrong("%s: %v", what, err)
	case err == nil && !s.attack.rights(status):
		s.tally.addWrong("%s: %d", what, status)
	}
}

// same returns the same request again and again.
func same(r request) func(int, int) request { return func(int, int) request { return r } }

// dial connects to the server.
func (s *stage) dial() (net.Conn, error) {
	at, err := url.Parse(s.attacker.url)
	if err != nil {
		return nil, err
	}
	dialer := net.Dialer{Timeout: honestPatience}
	conn, err := dialer.DialContext(s.ctx, "tcp", at.Host)
	if err != nil || at.Scheme != "https" {
		return conn, err
	}
	return tls.Client(conn, &tls.Config{InsecureSkipVerify: true, NextProtos: []string{"h2"}}), nil
}

// connect opens connections, so many at once, and lets each be used until the attack
// ends or the server closes it; then it opens another one.
func (s *stage) connect(atOnce int, use func(net.Conn) error) {
	var group sync.WaitGroup
	for range atOnce {
		group.Go(func() {
			for s.ctx.Err() == nil {
				conn, err := s.dial()
				if err == nil {
					closeAtEnd := context.AfterFunc(s.ctx, func() { _ = conn.Close() }) // the attack is over
					err = use(conn)
					closeAtEnd()
					_ = conn.Close() // nothing is to be written
				}
				if err != nil {
					s.tally.add(outcome(s.ctx, 0, err))
					wait(s.ctx, afterRefusal)
				}
			}
		})
	}
	group.Wait()
}
