package launch

import (
	"context"
	"errors"
	"net/url"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/problemtracking/problems/adapters/postgres/postgrestest"
)

// Database is a PostgreSQL server.
type Database struct {
	url   string                    // as a user with the right to create databases
	local *postgrestest.LocalServer // nil: it ran already
	made  []string                  // the created databases
}

// ErrNoPostgres is the message for a machine without PostgreSQL.
var ErrNoPostgres = errors.New("there is no PostgreSQL to measure: install the postgresql server package (`make deps` does it on Debian as root), " +
	"or name a server with -postgres postgres://…, or leave it out with -stores memory,sqlite")

// GivenDatabase is an already running server. Its cost cannot be measured.
func GivenDatabase(url string) *Database { return &Database{url: url} }

// StartDatabase starts a server from this machine's binaries. It makes the directory for
// the data. The settings are the defaults: above all it syncs its commits.
func StartDatabase(ctx context.Context, dir string) (*Database, error) {
	// The number of connections is for the clients in the measurement of the limits.
	server, err := postgrestest.StartLocal(ctx, dir, "max_connections=300")
	if errors.Is(err, postgrestest.ErrNoBinaries) {
		return nil, ErrNoPostgres
	}
	if err != nil {
		return nil, err
	}
	return &Database{url: server.URL(), local: server}, nil
}

// Create makes an empty database and returns its URL.
func (d *Database) Create(ctx context.Context, name string) (string, error) {
	at, err := url.Parse(d.url)
	if err != nil || at.Scheme == "" {
		return "", errors.New("-postgres has to be a URL such as postgres://user@host/database")
	}
	if err := sql(ctx, d.url, "CREATE DATABASE "+name+" TEMPLATE template0"); err != nil {
		return "", err
	}
	d.made = append(d.made, name)
	at.Path = "/" + name
	return at.String(), nil
}

// Settle does at once the usual work of a database within a minute or two of an import:
// it gathers statistics, and marks pages as visible to all.
func Settle(ctx context.Context, url string) error { return sql(ctx, url, "VACUUM (ANALYZE)") }

// sql runs a statement outside of a transaction.
func sql(ctx context.Context, url, statement string) error {
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(ctx) }() // nothing is under way
	_, err = conn.Exec(ctx, statement)
	return err
}

// PIDs returns the processes of the server; it is nil if they cannot be seen.
func (d *Database) PIDs() func() []int {
	if d.local == nil {
		return nil
	}
	return func() []int { return Children(d.local.PID()) }
}

// Stop ends the server, or drops the created databases on a given one.
func (d *Database) Stop(ctx context.Context) error {
	if d.local != nil {
		return d.local.Remove(ctx)
	}
	var errs []error
	for _, name := range d.made {
		errs = append(errs, sql(ctx, d.url, "DROP DATABASE "+name+" WITH (FORCE)"))
	}
	return errors.Join(errs...)
}

// Version returns the server's own version string.
func (d *Database) Version(ctx context.Context) (string, error) {
	conn, err := pgx.Connect(ctx, d.url)
	if err != nil {
		return "", err
	}
	defer func() { _ = conn.Close(ctx) }() // nothing is under way
	var version string
	err = conn.QueryRow(ctx, "SELECT version()").Scan(&version)
	version, _, _ = strings.Cut(version, " on ")
	return version, err
}
