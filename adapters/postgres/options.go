package postgres

import (
	"errors"
	"fmt"
	"log/slog"
	"math"
	"time"

	"github.com/problemtracking/problems/adapters/internal/sqlstore"
)

// Options are the settings of a Store. The zero value of each but URL stands for
// its default.
type Options struct {
	// URL leads to the database: postgres://user@host:5432/database, with the parameters
	// of libpq, such as sslmode=verify-full, sslrootcert, sslcert, sslkey and
	// connect_timeout. For a failover cluster it has several hosts and
	// target_session_attrs=primary. The parameter schema names the schema of the tracker,
	// one of many in the database; migrations create it. Further parameters are settings of
	// the session, such as search_path. The options below override parameters of pgx and its pool. Password
	// files and variables such as PGPASSWORD work as with libpq.
	URL string
	// Password replaces the passwords of the URLs.
	Password string
	// CurrentPassword, if not nil, returns the password for each new connection, instead
	// of Password: a password may change while older connections live on.
	CurrentPassword func() string
	// Direct is a URL of the database itself, for work that a pooler cannot carry:
	// migrations. The default is URL.
	Direct string
	// Pooler says that URL leads to a pooler in transaction mode, such as PgBouncer. It
	// refuses prepared statements and settings of the session. Statements are then
	// planned anew each time, and the server does not know of Timeout. Migrations need
	// Direct.
	Pooler bool
	// Connections is the highest number of connections at the same time. 16
	// by default.
	Connections int
	// Timeout is for how long the database may work at one statement. 10
	// seconds by default.
	Timeout time.Duration
	// AcquireTimeout is for how long a call waits for a connection while all are in use or
	// the database is away. The default is a fifth of Timeout, and at least 2 seconds.
	AcquireTimeout time.Duration
	// AcceptLoss opens a database that loses confirmed commits in a crash: fsync or
	// full_page_writes is off, or a table is unlogged. It also leaves synchronous_commit as
	// it is. Without it, each write raises this setting to at least "on".
	AcceptLoss bool
	// AutoMigrate brings the schema up to date. Without it Open refuses a database with
	// another schema.
	AutoMigrate bool
	// MigrationTimeout limits the wait for another process that migrates, or uses a table
	// of a migration. 30 seconds by default.
	MigrationTimeout time.Duration
	// Serving says that the store is that of a service. It does what is left to do in the
	// background, with AutoMigrate, and looks at the progress, until Close.
	Serving bool
	// Logger receives accepted risks, silent repairs and the progress of background
	// steps. None by default.
	Logger *slog.Logger

	schema string         // of the URL; "": as the search_path has it
	steps  sqlstore.Steps // of this version; tests have others
	pause  time.Duration  // between two looks at background steps; tests have another
	// unattended lets a server go on with a statement that nobody waits for any more.
	unattended bool
}

// The defaults of Options, for programs that show them.
const (
	DefaultConnections      = 16
	DefaultTimeout          = 10 * time.Second
	DefaultMigrationTimeout = 30 * time.Second
)

// complete returns o with defaults for all unset options. It fails when an option makes
// no sense.
func (o Options) complete() (Options, error) {
	if err := CheckURL(o.URL); err != nil {
		return o, fmt.Errorf("postgres: %w", err)
	}
	if o.Direct != "" {
		if err := CheckURL(o.Direct); err != nil {
			return o, fmt.Errorf("postgres: the direct URL: %w", err)
		}
	}
	if err := o.nameSchema(); err != nil {
		return o, err
	}
	if o.Connections < 0 || o.Connections > math.MaxInt32 {
		return o, errors.New("postgres: the number of connections has to be at least 1")
	}
	if o.Timeout < 0 || o.AcquireTimeout < 0 || o.MigrationTimeout < 0 {
		return o, errors.New("postgres: a time limit cannot be negative")
	}
	if o.steps.Files == nil {
		o.steps = builtin
	}
	setDefault(&o.Connections, DefaultConnections)
	setDefault(&o.Timeout, DefaultTimeout)
	setDefault(&o.AcquireTimeout, max(2*time.Second, o.Timeout/5))
	setDefault(&o.MigrationTimeout, DefaultMigrationTimeout)
	setDefault(&o.pause, sqlstore.ReportInterval)
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
