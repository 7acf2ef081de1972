package cli

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/problemtracking/problems/app/internal/config"
	"github.com/problemtracking/problems/app/internal/directory"
	"github.com/problemtracking/problems/domain/date"
)

type tokenCommands struct {
	Create tokenCreate `cmd:"" help:"Create a token and print it once."`
	List   tokenList   `cmd:"" help:"List all tokens, without their secrets."`
	Revoke tokenRevoke `cmd:"" help:"Make a token invalid for good."`
}

type tokenCreate struct {
	place

	User    string `required:"" placeholder:"USER" help:"The user of the token: e-mail address or identifier."`
	Scope   string `required:"" enum:"read,comment,report,write,admin" placeholder:"SCOPE" help:"Scope: read, comment, report, write or admin. Each includes the ones before it."`
	Name    string `placeholder:"NAME" help:"What tells the user's tokens apart, such as \"nightly build\"."`
	Expires expiry `placeholder:"WHEN" help:"End of the token: a time from now such as 720h, a date such as 2030-01-31, which it works on in the zone of --time-zone, or a moment such as 2030-01-31T12:00:00Z. Default: never."`
	JSON    bool   `name:"json" help:"Print the token with its record as JSON instead."`

	TimeZone config.TimeZone `default:"UTC" group:"Dates" placeholder:"ZONE" help:"Time zone of a date, as \"problems serve\" has it. Default: ${default}."`
}

// Help is shown by kong.
func (tokenCreate) Help() string {
	return `The scopes are:

    read     load and search everything but tokens and the audit log
    comment  also write own comments and attachments
    report   also create problems
    write    also write problems and all that belongs to them, save queries, create milestones
    admin    also write users, tokens and all other metadata, and read the audit log

Only the token goes to standard output, for scripts.

Examples:

    TOKEN=$(problems token create --user admin@localhost --scope admin)
    problems token create --user ann@example.org --scope write --name laptop --expires 720h`
}

// Run is called by kong.
func (c *tokenCreate) Run(ctx context.Context, p Process) error {
	return c.with(ctx, p, func(d directory.Directory) error {
		user, err := directory.Find(ctx, d, c.User)
		if err != nil {
			return err
		}
		token, err := d.CreateToken(ctx, user.Identifier, c.Scope, c.Name, c.Expires.from(p.Now(), c.TimeZone.Location()))
		if err != nil {
			return err
		}
		if c.JSON {
			return printJSON(p.Stdout, token)
		}
		if _, err := fmt.Fprintln(p.Stdout, token.Secret); err != nil {
			return err
		}
		_, err = fmt.Fprintf(p.Stderr, "Token %s of scope %s for %s, valid until %s. It is not shown again.\n",
			token.Identifier, token.Scope, user.Email, orElse(token.Expires, "revoked"))
		return err
	})
}

type tokenList struct {
	place

	JSON bool `name:"json" help:"Print a JSON array instead of a table."`
}

// Run is called by kong.
func (c *tokenList) Run(ctx context.Context, p Process) error {
	return c.with(ctx, p, func(d directory.Directory) error {
		tokens, err := d.Tokens(ctx)
		if err != nil {
			return err
		}
		if c.JSON {
			return printJSON(p.Stdout, tokens)
		}
		rows := [][]string{{"IDENTIFIER", "USER", "NAME", "SCOPE", "CREATED", "LAST USE", "EXPIRES", "REVOKED"}}
		for _, t := range tokens {
			name := ""
			if t.Name != nil {
				name = *t.Name
			}
			rows = append(rows, []string{t.Identifier, t.User.Name, name, t.Scope,
				orElse(&t.CreationDate, ""), orElse(t.LastUse, "never"), orElse(t.Expires, "never"), orElse(t.Revoked, "no")})
		}
		return printTable(p.Stdout, rows)
	})
}

type tokenRevoke struct {
	place

	LastAdmin  bool   `help:"Revoke the token even if it is the last valid one of scope admin. \"problems token create\" on the store makes another. Not with --url."`
	Identifier string `arg:"" help:"Identifier of the token, as \"problems token list\" shows it."`
}

// Run is called by kong.
func (c *tokenRevoke) Run(ctx context.Context, p Process) error {
	return c.with(ctx, p, func(d directory.Directory) error {
		if err := d.RevokeToken(ctx, c.Identifier, c.LastAdmin); err != nil {
			return err
		}
		_, err := fmt.Fprintf(p.Stderr, "Token %s is revoked.\n", c.Identifier)
		return err
	})
}

// expiry is a time, the end of a day, or a span of time from now; the zero expiry is never.
type expiry struct {
	at    time.Time
	day   date.Date
	after time.Duration
}

// UnmarshalText reads a Go duration, a date or an RFC 3339 time.
func (e *expiry) UnmarshalText(text []byte) (err error) {
	if e.after, err = time.ParseDuration(string(text)); err == nil {
		if e.after <= 0 {
			return errors.New("the time from now has to be more than 0")
		}
		return nil
	}
	if e.day, err = date.Parse(string(text)); err == nil {
		return nil
	}
	if e.at, err = time.Parse(time.RFC3339, string(text)); err != nil {
		return errors.New("expected a time from now such as 720h, a date such as 2030-01-31, or a moment such as 2030-01-31T12:00:00Z")
	}
	return nil
}

// from returns the time of the flag; zero for never. A date ends in the zone.
func (e expiry) from(now time.Time, zone *time.Location) time.Time {
	switch {
	case e.after > 0:
		return now.Add(e.after)
	case !e.day.IsNone():
		return e.day.End(zone)
	default:
		return e.at
	}
}

// orElse returns a time for people to read, or the text for none.
func orElse(t *time.Time, none string) string {
	if t == nil {
		return none
	}
	return t.UTC().Format(time.DateTime) + " UTC"
}
