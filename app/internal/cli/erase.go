package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/problemtracking/problems/app/internal/background"
	"github.com/problemtracking/problems/app/internal/directory"
)

type userErase struct {
	place

	Yes       bool   `help:"Erase. Without it, the command refuses, because nothing brings the person back."`
	DryRun    bool   `help:"Only count what would change. This reads all problems; with --url, the first 5,000."`
	LastAdmin bool   `help:"Erase the user even if no valid token of scope admin remains. Not with --url."`
	Who       string `arg:"" name:"user" help:"E-mail address or identifier."`
}

// Help is shown by kong.
func (userErase) Help() string {
	return `This cannot be undone. Look first, with --dry-run.

At once the user gets another name and address, and is inactive: tokens, sessions, saved queries and e-mail end. Then the former name goes from the log of each problem and its events, and watches end. What the user did stays, under the identifier. Signing in with the address makes a new user.

Texts that people wrote stay, such as comments. The command lists the problems, saved queries and webhooks with a former name or address in them. "problems compact" removes the bytes from the files of the store.

The command waits until all is done. Interrupted, it goes on when it is called again, and a running service goes on by itself.

Examples:

    problems user erase ann@example.org --dry-run
    problems user erase ann@example.org --yes`
}

// Run is called by kong.
func (c *userErase) Run(ctx context.Context, p Process) error {
	if !c.Yes && !c.DryRun {
		return errors.New("an erasure cannot be undone: look with --dry-run, and then erase with --yes")
	}
	return c.with(ctx, p, func(d directory.Directory) error {
		user, err := directory.Find(ctx, d, c.Who)
		if err != nil {
			return err
		}
		e, err := d.Erase(ctx, user.Identifier, c.DryRun, c.LastAdmin)
		for through := e.Through; err == nil && !e.Done && !c.DryRun; through = e.Through {
			if e, err = d.Erase(ctx, user.Identifier, false, c.LastAdmin); err == nil && e.Through == through && !e.Done {
				background.Sleep(ctx, 200*time.Millisecond)
				err = ctx.Err()
			}
		}
		if err != nil {
			return err
		}
		return c.report(p, e)
	})
}

func (c *userErase) report(p Process, e directory.Erasure) error {
	done := "is erased"
	if c.DryRun {
		done = "would be erased"
	}
	if c.DryRun && !e.Done {
		done += fmt.Sprintf(" (counted up to problem %d: without --url, the command counts all)", e.Through)
	}
	lines := []string{
		fmt.Sprintf("%s (%s) %s: %d tokens, %d sessions, %d saved queries, %d watches, %d entries of the audit log, %d of the logs of %d problems.",
			e.User.Name, e.User.Email, done, e.Tokens, e.Sessions, e.Saved, e.Watches, e.Audit, e.Log, e.Problems),
	}
	for _, of := range []struct {
		kind string
		all  string
	}{
		{"Problems", strings.Trim(fmt.Sprint(e.Texts), "[]")}, {"Saved queries", strings.Join(e.Queries, " ")}, {"Webhooks", strings.Join(e.Webhooks, " ")},
	} {
		if of.all != "" {
			lines = append(lines, of.kind+" with a former name or address in a text: "+of.all)
		}
	}
	_, err := fmt.Fprintln(p.Stdout, strings.Join(lines, "\n"))
	return err
}
