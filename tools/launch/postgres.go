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
	local *postgrestest.LocalServer // nil for a server that others started
	made  []string                  // the created databases
}

// ErrNoPostgres is the error of StartDatabase on a machine without PostgreSQL.
var ErrNoPostgres = errors.New("there is no PostgreSQL to measure: install the postgresql server package (`make deps` does it on Debian as root), " +
	"or name a server with -postgres postgres://…, or leave it out with -stores memory,sqlite")

// GivenDatabase returns a running server that others started. Its processes are unknown, so
// nobody can measure its cost.
func GivenDatabase(url string) *Database { return &Database{url: url} }

// StartDatabase starts a server from this machine's binaries, and makes the directory dir for
// its data. It keeps the default settings, except for the number of connections. So the server
// syncs its commits. The error is ErrNoPostgres on a machine without the binaries.
func StartDatabase(ctx context.Context, dir string) (*Database, error) {
	// The default of 100 is too few for a measurement with many clients.
	server, err := postgrestest.StartLocal(ctx, dir, "max_connections=300")
	if errors.Is(err, postgrestest.ErrNoBinaries) {
		return nil, ErrNoPostgres
	}
	if err != nil {
		return nil, err
	}
	return &Database{url: server.URL(), local: server}, nil
}

// Create makes an empty database and returns its URL. The name goes into the statement as it
// is, so it has to be a plain identifier.
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

// Settle gathers statistics, and marks pages as visible to all. After an import, a server does
// this by itself within a minute or two. A measurement cannot wait for that.
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

// PIDs returns a function that lists the processes of the server. It returns nil for a given
// server.
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

// Version returns the name and version of the server, such as "PostgreSQL 17.2".
func (d *Database) Version(ctx context.Context) (string, error) {
	conn, err := pgx.Connect(ctx, d.url)
	if err != nil {
		return "", err
	}
	defer func() { _ = conn.Close(ctx) }() // nothing is under way
	var version string
	err = conn.QueryRow(ctx, "SELECT version()").Scan(&version)
	version, _, _ = strings.Cut(version, " on ") // the machine and the compiler follow
	return version, err
}
