package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/problemtracking/problems/adapters/sqlite"
	"github.com/problemtracking/problems/app/internal/config"
	"github.com/problemtracking/problems/app/internal/directory"
	"github.com/problemtracking/problems/domain/tracker"
)

// place says whose users and tokens a command is about.
type place struct {
	config.Storage `embed:"" group:"Store (the service may be running)"`

	Remote struct {
		URL   string       `name:"url" placeholder:"URL" help:"Work on the running server at this address, such as http://127.0.0.1:8080, instead of on a store."`
		Token config.Token `placeholder:"TOKEN" help:"Token of scope admin for that server. Better set as a variable: other users of the machine can see flags."`
	} `embed:"" group:"Running server"`
}

// open returns the directory there.
func (c *place) open(ctx context.Context, p Process) (directory.Directory, error) {
	if c.Remote.URL != "" {
		if !c.Remote.Token.Given() {
			return nil, errors.New("a running server needs a token of scope admin: set PROBLEMS_TOKEN")
		}
		return directory.Remote(c.Remote.URL, c.Remote.Token.Secret)
	}
	switch c.Store.Scheme {
	case config.Memory:
		return nil, errors.New("a store in memory is only within its server: give the server's address with --url, and a token of scope admin as PROBLEMS_TOKEN")
	case config.SQLite:
		if _, err := os.Stat(c.Store.Path); errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf(`there is no store at %s: "problems serve" makes one`, c.Store.Path)
		}
		s, err := sqlite.Open(ctx, sqlite.Options{Path: c.Store.Path})
		if err != nil {
			return nil, err
		}
		service := tracker.New(tracker.Options{Store: s, Now: p.Now, Random: p.Random, Limits: tracker.DefaultLimits()})
		return directory.Local(ctx, service, s)
	default:
		return nil, config.ErrNoStore
	}
}

// with calls fn with the directory there.
func (c *place) with(ctx context.Context, p Process, fn func(directory.Directory) error) error {
	d, err := c.open(ctx, p)
	if err != nil {
		return err
	}
	return errors.Join(fn(d), d.Close())
}
