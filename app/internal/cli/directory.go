package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/alecthomas/kong"

	"github.com/problemtracking/problems/app/backend"
	"github.com/problemtracking/problems/app/internal/config"
	"github.com/problemtracking/problems/app/internal/directory"
	"github.com/problemtracking/problems/app/internal/storage"
	"github.com/problemtracking/problems/domain/clock"
	"github.com/problemtracking/problems/domain/tracker"
	"github.com/problemtracking/problems/domain/tracker/usecases"
)

// place names the store or the server of a command.
type place struct {
	config.Storage `embed:"" group:"Store (the service may be running)"`

	Clock       config.ClockGap `embed:"" group:"Clock"`
	AcceptClock bool            `help:"Write although the clock's lead over the newest change in the store is above --max-clock-gap."`

	Remote struct {
		URL       string       `name:"url" placeholder:"URL" help:"Use the running server at this address, such as http://127.0.0.1:8080, instead of a store."`
		Token     config.Token `placeholder:"TOKEN" help:"Token of scope admin for the server. Better set as a variable: other users of the machine can see flags."`
		TokenFile string       `placeholder:"FILE" help:"File with that token."`
	} `embed:"" group:"Running server"`
}

// AfterApply is called by kong once all flags are set. It calls AfterApply of the
// settings: kong does not find them in here.
func (c *place) AfterApply(command *kong.Context, stores *backend.Registry, faults *config.Faults) error {
	if err := c.Storage.AfterApply(command, stores, faults); err != nil {
		return err
	}
	if config.Typed(command, "store") { // a flag wins over PROBLEMS_URL
		if config.Typed(command, "url") {
			return faults.Add(errors.New("--url and --store exclude each other: a running server has its store"))
		}
		c.Remote.URL = ""
	}
	return c.Clock.AfterApply(faults)
}

// open returns the directory there.
func (c *place) open(ctx context.Context, p Process) (directory.Directory, error) {
	if c.Remote.URL != "" {
		token, err := config.ReadToken(c.Remote.Token, c.Remote.TokenFile)
		if err != nil {
			return nil, err
		}
		if !token.Given() {
			return nil, errors.New("a running server needs a token of scope admin: set PROBLEMS_TOKEN or PROBLEMS_TOKEN_FILE")
		}
		if c.AcceptClock {
			return nil, errors.New("--accept-clock works on a store only: a running server is told so at its start")
		}
		return directory.Remote(c.Remote.URL, token.Secret)
	}
	s, err := storage.Open(ctx, c.Storage, p.logger())
	if errors.Is(err, backend.ErrPrivate) {
		return nil, fmt.Errorf("%w: give the server's address with --url, and a token of scope admin as PROBLEMS_TOKEN", err)
	}
	if errors.Is(err, backend.ErrInUse) {
		return nil, fmt.Errorf("%w; or give its address with --url, and a token of scope admin as PROBLEMS_TOKEN", err)
	}
	if err != nil {
		return nil, err
	}
	service := usecases.New(tracker.Options{
		Store: s, Now: p.Now, Random: p.Random, Limits: tracker.DefaultLimits(),
		Guard: tracker.Guard{Limits: clock.Limits{Gap: c.Clock.Max}, Accept: c.AcceptClock},
	}, nil)
	return directory.Local(ctx, service, s)
}

// with calls fn with the directory there.
func (c *place) with(ctx context.Context, p Process, fn func(directory.Directory) error) error {
	d, err := c.open(ctx, p)
	if err != nil {
		return err
	}
	return errors.Join(fn(d), d.Close())
}
