package postgrestest

import (
	"context"
	"errors"
	"fmt"
	"os"
)

// dsnVariable is the environment variable that names a server. The program containers
// reads another one, PROBLEMS_TEST_POSTGRES_IMAGE.
const dsnVariable = "PROBLEMS_TEST_POSTGRES"

// errNone is what somebody reads whose machine has nothing to run Postgres with.
var errNone = errors.New("the tests need PostgreSQL: start a Docker engine, or install the postgresql server package, " +
	"or name a server with " + dsnVariable + "=postgres://…; `make deps` does it on Debian as root")

// errNotRunning is what a node that is stopped returns when it should not be.
var errNotRunning = errors.New("the server does not run")

// node is one server, which only this process uses. Its address stays the same
// for as long as it lives.
type node interface {
	// url is for a superuser, to a database that nobody works in.
	url() string
	// start runs the server and returns when it answers.
	start(ctx context.Context) error
	// stop ends the server in order; it returns when it is gone.
	stop(ctx context.Context, mode stopMode) error
	// kill ends every process of the server at once.
	kill(ctx context.Context) error
	// pause halts every process of the server, until resume.
	pause(ctx context.Context) error
	resume(ctx context.Context) error
	// remove ends the server in whatever state it is, and deletes its data.
	remove(ctx context.Context) error
}

// stopMode is one of the shutdown modes of PostgreSQL, named as pg_ctl does.
type stopMode string

const (
	fast      stopMode = "fast"      // disconnects everybody and writes everything
	immediate stopMode = "immediate" // aborts; the next start recovers
)

// source makes servers of one kind.
type source interface {
	// describe says in a few words which servers these are.
	describe(ctx context.Context) (string, error)
	// node prepares a server with these settings, each as name=value. A volatile
	// one may lose its data when it stops.
	node(ctx context.Context, settings []string, volatile bool) (node, error)
}

// chooseShared returns the server that was named, or else what makes one.
func chooseShared(ctx context.Context) (source, error) {
	if url := os.Getenv(dsnVariable); url != "" {
		return given(url), nil
	}
	return chooseOwn(ctx)
}

// chooseOwn returns what makes servers that may be stopped, configured and lost.
func chooseOwn(ctx context.Context) (source, error) {
	engine, err := containerEngine(ctx)
	if err != nil {
		return nil, err
	}
	if engine != nil {
		return engine, nil
	}
	local, err := localBinaries()
	if errors.Is(err, ErrNoBinaries) {
		return nil, errNone
	}
	return local, err
}

// Which says in a line which server the tests of this machine use, without
// starting it. An image that is missing is pulled.
func Which(ctx context.Context) (string, error) {
	source, err := chooseShared(ctx)
	if err != nil {
		return "", err
	}
	description, err := source.describe(ctx)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("postgres for tests: %s", description), nil
}
