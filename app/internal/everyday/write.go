package everyday

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/problemtracking/problems/adapters/client"
)

type newCommand struct {
	Account

	Words   []string `arg:"" optional:"" help:"The title, and assignments such as priority=High. Without a title, the editor opens."`
	Comment string   `short:"c" placeholder:"TEXT" help:"First comment; - reads it from standard input."`
	Keyword []string `short:"k" sep:"none" placeholder:"NAME[=VALUE]" help:"Keyword; can be repeated."`
	Once    string   `placeholder:"NAME=VALUE" help:"Keyword of all reports of the same fault: an unresolved problem that has it gets the comment, and no new one is created."`
	Key     string   `placeholder:"KEY" help:"Idempotency-Key: another run with the same key within 24 hours creates nothing new."`
	JSON    bool     `name:"json" help:"Print the problem as JSON."`
}

// Help is shown by kong.
func (newCommand) Help() string {
	return `Prints the identifier of the problem. The fields of assignments are title, state, priority, classification, component, milestone, assignee and due. Names count in any case.

Examples:

    problems new The lamp is dark priority=high assignee=me
    problems new
    make test 2>&1 | problems new The build is red -c - --once build=main`
}

// Run is called by kong.
func (c *newCommand) Run(ctx context.Context, e *Env) error {
	options, err := key(c.Key)
	if err != nil {
		return err
	}
	fields := client.NewProblem{}
	if fields.Keywords, err = keywords(c.Keyword); err != nil {
		return err
	}
	var once client.Keyword
	if c.Once != "" {
		all, err := keywords([]string{c.Once})
		if err != nil {
			return err
		}
		if once = all[0]; once.Value == nil {
			return misused("--once needs the keyword with its value, such as alert=login-slow")
		}
	}
	server, err := c.Open(e.Getenv)
	if err != nil {
		return err
	}
	var title, assignments []string
	for _, word := range c.Words {
		if _, _, ok := assignment(word); ok {
			assignments = append(assignments, word)
		} else if field := mistyped(word); field != "" {
			return misused("%q looks like the field %s: write %s=…, or title=\"…\" to have the word in the title", word, field, field)
		} else {
			title = append(title, word)
		}
	}
	p, err := patch(ctx, server, assignments)
	if err != nil {
		return err
	}
	if p.Title != "" && len(title) > 0 {
		return misused("the title is given twice: by title=%q, and by the words %q", p.Title, strings.Join(title, " "))
	}
	p.Title = cmp.Or(strings.Join(title, " "), p.Title)
	comment, err := e.given(c.Comment)
	if err != nil {
		return err
	}
	draft := func() {}
	if p.Title == "" {
		if p.Title, comment, draft, err = e.compose(ctx); err != nil {
			return err
		}
	}
	fields.Fields = p.Fields
	var made client.Problem
	if c.Once != "" {
		made, _, err = server.Report(ctx, client.Report{Keyword: once, Problem: fields, Comment: comment}, options...)
	} else {
		fields.Comment = comment
		made, err = server.Create(ctx, fields, options...)
	}
	if err != nil {
		return err
	}
	draft()
	if c.JSON {
		return printJSON(e.Stdout, made)
	}
	text := fmt.Sprint(made.Identifier)
	if e.Terminal {
		text += "  " + problemPage(server, made.Identifier)
	}
	_, err = fmt.Fprintln(e.Stdout, text)
	return err
}

// compose reads a title and a comment from the editor. The draft stays until the returned
// function is called.
func (e *Env) compose(ctx context.Context) (title, comment string, done func(), err error) {
	if !e.InTerminal {
		return "", "", nil, misused("a problem needs a title: problems new TITLE")
	}
	text, done, err := e.edit(ctx, "The first line is the title, and the rest a comment. An empty file creates nothing.")
	title, comment, _ = strings.Cut(text, "\n")
	return strings.TrimSpace(title), strings.TrimSpace(comment), done, err
}

