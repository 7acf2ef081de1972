package cli

import (
	"context"
	"net"

	"github.com/problemtracking/problems/app/internal/config"
	"github.com/problemtracking/problems/app/internal/serve"
)

type serveCommand struct {
	config.Settings `embed:""`

	AcceptClock bool `help:"Start although the clock is further ahead of the newest change in the store than --max-clock-gap."`
}

// Help is shown by kong.
func (serveCommand) Help() string {
	return `Prints "listening on http://…" on standard output and, on an empty store, the token of a first administrator, admin@localhost; on a later start, the command that makes another token. Logs are JSON lines on standard error; the service does not wait for anybody to read them, but for three seconds at the end. SIGTERM or SIGINT ends the service once the requests under way are answered; another one, a second or more later, ends it at once. A changed certificate, and a changed file of the database's password, are read again by themselves, and at once after SIGHUP: new connections use what is there, and open ones go on; what cannot be used is logged, and the former content stays in use. When the terminal of the service is closed, SIGHUP ends it as SIGTERM does. A database that is away at the start is waited for: the service listens, is not ready, and prints the second line when the database is there. A service that is told to end before it listens has the exit code 0 as well, and prints nothing.

Examples:

    problems serve
    problems serve --store sqlite:///var/lib/problems/problems.db --listen 127.0.0.1:9000
    PROBLEMS_STORE=memory: problems serve --listen 127.0.0.1:0`
}

// Run is called by kong.
func (c *serveCommand) Run(ctx context.Context, p Process, warnings misspelt) error {
	var reread <-chan struct{}
	if p.Reread != nil {
		reread = p.Reread()
	}
	if err := c.Storage.Prepare(); err != nil {
		return err
	}
	var err error
	if c.Server.BootstrapToken, err = c.Server.Bootstrap(); err != nil {
		return err
	}
	var listener net.Listener
	if p.Listener != nil {
		if listener, err = p.Listener(); err != nil {
			return err
		}
	}
	serve.LimitMemory(c.Settings)
	return serve.Run(ctx, serve.Options{
		Settings:     c.Settings,
		Version:      p.Version,
		Program:      p.Name,
		Hints:        c.Server.Hints == "always" || c.Server.Hints == "auto" && p.Terminal,
		AcceptClock:  c.AcceptClock,
		Stdout:       p.Stdout,
		Stderr:       p.Stderr,
		Now:          p.Now,
		Random:       p.Random,
		NewRequestID: p.NewRequestID,
		Steady:       p.Steady,
		Reread:       reread,
		Listener:     listener,
		Warnings:     warnings,
	})
}
