// Package problems is the program "problems": serve, user, token, export, import, copy,
// migrate, backup, doctor,
// health and config. A main of a few lines builds it with any kinds of stores; see package [github.com/problemtracking/problems/app/backend].
package problems

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"runtime/debug"
	"syscall"
	"time"

	"github.com/coreos/go-systemd/v22/activation"
	"github.com/google/uuid"
	"golang.org/x/term"

	"github.com/problemtracking/problems/app/backend"
	"github.com/problemtracking/problems/app/internal/builtin"
	"github.com/problemtracking/problems/app/internal/cli"
	"github.com/problemtracking/problems/app/internal/steady"
)

// BuiltIn returns the kinds of stores of the project: memory, SQLite and PostgreSQL.
// SQLite is the default. Each call returns new values.
func BuiltIn() []backend.Kind { return builtin.Kinds() }

// grace is how long a second signal to end counts as the first one: some supervisors
// send it to the process and then to its group. After this time, it kills.
const grace = time.Second

// Main is the main function of the program, and does not return. The program has the
// given kinds of stores and no others. An empty version stands for the version of the
// main module. With an incomplete kind, every command ends with an error and exit code 2.
// [backend.New] returns the same error in a test.
func Main(version string, kinds ...backend.Kind) {
	uuid.EnableRandPool() // the identifiers of requests are no secrets
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, func() { time.AfterFunc(grace, stop) })
	ctx, end := context.WithCancel(ctx)
	signal.Ignore(syscall.SIGPIPE) // the reader of the log may go; the service stays
	os.Exit(cli.Run(ctx, cli.Process{
		Name:         os.Args[0],
		Args:         os.Args[1:],
		Getenv:       os.Getenv,
		Environ:      os.Environ,
		Stdin:        os.Stdin,
		Stdout:       os.Stdout,
		Stderr:       os.Stderr,
		Terminal:     term.IsTerminal(int(os.Stdout.Fd())),
		ErrTerminal:  term.IsTerminal(int(os.Stderr.Fd())),
		InTerminal:   term.IsTerminal(int(os.Stdin.Fd())),
		Width:        width(),
		ReadSecret:   readSecret,
		Start:        start,
		Version:      versionOf(version),
		Kinds:        kinds,
		Now:          time.Now,
		Steady:       steady.Clock(),
		Random:       rand.Reader,
		NewRequestID: func() string { return uuid.Must(uuid.NewV7()).String() },
		Listener:     inherited,
		Reread:       func() <-chan struct{} { return hangUps(end) },
	}))
}

// width returns the number of columns of the terminal, or 0.
func width() int {
	columns, _, err := term.GetSize(int(os.Stdout.Fd()))
	if err != nil {
		return 0
	}
	return columns
}

// readSecret reads a line from the terminal without an echo.
func readSecret() (string, error) {
	line, err := term.ReadPassword(int(os.Stdin.Fd()))
	return string(line), err
}

// start runs a program with the terminal of this one.
func start(ctx context.Context, name string, args ...string) error {
	command := exec.CommandContext(ctx, name, args...)
	command.Stdin, command.Stdout, command.Stderr = os.Stdin, os.Stdout, os.Stderr
	return command.Run()
}

// inherited returns the listener of a socket unit of systemd; nil without one. The socket
// stays open while the service restarts, so no client is refused.
func inherited() (net.Listener, error) {
	all, err := activation.Listeners()
	switch {
	case err != nil:
		return nil, fmt.Errorf("the socket of systemd cannot be used: %w", err)
	case len(all) > 1:
		return nil, fmt.Errorf("systemd has passed %d sockets: the service takes one, so leave one ListenStream in its socket unit", len(all))
	case len(all) == 1 && all[0] == nil:
		return nil, errors.New("systemd has passed a socket of another kind: the service takes one with ListenStream")
	case len(all) == 0:
		return nil, nil
	}
	if _, ok := all[0].(*net.TCPListener); !ok {
		return nil, fmt.Errorf("systemd has passed the socket %s: the service takes one of TCP, such as ListenStream=127.0.0.1:8080", all[0].Addr())
	}
	return all[0], nil
}

// hangUps returns a channel that gets a value after SIGHUP. If the signal comes because
// the terminal of the process was closed, hangUps calls end instead.
func hangUps(end func()) <-chan struct{} {
	before := terminals()
	signals, told := make(chan os.Signal, 1), make(chan struct{}, 1)
	signal.Notify(signals, syscall.SIGHUP)
	go func() {
		for range signals {
			if terminals() < before {
				end()
			}
			select {
			case told <- struct{}{}:
			default: // it will be done anyway
			}
		}
	}()
	return told
}

// terminals returns how many of the standard files are terminals.
func terminals() (n int) {
	for _, f := range []*os.File{os.Stdin, os.Stdout, os.Stderr} {
		if term.IsTerminal(int(f.Fd())) {
			n++
		}
	}
	return n
}

// versionOf returns the linked version, or else the one of the module.
func versionOf(linked string) string {
	if linked != "" {
		return linked
	}
	if info, ok := debug.ReadBuildInfo(); ok {
		return info.Main.Version
	}
	return "unknown"
}
