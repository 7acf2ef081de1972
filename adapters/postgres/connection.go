package postgres

import (
	"context"
	"errors"
	"net"
	"slices"
	"strconv"
	"sync/atomic"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
)

// connection is shared by the hooks of the driver and the user of a connection.
type connection struct {
	// made is true once the connection is complete. A later dial is a cancel request,
	// sent by the driver when it gives up a statement.
	made atomic.Bool
	// writing is true from the first byte of a write to its answer. A write is never
	// cancelled: the server would stop waiting for the standby, and show everybody a
	// commit that a fail-over can still take back.
	writing atomic.Bool
	// warned is true once the server has sent a warning within a write. The server warns
	// when anybody cancels the wait for a standby, and then reports success. The text
	// depends on the server's language. Apart from the warnings of ageing, none is known to
	// come with these statements.
	warned atomic.Bool
	// timeline is the server's history: every fail-over raises it by one. It is 0 when
	// the server does not say.
	timeline uint32
}

// connectionKey is the driver's key for our state of a connection.
const connectionKey = "problems"

// connectionOf returns the state of a connection of the pool.
func connectionOf(conn *pgxpool.Conn) *connection {
	return conn.Conn().PgConn().CustomData()[connectionKey].(*connection)
}

var errNoCancel = errors.New("a write is never cancelled")

// watch makes the hooks of a new connection.
func watch(config *pgx.ConnConfig) {
	c := &connection{}
	dial := config.DialFunc
	config.DialFunc = func(ctx context.Context, network, address string) (net.Conn, error) {
		if c.made.Load() && c.writing.Load() {
			return nil, errNoCancel
		}
		return dial(ctx, network, address)
	}
	config.OnNotice = func(_ *pgconn.PgConn, notice *pgconn.Notice) { c.notice(notice) }
	config.AfterConnect = func(_ context.Context, conn *pgconn.PgConn) error {
		conn.CustomData()[connectionKey] = c
		c.made.Store(true)
		return nil
	}
}

// ageing are the functions of PostgreSQL that warn in each write when the numbers of
// transactions run short. These writes are done and confirmed all the same.
var ageing = []string{"GetNewTransactionId", "GetNewMultiXactId"}

// notice takes a message of the server beside its answers.
func (c *connection) notice(n *pgconn.Notice) {
	if c.writing.Load() && severityOf((*pgconn.PgError)(n)) == "WARNING" && !slices.Contains(ageing, n.Routine) {
		c.warned.Store(true)
	}
}

// connected records the server of a new connection of the pool.
func (s *Store) connected(ctx context.Context, conn *pgx.Conn) error {
	timeline := timelineOf(ctx, conn)
	conn.PgConn().CustomData()[connectionKey].(*connection).timeline = timeline
	if s.timeline.Swap(timeline) < timeline {
		s.leave(timeline)
	}
	host := conn.PgConn().Conn().RemoteAddr().String()
	s.host.Store(&host)
	return s.show(ctx, conn)
}

// timelineOf asks a server for its timeline. An engine other than PostgreSQL may not know
// it.
func timelineOf(ctx context.Context, conn *pgx.Conn) uint32 {
	var file string
	if err := conn.QueryRow(ctx, "SELECT pg_walfile_name(pg_current_wal_lsn())", pgx.QueryExecModeSimpleProtocol).Scan(&file); err != nil {
		return 0
	}
	return timelineIn(file)
}

// timelineIn returns the timeline at the beginning of the name of a log file: eight
// hexadecimal digits.
func timelineIn(file string) uint32 {
	if len(file) < 8 {
		return 0
	}
	timeline, _ := strconv.ParseUint(file[:8], 16, 32) // 0 if it is no number
	return uint32(timeline)
}

// Host returns the address of the last connected server: host and port, or the path of a
// socket; "" before the first.
func (s *Store) Host() string {
	if host := s.host.Load(); host != nil {
		return *host
	}
	return ""
}
