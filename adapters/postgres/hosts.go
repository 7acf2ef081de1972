package postgres

import (
	"context"
	"crypto/tls"
	"net"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// host is one of the servers named by the URL.
type host struct {
	name string
	port uint16
	tls  *tls.Config // nil: without
}

func (h host) String() string { return net.JoinHostPort(h.name, strconv.Itoa(int(h.port))) }

// hostsOf returns the hosts in the driver's order. One can be in it twice, with TLS and
// without.
func hostsOf(config *pgx.ConnConfig) []host {
	hosts := []host{{config.Host, config.Port, config.TLSConfig}}
	for _, f := range config.Fallbacks {
		hosts = append(hosts, host{f.Host, f.Port, f.TLSConfig})
	}
	return hosts
}

// use makes the driver try these hosts.
func use(config *pgx.ConnConfig, hosts []host) {
	config.Host, config.Port, config.TLSConfig = hosts[0].name, hosts[0].port, hosts[0].tls
	config.Fallbacks = nil
	for _, h := range hosts[1:] {
		config.Fallbacks = append(config.Fallbacks, &pgconn.FallbackConfig{Host: h.name, Port: h.port, TLSConfig: h.tls})
	}
}

// current returns the hosts of the URL with certificates as they are in their files now: a
// file may change while older connections live on. While a file cannot be read, the
// certificates from the start count.
func (s *Store) current() []host {
	config, err := pgx.ParseConfig(s.options.URL)
	if err != nil {
		s.options.Logger.Warn("the certificates of the URL cannot be read again, so those from the start are used", "error", unreadable(err))
		return s.hosts
	}
	return hostsOf(config)
}

// connecting prepares a new connection of the pool. The host of the known primary comes
// first.
func (s *Store) connecting(_ context.Context, config *pgx.ConnConfig) error {
	hosts := s.current()
	if primary := s.primary.Load(); primary != nil {
		var first, others []host
		for _, h := range hosts {
			if h.String() == primary.String() {
				first = append(first, h)
			} else {
				others = append(others, h)
			}
		}
		hosts = append(first, others...)
	}
	use(config, hosts)
	s.options.authenticate(config)
	watch(config)
	return nil
}

const (
	// suspicious is how long a write may take before the hosts are looked at again.
	suspicious = 3 * time.Second
	// lookFor is how long each of them may take to answer.
	lookFor = 2 * time.Second
)

// lookAgain looks at all hosts of the URL for a primary with a later timeline than a server
// in use, and moves to it. A fenced-off primary may well go on accepting connections, and
// never confirm anything.
func (s *Store) lookAgain() {
	if !s.looking.CompareAndSwap(false, true) {
		return
	}
	go func() {
		defer s.looking.Store(false)
		found, timeline := s.latestPrimary()
		if timeline < s.timeline.Load() {
			return
		}
		if before := s.timeline.Swap(timeline); before < timeline {
			s.options.Logger.Warn("another server is the primary by now", "host", found.String(), "instead_of", s.Host())
			s.primary.Store(&found)
			s.pool.Reset()
		}
		s.leave(timeline)
	}()
}

// leave gives up the pending writes on servers with an earlier timeline: a silent server
// may never answer them. Their callers learn that the outcome is unknown.
func (s *Store) leave(timeline uint32) {
	s.cut(func(c *connection) bool { return c.timeline < timeline })
}

// latestPrimary returns, among the hosts that accept writes, the one with the latest
// timeline, and that timeline; 0 when none answers.
func (s *Store) latestPrimary() (latest host, timeline uint32) {
	for _, h := range s.current() {
		config := s.pool.Config().ConnConfig
		use(config, []host{h})
		s.options.authenticate(config)
		if at := look(config); at > timeline {
			latest, timeline = h, at
		}
	}
	return latest, timeline
}

// look returns the timeline of the server behind a connection, or 0.
func look(config *pgx.ConnConfig) uint32 {
	ctx, cancel := context.WithTimeout(context.Background(), lookFor)
	defer cancel()
	conn, err := pgx.ConnectConfig(ctx, config)
	if err != nil {
		return 0
	}
	defer func() { _ = conn.Close(ctx) }()
	return timelineOf(ctx, conn)
}
