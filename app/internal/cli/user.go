package cli

import (
	"context"
	"fmt"

	"github.com/problemtracking/problems/app/internal/directory"
)

type userCommands struct {
	Add        userAdd        `cmd:"" help:"Add a user and print the identifier."`
	List       userList       `cmd:"" help:"List all users."`
	Erase      userErase      `cmd:"" help:"Erase a person for good: name, address, tokens and sessions."`
	Deactivate userDeactivate `cmd:"" help:"Make a user inactive, and revoke the user's tokens for good."`
}

type userAdd struct {
	place

	Name  string `required:"" placeholder:"NAME" help:"Name of the user, 1 to 255 characters."`
	Email string `required:"" placeholder:"EMAIL" help:"E-mail address, unique among all users."`
	JSON  bool   `name:"json" help:"Print the user as JSON instead."`
}

// Help is shown by kong.
func (userAdd) Help() string {
	return `Examples:

    problems user add --name "Ann Lee" --email ann@example.org
    PROBLEMS_TOKEN=pts_… problems user add --name Bo --email bo@example.org --url http://127.0.0.1:8080`
}

// Run is called by kong.
func (c *userAdd) Run(ctx context.Context, p Process) error {
	return c.with(ctx, p, func(d directory.Directory) error {
		user, err := d.AddUser(ctx, c.Name, c.Email)
		if err != nil {
			return err
		}
		if c.JSON {
			return printJSON(p.Stdout, user)
		}
		_, err = fmt.Fprintln(p.Stdout, user.Identifier)
		return err
	})
}

type userList struct {
	place

	JSON bool `name:"json" help:"Print a JSON array instead of a table."`
}

// Run is called by kong.
func (c *userList) Run(ctx context.Context, p Process) error {
	return c.with(ctx, p, func(d directory.Directory) error {
		users, err := d.Users(ctx)
		if err != nil {
			return err
		}
		if c.JSON {
			return printJSON(p.Stdout, users)
		}
		rows := [][]string{{"IDENTIFIER", "NAME", "E-MAIL", "STATUS"}}
		for _, u := range users {
			status := "active"
			if u.Inactive {
				status = "inactive"
			}
			rows = append(rows, []string{u.Identifier, u.Name, u.Email, status})
		}
		return printTable(p.Stdout, rows)
	})
}

type userDeactivate struct {
	place

	LastAdmin bool   `help:"Deactivate the user even if no valid token of scope admin remains. \"problems token create\" on the store makes another. Not with --url."`
	Who       string `arg:"" name:"user" help:"E-mail address or identifier."`
}

// Run is called by kong.
func (c *userDeactivate) Run(ctx context.Context, p Process) error {
	return c.with(ctx, p, func(d directory.Directory) error {
		user, err := directory.Find(ctx, d, c.Who)
		if err != nil {
			return err
		}
		if user, err = d.Deactivate(ctx, user.Identifier, c.LastAdmin); err != nil {
			return err
		}
		_, err = fmt.Fprintf(p.Stderr, "%s (%s) is inactive; the tokens no longer work.\n", user.Name, user.Email)
		return err
	})
}
