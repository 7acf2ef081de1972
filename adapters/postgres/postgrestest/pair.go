package postgrestest

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
)

// Pair is a primary and a standby that has to confirm its commits, for one test alone.
// Any goroutine may call its methods, one after the other. They return when the named
// thing has happened, and otherwise fail the test.
type Pair struct {
	t                T
	primary, standby *localNode
	line             *Proxy // from the standby to the primary
	mu               sync.Mutex
}

// errNoPair is the message on a machine without the programs for a Pair.
var errNoPair = errors.New("a primary with a standby needs PostgreSQL's own programs, also where a Docker engine answers: " +
	"install the postgresql server package; `make deps` does it on Debian as root")

// NewPair starts a primary with these settings of postgresql.conf, each as name=value,
// and a standby with the same settings that waits for no standby of its own. Both run
// from this machine's own programs, so a test can stop and kill all their processes. They
// are removed at the end of the test.
func NewPair(t T, settings ...string) *Pair {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), startLimit)
	defer cancel()
	p := &Pair{t: t}
	if err := p.start(ctx, slices.Concat([]string{"shared_buffers=64MB"}, settings)); err != nil {
		t.Fatalf("no Postgres with a standby for tests: %v", err)
	}
	return p
}

func (p *Pair) start(ctx context.Context, settings []string) error {
	binaries, err := localBinaries()
	if errors.Is(err, ErrNoBinaries) {
		return errNoPair
	}
	if err != nil {
		return err
	}
	// Only the primary has the setting: its copied files lack it.
	if p.primary, err = binaries.newNode(ctx, append(slices.Clone(settings), "synchronous_standby_names="+standbyName)); err != nil {
		return err
	}
	p.t.Cleanup(func() { p.do("remove the primary", stopLimit, p.primary.remove) })
	p.line = NewProxy(p.t, p.primary.url())
	if p.standby, err = binaries.standbyOf(ctx, p.primary, p.line.URL(), settings); err != nil {
		return err
	}
	p.t.Cleanup(func() { p.do("remove the standby", stopLimit, p.standby.remove) })
	if err := p.primary.start(ctx); err != nil {
		return err
	}
	if err := p.standby.start(ctx); err != nil {
		return err
	}
	return p.confirms(ctx)
}

// confirms returns when the standby confirms commits of the primary.
func (p *Pair) confirms(ctx context.Context) error {
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		n, err := count(ctx, p.primary, "SELECT count(*) FROM pg_stat_replication WHERE sync_state = 'sync' AND state = 'streaming'")
		if n > 0 || err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("the standby does not follow the primary: %w\n%s", ctx.Err(), p.standby.running.log.String())
		case <-tick.C:
		}
	}
}

// URL is for a superuser, to the database postgres of the primary.
func (p *Pair) URL() string { return p.primary.url() }

// StandbyURL is for a superuser, to the database postgres of the standby.
func (p *Pair) StandbyURL() string { return p.standby.url() }

// ClusterURL names both servers. A client takes the one that takes writes.
func (p *Pair) ClusterURL() string {
	both, standby := p.parse(p.primary.url()), p.parse(p.standby.url())
	both.Host += "," + standby.Host
	parameters := both.Query()
	parameters.Set("target_session_attrs", "primary")
	both.RawQuery = parameters.Encode()
	return both.String()
}

func (p *Pair) parse(text string) *url.URL {
	u, err := url.Parse(text)
	if err != nil {
		p.t.Fatalf("postgres for tests: %v", err)
	}
	return u
}

// FreezeStandby halts every process of the standby and its connection to the primary. The
// connection stays open. From then on the primary confirms no commit, and none of its
// writes reaches the standby.
func (p *Pair) FreezeStandby() {
	p.t.Helper()
	p.do("freeze the standby", stopLimit, func(ctx context.Context) error {
		p.line.Stall(true) // first: the system still receives data for halted processes
		return p.standby.pause(ctx)
	})
}

// FreezePrimary halts every process of the primary. Its connections stay open, and the
// system goes on accepting new ones for it.
func (p *Pair) FreezePrimary() {
	p.t.Helper()
	p.do("freeze the primary", stopLimit, p.primary.pause)
}

// ThawStandby lets the standby go on. It catches up with the primary, unless the primary
// was killed.
func (p *Pair) ThawStandby() {
	p.t.Helper()
	p.do("thaw the standby", stopLimit, func(ctx context.Context) error {
		p.line.Stall(false)
		return p.standby.resume(ctx)
	})
}

// KillPrimary ends every process of the primary at once, like the loss of its machine.
// Data on the way to the standby are lost.
func (p *Pair) KillPrimary() {
	p.t.Helper()
	p.do("kill the primary", stopLimit, func(ctx context.Context) error {
		err := p.primary.kill(ctx)
		p.line.Refuse(true)
		p.line.CutNow()
		return err
	})
}

// Promote makes the standby the primary. It then takes writes and waits for no standby.
// Kill the former primary before: otherwise both take writes.
func (p *Pair) Promote() {
	p.t.Helper()
	p.do("promote the standby", startLimit, func(ctx context.Context) error {
		promoted, err := count(ctx, p.standby, fmt.Sprintf("SELECT pg_promote(wait_seconds => %d)::int", int(startLimit.Seconds())))
		if err == nil && promoted == 0 {
			err = errors.New("it does not end to be one")
		}
		return err
	})
}

// TakeOver loses the primary and has the standby take over: KillPrimary, ThawStandby
// and Promote.
func (p *Pair) TakeOver() {
	p.t.Helper()
	p.KillPrimary()
	p.ThawStandby()
	p.Promote()
}

// CancelWaits cancels, like an operator, all commits of the primary that wait for the
// standby. It returns their number.
func (p *Pair) CancelWaits() int {
	p.t.Helper()
	return p.endWaits("cancel", "pg_cancel_backend")
}

// TerminateWaits ends, like an operator, all sessions of the primary with commits that
// wait for the standby. It returns their number.
func (p *Pair) TerminateWaits() int {
	p.t.Helper()
	return p.endWaits("terminate", "pg_terminate_backend")
}

func (p *Pair) endWaits(what, function string) (n int) {
	p.t.Helper()
	p.do(what+" the commits that wait", commandLimit, func(ctx context.Context) (err error) {
		n, err = count(ctx, p.primary, "SELECT count(*) FILTER (WHERE "+function+"(pid)) FROM pg_stat_activity WHERE wait_event = 'SyncRep'")
		return err
	})
	return n
}

// count returns the number from a query of a superuser.
func count(ctx context.Context, n *localNode, query string) (number int, err error) {
	conn, err := pgx.Connect(ctx, n.url())
	if err != nil {
		return 0, err
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	err = conn.QueryRow(ctx, query).Scan(&number)
	return number, err
}

// do is Errorf and not Fatalf in a failure, since it may be in any goroutine.
func (p *Pair) do(what string, limit time.Duration, action func(context.Context) error) {
	p.t.Helper()
	p.mu.Lock()
	defer p.mu.Unlock()
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	if err := action(ctx); err != nil {
		p.t.Errorf("postgres for tests: %s: %v", what, err)
	}
}
