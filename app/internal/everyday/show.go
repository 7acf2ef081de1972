package everyday

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/problemtracking/problems/adapters/client"
	"github.com/problemtracking/problems/domain/problem"
)

type showCommand struct {
	Account

	Number string   `arg:"" help:"Identifier of the problem."`
	Log    bool     `short:"l" help:"Show the log, too."`
	AsOf   string   `placeholder:"WHEN" help:"Show the problem at a revision, or at a time such as 2026-10-31T12:00:00Z."`
	Fields []string `short:"f" placeholder:"NAME,…" help:"Print only these members, such as title,state.name: one line each."`
	JSON   bool     `name:"json" help:"Print JSON: the problem as the API has it, with its comments, relationships, files and claim. With --fields, only these members."`
}

// Help is shown by kong.
func (showCommand) Help() string {
	return `Examples:

    problems show 12
    problems show 12 --log --as-of 3
    problems show 12 -f state.name`
}

// Run is called by kong.
func (c *showCommand) Run(ctx context.Context, e *Env) error {
	n, ok := number(c.Number)
	if !ok {
		return errNumber(c.Number)
	}
	server, err := c.Open(e.Getenv)
	if err != nil {
		return err
	}
	var past []client.Option
	if c.AsOf != "" {
		past = append(past, client.AsOf(c.AsOf))
	}
	record, err := client.Load[json.RawMessage](ctx, server, n, append(slices.Clone(past), client.Only(c.Fields...))...)
	if err != nil {
		return err
	}
	if len(c.Fields) > 0 {
		return c.members(e, record)
	}
	related, err := server.Relationships(ctx, n, past...)
	if err != nil {
		return err
	}
	files, err := server.Attachments(ctx, n, past...)
	if err != nil {
		return err
	}
	comments := []client.Comment{}
	for comment, err := range server.Comments(ctx, n, past...) {
		if err != nil {
			return err
		}
		comments = append(comments, comment)
	}
	var claim *client.Claim
	if c.AsOf == "" {
		if claim, err = server.ClaimOf(ctx, n); err != nil {
			return err
		}
	}
	if c.JSON {
		members := make(map[string]any)
		if err := json.Unmarshal(record, &members); err != nil {
			return err
		}
		members["comments"], members["relationships"], members["attachments"], members["claim"] = comments, related, files, claim
		return printJSON(e.Stdout, members)
	}
	var p client.Problem
	if err := json.Unmarshal(record, &p); err != nil {
		return err
	}
	_, err = io.WriteString(e.Stdout, e.page(p, record, claim, related, files, comments, c.Log))
	return err
}

// members prints some members of a problem.
func (c *showCommand) members(e *Env, record json.RawMessage) error {
	if c.JSON {
		return printJSON(e.Stdout, record)
	}
	for _, f := range c.Fields {
		if _, err := fmt.Fprintln(e.Stdout, e.harmless(e.value(record, f))); err != nil {
			return err
		}
	}
	return nil
}

// page returns a problem for people.
func (e *Env) page(p client.Problem, record json.RawMessage, claim *client.Claim, related []client.Relationship, files []client.Attachment, comments []client.Comment, log bool) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s  %s\n", e.styled(cyan, fmt.Sprint(p.Identifier)), e.styled(bold, e.harmless(p.Title)))
	line := func(label, text string) {
		if text != "" {
			fmt.Fprintf(&b, "%s %s\n", e.styled(faint, fmt.Sprintf("%-16s", label)), e.harmless(text))
		}
	}
	for _, field := range []string{"state", "priority", "classification", "component", "milestone", "assignee", "due", "originator", "creationDate", "modifier", "modificationDate", "resolver", "resolveDate", "keywords", "watching", "read"} {
		line(field, e.value(record, field))
	}
	if claim != nil && claim.Held(e.Now()) {
		line("claimed by", fmt.Sprintf("%s until %s", e.by(claim.Holder, claim.Via), e.until(claim.Expires)))
	}
	line("revision", fmt.Sprint(p.Revision))
	for _, r := range related {
		line(r.Type, fmt.Sprintf("%d  %s (%s)", r.ProblemIdentifier, oneLine(r.Problem.Title), r.Problem.State.Name))
	}
	for _, f := range files {
		line("file", fmt.Sprintf("%s (%s)", oneLine(f.Name), problem.ShownBytes(f.Size, "en")))
	}
	for _, c := range comments {
		edited := ""
		if c.EditDate != nil {
			edited = ", edited"
		}
		fmt.Fprintf(&b, "\n%s %s\n%s\n", e.styled(bold, e.by(c.Author, c.Via)), e.styled(faint, e.moment(c.CreationDate)+edited), e.harmless(strings.TrimRight(c.Text, "\n")))
	}
	if log {
		b.WriteByte('\n')
		for _, l := range p.Logs {
			field := ""
			if l.Field != nil {
				field = *l.Field
			}
			fmt.Fprintf(&b, "%s %s %s %s %s\n", e.styled(faint, e.moment(l.CreationDate)), e.by(l.Author, l.Via), l.Type, field, e.harmless(e.change(l)))
		}
	}
	return b.String()
}

// by returns who did something, with the name of the token.
func (e *Env) by(author client.Reference, via *client.Reference) string {
	who := author.Name
	if via != nil {
		who += " via " + cmp.Or(via.Name, "a token")
	}
	return e.harmless(who)
}

// change returns what an entry of the log says.
func (e *Env) change(l client.LogEntry) string {
	from, to := oneLine(e.value(l.From, "")), oneLine(e.value(l.To, ""))
	switch {
	case from == "":
		return to
	case to == "":
		return from + " →"
	}
	return from + " → " + to
}

// errNumber refuses an argument that is no identifier of a problem.
func errNumber(text string) error {
	return misused("%q is no identifier of a problem: write a number such as 12", text)
}
