package postgrestest

import (
	"context"
	"errors"
	"fmt"
	"os"
)

// dsnVariable is the environment variable with the URL of a server. The program
// containers reads another one, PROBLEMS_TEST_POSTGRES_IMAGE.
const dsnVariable = "PROBLEMS_TEST_POSTGRES"

// programsVariable is the environment variable with the folder of the programs to run, of
// one version. It replaces the container and the machine's own programs.
const programsVariable = "PROBLEMS_TEST_POSTGRES_PROGRAMS"

// errNone is the message on a machine with nothing to run Postgres with.
var errNone = errors.New("the tests need PostgreSQL: start a Docker engine, or install the postgresql server package, " +
	"or name a server with " + dsnVariable + "=postgres://…; `make deps` does it on Debian as root")

// errNotRunning is the error of a stopped node that should be running.
var errNotRunning = errors.New("the server does not run")

// node is one server for this process alone. Its address stays the same all its life.
type node interface {
	// url is for a superuser, to an otherwise unused database.
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
	// remove ends the server in any state, and deletes its data.
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
	// describe names these servers in a few words.
	describe(ctx context.Context) (string, error)
	// node prepares a server with these settings, each as name=value. A volatile
	// one may lose its data when it stops.
	node(ctx context.Context, settings []string, volatile bool) (node, error)
}

// chooseShared returns the named server, or else a source of one.
func chooseShared(ctx context.Context) (source, error) {
	if url := os.Getenv(dsnVariable); url != "" {
		return given(url), nil
	}
	return chooseOwn(ctx)
}

// chooseOwn returns a source of servers that may be stopped, configured and lost.
func chooseOwn(ctx context.Context) (source, error) {
	if os.Getenv(programsVariable) != "" {
		return localBinaries()
	}
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

// Which returns one line about the server for tests on this machine. It does not start the
// server, but pulls a missing image.
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
