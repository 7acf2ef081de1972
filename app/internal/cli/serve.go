package cli

import (
	"context"
	"net"
	"os"

	"github.com/alecthomas/kong"

	"github.com/problemtracking/problems/app/internal/config"
	"github.com/problemtracking/problems/app/internal/serve"
)

type serveCommand struct {
	config.Settings `embed:""`

	AcceptClock bool `help:"Start although the clock's lead over the newest change in the store is above --max-clock-gap."`
	AcceptFiles bool `help:"Take the files of attachments for those of this store from now on, although they are missing or were those of another one."`
}

// Help is shown by kong.
func (serveCommand) Help() string {
	return `Prints "listening on http://…" on standard output. On an empty store, the second line is the token of a first administrator, admin@localhost. On a later start, it is a command for another token. Logs are JSON lines on standard error. The service does not wait for their reader, except for three seconds at the end.

SIGTERM or SIGINT ends the service after its running requests. Another one, a second or more later, ends it at once. When the terminal of the service closes, SIGHUP ends it, too. Otherwise, SIGHUP rereads changed certificates and the changed password file of the database at once. Without SIGHUP, the service notices them by itself. New connections use the new files, and open ones go on. The service logs an unusable file, and goes on with the former content.

At its start, the service waits for a missing database. It listens, is not ready, and prints the second line when the database is there. If a signal ends the service before it listens, the exit code is 0, and the service prints nothing.

Examples:

    problems serve
    problems serve --store sqlite:///var/lib/problems/problems.db --listen 127.0.0.1:9000
    PROBLEMS_STORE=memory: problems serve --listen 127.0.0.1:0`
}

// Run is called by kong.
func (c *serveCommand) Run(ctx context.Context, command *kong.Context, p Process, warnings misspelt) error {
	var reread <-chan struct{}
	if p.Reread != nil {
		reread = p.Reread()
	}
	err := c.Attachments.Files.Check("--files", c.Storage.Store)
	if err == nil {
		err = c.Storage.Prepare()
	}
	if err != nil {
		return err
	}
	if c.Server.BootstrapToken, err = c.Server.Bootstrap(); err != nil {
		return err
	}
	var listener net.Listener
	if p.Listener != nil {
		if listener, err = p.Listener(); err != nil {
			return err
		}
	}
	known := settingNames(command.Selected())
	for _, risk := range c.Risks(config.ContainerMemory(os.DirFS("/"))) {
		warnings = append(warnings, config.ByVariable(risk.What+"; remedy: "+risk.Mend, known))
	}
	serve.LimitMemory(c.Settings)
	return serve.Run(ctx, serve.Options{
		Settings:     c.Settings,
		Version:      p.Version,
		Program:      p.Name,
		Hints:        c.Server.Hints == "always" || c.Server.Hints == "auto" && p.Terminal,
		AcceptClock:  c.AcceptClock,
		AcceptFiles:  c.AcceptFiles,
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
