package everyday

import (
	"context"
	"fmt"
	"runtime"

	"github.com/problemtracking/problems/adapters/client"
)

type openCommand struct {
	Account

	Number string `arg:"" optional:"" help:"Identifier of the problem. Default: the list."`
	Print  bool   `short:"p" help:"Only print the address."`
}

// Help is shown by kong.
func (openCommand) Help() string {
	return `BROWSER names a browser in place of that of the system.

Examples:

    problems open 12
    problems open 12 -p`
}

// problemPage returns the address of a problem for people.
func problemPage(server *client.Client, n int64) string {
	return fmt.Sprintf("%s/problems/%d", server.Address(), n)
}

// Run is called by kong.
func (c *openCommand) Run(ctx context.Context, e *Env) error {
	server, err := c.Open(e.Getenv)
	if err != nil {
		return err
	}
	page := server.Address() + "/problems"
	if c.Number != "" {
		n, ok := number(c.Number)
		if !ok {
			return errNumber(c.Number)
		}
		page = problemPage(server, n)
	}
	if c.Print || !e.Terminal {
		_, err := fmt.Fprintln(e.Stdout, page)
		return err
	}
	return e.browse(ctx, page)
}

// browse opens a page in the browser.
func (e *Env) browse(ctx context.Context, page string) error {
	if browser := e.Getenv("BROWSER"); browser != "" {
		return e.Start(ctx, "sh", "-c", browser+` "$1"`, "sh", page)
	}
	program := "xdg-open"
	if runtime.GOOS == "darwin" {
		program = "open"
	}
	if err := e.Start(ctx, program, page); err != nil {
		return fmt.Errorf("no browser opens (%w): go to %s", err, page)
	}
	return nil
}
