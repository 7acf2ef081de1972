package postgres

import (
	"errors"
	"fmt"
	"log/slog"
	"math"
	"time"
)

// Options are the settings of a Store. The zero value of each but URL stands for
// its default.
type Options struct {
	// URL leads to the database: postgres://user@host:5432/database, with
	// parameters as libpq has them, such as sslmode=verify-full, sslrootcert,
	// sslcert, sslkey, connect_timeout and, for a failover cluster,
	// several hosts and target_session_attrs=primary. Further parameters
	// are settings of the session, such as search_path; those of pgx and its
	// pool are overridden by what follows here. Password files and variables
	// such as PGPASSWORD work as they do with libpq.
	URL string
	// Password replaces that of the URLs.
	Password string
	// CurrentPassword, if not nil, is asked for the password of each connection
	// that is made, instead of Password: a password may change while connections
	// made with the former one live on.
	CurrentPassword func() string
	// Direct is a URL that leads to the database itself, for what a pooler
	// cannot carry: migrations. URL by default.
	Direct string
	// Pooler says that URL leads to a pooler in transaction mode, such as
	// PgBouncer, which refuses prepared statements and settings of the
	// session. Statements are then planned anew each time, and the server
	// does not know of Timeout. Migrations need Direct.
	Pooler bool
	// Connections is the highest number of connections at the same time. 16
	// by default.
	Connections int
	// Timeout is for how long the database may work at one statement. 10
	// seconds by default.
	Timeout time.Duration
	// AcquireTimeout is for how long a call waits for a connection while all
	// are in use or the database is away. 2 seconds by default.
	AcquireTimeout time.Duration
	// AcceptLoss opens a database that loses what it has confirmed when it
	// crashes: one with fsync, synchronous_commit or full_page_writes off.
	AcceptLoss bool
	// AutoMigrate brings the schema up to date. Without it a database whose
	// schema is not is refused.
	AutoMigrate bool
	// MigrationTimeout is for how long to wait while another process
	// migrates, or uses a table that is to be changed. 30 seconds by default.
	MigrationTimeout time.Duration
	// Logger is told of what is accepted or repaired without anybody else
	// noticing. None by default.
	Logger *slog.Logger
}

// The defaults of Options, for whoever shows them.
const (
	DefaultConnections      = 16
	DefaultTimeout          = 10 * time.Second
	DefaultAcquireTimeout   = 2 * time.Second
	DefaultMigrationTimeout = 30 * time.Second
)

// complete returns o with the defaults of what is not set. It fails when an option
// makes no sense.
func (o Options) complete() (Options, error) {
	if err := CheckURL(o.URL); err != nil {
		return o, fmt.Errorf("postgres: %w", err)
	}
	if o.Direct != "" {
		if err := CheckURL(o.Direct); err != nil {
			return o, fmt.Errorf("postgres: the direct URL: %w", err)
		}
	}
	if o.Connections < 0 || o.Connections > math.MaxInt32 {
		return o, errors.New("postgres: the number of connections has to be at least 1")
	}
	if o.Timeout < 0 || o.AcquireTimeout < 0 || o.MigrationTimeout < 0 {
		return o, errors.New("postgres: a time limit cannot be negative")
	}
	setDefault(&o.Connections, DefaultConnections)
	setDefault(&o.Timeout, DefaultTimeout)
	setDefault(&o.AcquireTimeout, DefaultAcquireTimeout)
	setDefault(&o.MigrationTimeout, DefaultMigrationTimeout)
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	return o, nil
}

func setDefault[T comparable](option *T, value T) {
	var zero T
	if *option == zero {
		*option = value
	}
}

// failure names the database in an error of Open.
func (o Options) failure(err error) error {
	return fmt.Errorf("postgres: %s: %w", Mask(o.URL), explain(err))
}