type setCommand struct {
	Account
	guard

	Args     []string `arg:"" help:"Identifiers of problems, then assignments such as state=Closed."`
	Revision int64    `placeholder:"N" help:"Change the problem only if it is at this revision."`
	DryRun   bool     `short:"d" help:"Try, and store nothing."`
	JSON     bool     `name:"json" help:"Print each changed problem as JSON."`
}

// Help is shown by kong.
func (setCommand) Help() string {
	return `The fields are title, state, priority, classification, component, milestone, assignee and due. An empty value clears a field. Names count in any case. assignee=me is you.

Examples:

    problems set 12 priority=high assignee=me
    problems set 12 13 14 milestone=1.0 due=
    problems set 12 state="In Progress" --revision 5`
}

// Run is called by kong.
func (c *setCommand) Run(ctx context.Context, e *Env) error {
	all, assignments := numbers(c.Args)
	switch {
	case len(all) == 0:
		return errNumber(c.Args[0])
	case len(assignments) == 0:
		return misused("there is nothing to set: write FIELD=VALUE, with one of the fields %s", strings.Join(client.FieldNames(), ", "))
	case len(all) > 1 && (c.Revision != 0 || c.Claim != ""):
		return misused("--revision and --claim are for one problem")
	}
	server, err := c.Open(e.Getenv)
	if err != nil {
		return err
	}
	p, err := patch(ctx, server, assignments)
	if err != nil {
		return err
	}
	options := c.options()
	if c.Revision != 0 {
		options = append(options, client.IfRevision(c.Revision))
	}
	if c.DryRun {
		options = append(options, client.DryRun())
	}
	return e.each(all, func(n int64) error {
		now, err := server.Update(ctx, n, p, options...)
		if err != nil {
			return err
		}
		if c.JSON {
			return printJSON(e.Stdout, now)
		}
		if len(now.Logs) == 0 {
			return e.say("Problem %d was like this before.", n)
		}
		for _, l := range now.Logs {
			if l.Field == nil {
				continue
			}
			if err := e.say("Problem %d: %s %s", n, *l.Field, e.change(l)); err != nil {
				return err
			}
		}
		return nil
	})
}

// each does something to several problems. A failure of one keeps no other from it.
func (e *Env) each(all []int64, do func(n int64) error) error {
	var failed []error
	for _, n := range all {
		err := do(n)
		if err != nil && len(all) > 1 {
			err = fmt.Errorf("problem %d: %w", n, err)
		}
		failed = append(failed, err)
	}
	return errors.Join(failed...)
}

type doneCommand struct {
	Account
	guard

	Args  []string `arg:"" help:"Identifiers of problems, then the words of a comment."`
	State string   `short:"s" placeholder:"NAME" help:"The resolved state. Default: the first one that the problem can move to."`
	Key   string   `placeholder:"KEY" help:"Idempotency-Key: another run with the same key within 24 hours changes nothing."`
}

// Help is shown by kong.
func (doneCommand) Help() string {
	return `Moves problems to a resolved state, and comments if there is a text: both or nothing. A text of - is read from standard input. A change of somebody else in between refuses the move.

Examples:

    problems done 12
    problems done 12 13 It was the fuse.
    problems done 12 -s Rejected
    problems done 12 --claim 0150d4f1-6000-7000-8000-000000000021 Fixed.`
}

// Run is called by kong.
func (c *doneCommand) Run(ctx context.Context, e *Env) error {
	all, words := numbers(c.Args)
	switch {
	case len(all) == 0:
		return errNumber(c.Args[0])
	case len(all) > 1 && (c.Key != "" || c.Claim != ""):
		return misused("--key and --claim are for one problem")
	}
	server, err := c.Open(e.Getenv)
	if err != nil {
		return err
	}
	text, err := e.given(strings.Join(words, " "))
	if err != nil {
		return err
	}
	options, err := key(c.Key)
	if err != nil {
		return err
	}
	options = append(options, c.options()...)
	return e.each(all, func(n int64) error {
		to, moved, err := server.Finish(ctx, n, c.State, text, options...)
		switch {
		case err != nil:
			return err
		case !moved:
			return e.say("Problem %d was %s before.", n, to.Name)
		}
		return e.say("Problem %d is %s.", n, to.Name)
	})
}
