package everyday

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/problemtracking/problems/adapters/client"
)

type keywordCommand struct {
	Account
	guard

	Number   string   `arg:"" help:"Identifier of the problem."`
	Keywords []string `arg:"" optional:"" help:"Keywords to set, such as floor=kitchen or flaky. Without one, all are shown."`
	Delete   bool     `short:"d" help:"Delete these keywords."`
	JSON     bool     `name:"json" help:"Print the keywords as JSON."`
}

// Help is shown by kong.
func (keywordCommand) Help() string {
	return `Examples:

    problems keyword 12
    problems keyword 12 floor=kitchen flaky
    problems keyword 12 -d flaky`
}

// Run is called by kong.
func (c *keywordCommand) Run(ctx context.Context, e *Env) error {
	n, ok := number(c.Number)
	if !ok {
		return errNumber(c.Number)
	}
	if c.Delete && len(c.Keywords) == 0 {
		return misused("--delete needs the names of keywords")
	}
	var set []client.Keyword
	var err error
	if c.Delete {
		for _, name := range c.Keywords {
			err = errors.Join(err, checkKeyword(name))
		}
	} else {
		set, err = keywords(c.Keywords)
	}
	if err != nil {
		return err
	}
	server, err := c.Open(e.Getenv)
	if err != nil {
		return err
	}
	for i, text := range c.Keywords {
		if c.Delete {
			err = server.DeleteKeyword(ctx, n, text, c.options()...)
		} else {
			err = server.SetKeyword(ctx, n, set[i], c.options()...)
		}
		if err != nil {
			return err
		}
	}
	if len(c.Keywords) > 0 && !c.JSON {
		return nil
	}
	p, err := server.Problem(ctx, n)
	if err != nil {
		return err
	}
	if c.JSON {
		return printJSON(e.Stdout, p.Keywords)
	}
	t := table{header: []string{"KEYWORD", "VALUE"}}
	for _, k := range p.Keywords {
		value := ""
		if k.Value != nil {
			value = *k.Value
		}
		t.rows = append(t.rows, []cell{{text: k.Name}, {text: value}})
	}
	return t.print(e)
}

type relateCommand struct {
	Account
	guard

	Number string `arg:"" help:"Identifier of the problem."`
	Type   string `arg:"" optional:"" help:"Type, such as blocked-by, parent-of, duplicate-of or related-to."`
	Other  string `arg:"" optional:"" help:"Identifier of the other problem."`
	Delete bool   `short:"d" help:"Delete this relationship."`
	JSON   bool   `name:"json" help:"Print the relationships as JSON."`
}

// Help is shown by kong.
func (relateCommand) Help() string {
	return `The types are ` + strings.Join(client.RelationshipTypes(), ", ") + `, in any case and with or without hyphens. The other problem gets the mirror by itself.

Examples:

    problems relate 12
    problems relate 12 blocked-by 13
    problems relate 12 blocked-by 13 -d`
}

// Run is called by kong.
func (c *relateCommand) Run(ctx context.Context, e *Env) error {
	n, ok := number(c.Number)
	if !ok {
		return errNumber(c.Number)
	}
	if c.Delete && c.Type == "" {
		return misused("--delete needs a type and the other problem")
	}
	server, err := c.Open(e.Getenv)
	if err != nil {
		return err
	}
	if c.Type != "" {
		kind := c.Type
		for _, t := range client.RelationshipTypes() {
			if strings.EqualFold(strings.ReplaceAll(kind, "-", ""), t) {
				kind = t
			}
		}
		other, ok := number(c.Other)
		if !ok {
			return errNumber(c.Other)
		}
		if c.Delete {
			err = server.Unrelate(ctx, n, kind, other, c.options()...)
		} else {
			_, err = server.Relate(ctx, n, kind, other, c.options()...)
		}
		if err != nil || !c.JSON {
			return err
		}
	}
	related, err := server.Relationships(ctx, n)
	if err != nil {
		return err
	}
	if c.JSON {
		return printJSON(e.Stdout, related)
	}
	t := table{header: []string{"TYPE", "#", "STATE", "TITLE"}}
	for _, r := range related {
		t.rows = append(t.rows, []cell{{text: r.Type}, {fmt.Sprint(r.ProblemIdentifier), cyan}, {text: r.Problem.State.Name}, {text: r.Problem.Title}})
	}
	return t.print(e)
}

type watchCommand struct {
	Account

	Number string `arg:"" help:"Identifier of the problem."`
	User   string `arg:"" optional:"" help:"Name or e-mail address of the watcher. Default: you."`
}

// Help is shown by kong.
func (watchCommand) Help() string {
	return `Watchers get e-mail about changes of others. People stop watching on the page of the problem.

Examples:

    problems watch 12
    problems watch 12 ann@example.org`
}

// Run is called by kong.
func (c *watchCommand) Run(ctx context.Context, e *Env) error {
	n, ok := number(c.Number)
	if !ok {
		return errNumber(c.Number)
	}
	server, err := c.Open(e.Getenv)
	if err != nil {
		return err
	}
	who, err := server.Resolve(ctx, "assignee", cmp.Or(c.User, "me"))
	if err != nil {
		return err
	}
	watcher, err := server.Watch(ctx, n, *who)
	if err != nil {
		return err
	}
	return e.say("%s watches problem %d.", watcher.Name, n)
}
