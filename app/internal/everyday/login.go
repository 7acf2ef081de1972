package everyday

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/problemtracking/problems/adapters/client"
)

type loginCommand struct {
	Server string `arg:"" optional:"" help:"Address of the server. Default: http://127.0.0.1:8080."`
	List   bool   `help:"List the servers with a login."`
	Forget bool   `help:"Delete the token for the server."`
}

// tokensPage is the page on which tokens are made.
const tokensPage = "/me/tokens"

// Help is shown by kong.
func (loginCommand) Help() string {
	return `Opens the page on which you make tokens for yourself, and reads a pasted token without showing it. From a pipe, it reads the token from standard input. The token is kept in ~/.config/problems/logins.json, or below XDG_CONFIG_HOME. Only you can read the file.

The last login is the server of the other commands. --url, such as --url tracker.example.org, names another one. PROBLEMS_URL and PROBLEMS_TOKEN win over logins. A token of PROBLEMS_TOKEN or --token goes to no login that is not named: without an address, it goes to http://127.0.0.1:8080.

Examples:

    problems login tracker.example.org
    problems token create --user ann@example.org --scope write | problems login
    problems login --list`
}

// Run is called by kong.
func (c *loginCommand) Run(ctx context.Context, e *Env) error {
	all, err := readLogins(e.Getenv)
	if err != nil {
		return err
	}
	if c.List {
		t := table{header: []string{"SERVER", "USER"}}
		for _, one := range all {
			t.rows = append(t.rows, []cell{{text: one.URL}, {text: one.User}})
		}
		return t.print(e)
	}
	if c.Server == "" {
		c.Server = localServer
	}
	at := all.find(c.Server)
	if c.Forget {
		if at < 0 {
			return fmt.Errorf("there is no login for %s", c.Server)
		}
		return slices.Delete(all, at, at+1).write(e.Getenv)
	}
	one := login{URL: address(c.Server)}
	if at >= 0 {
		one.URL = all[at].URL
		all = slices.Delete(all, at, at+1)
	}
	text, err := e.pasted(ctx, one.URL+tokensPage)
	if err != nil {
		return err
	}
	if one.Token, err = secret(text); err != nil {
		return err
	}
	server, err := client.New(one.URL, client.Options{Token: one.Token})
	if err != nil {
		return err
	}
	me, err := server.Me(ctx)
	if err != nil {
		return err
	}
	one.User = me.User.Name
	if err := slices.Insert(all, 0, one).write(e.Getenv); err != nil {
		return err
	}
	return e.say("Signed in to %s as %s, with the scope %s.", one.URL, me.User.Name, me.Scope)
}

// pasted reads a token that was made on a page.
func (e *Env) pasted(ctx context.Context, page string) (string, error) {
	if !e.InTerminal {
		if e.Stdin == nil {
			return "", errors.New("there is no token on standard input")
		}
		line, err := bufio.NewReader(e.Stdin).ReadString('\n')
		if errors.Is(err, io.EOF) {
			err = nil
		}
		return line, err
	}
	if err := e.say("Make a token on %s, and paste it here. It is not shown.", page); err != nil {
		return "", err
	}
	_ = e.browse(ctx, page) // the sentence above has the address
	return e.ReadSecret()
}

// say prints a sentence for people.
func (e *Env) say(format string, args ...any) error {
	_, err := fmt.Fprintln(e.Stderr, Harmless(fmt.Sprintf(format, args...)))
	return err
}
