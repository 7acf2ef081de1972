package everyday

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/problemtracking/problems/adapters/client"
)

// filters are short conditions.
type filters struct {
	Mine           bool     `short:"m" help:"Assigned to you."`
	Assignee       []string `short:"a" sep:"none" placeholder:"USER" help:"Assigned to this name or e-mail address; none: to nobody."`
	State          []string `short:"s" sep:"none" default:"${listed_states}" placeholder:"STATE" help:"The name of a state, or open, done or all. Default: ${default}."`
	Component      []string `short:"c" sep:"none" placeholder:"NAME" help:"In this component or below it, such as app/web."`
	Priority       []string `short:"p" sep:"none" placeholder:"NAME" help:"Of this priority."`
	Classification []string `sep:"none" placeholder:"NAME" help:"Of this classification."`
	Milestone      []string `sep:"none" placeholder:"NAME" help:"Of this milestone."`
	Keyword        []string `short:"k" sep:"none" placeholder:"NAME[=VALUE]" help:"With this keyword."`
	Unread         bool     `short:"u" help:"Changed since you read them."`
	Watching       bool     `short:"w" help:"Watched by you."`
	Query          string   `short:"q" placeholder:"PREDICATE" help:"With a true predicate, such as \"due < NOW()\"."`
}

// conditions returns those of all filters but the predicate, and of the words.
func (f *filters) conditions(words []string) (all []string) {
	add := func(given bool, condition string) {
		if given {
			all = append(all, condition)
		}
	}
	either := func(names []string, condition func(name string) string) {
		var some []string
		for _, name := range names {
			some = append(some, condition(name))
		}
		add(len(some) > 0, "("+strings.Join(some, " OR ")+")")
	}
	either(f.Assignee, func(name string) string {
		switch name {
		case "none":
			return "assignee = nil"
		case "me":
			return "assignee.identifier = $ApiUser"
		}
		return "assignee.name =[c] " + client.Quote(name) + " OR assignee.email =[c] " + client.Quote(name)
	})
	add(f.Mine, "assignee.identifier = $ApiUser")
	if !slices.Contains(f.State, "all") {
		either(f.State, client.InState)
	}
	either(f.Component, func(name string) string {
		name = strings.TrimSuffix(name, "/")
		return "component.fullName =[c] " + client.Quote(name) + " OR component.fullName BEGINSWITH[c] " + client.Quote(name+"/")
	})
	either(f.Priority, func(name string) string { return "priority.name =[c] " + client.Quote(name) })
	either(f.Classification, func(name string) string { return "classification.name =[c] " + client.Quote(name) })
	either(f.Milestone, func(name string) string { return "milestone.name =[c] " + client.Quote(name) })
	for _, keyword := range f.Keyword { // a problem can have them all
		name, value, valued := strings.Cut(keyword, "=")
		add(!valued, "ANY keywords.name = "+client.Quote(name))
		add(valued, "SUBQUERY(keywords, $k, $k.name = "+client.Quote(name)+" AND $k.value = "+client.Quote(value)+").@count > 0")
	}
	add(f.Unread, "read = NO")
	add(f.Watching, "watching = YES")
	for _, word := range words {
		add(true, client.HasWord(word))
	}
	return all
}

// listing is a list of problems.
type listing struct {
	Account
	filters

	Sort   string   `default:"-modificationDate" placeholder:"KEYS" help:"Order, such as priority.order,-creationDate. Empty values come last. Default: ${default}."`
	Limit  int      `short:"n" default:"30" placeholder:"N" help:"At most this many problems; 0: all. Default: ${default}."`
	Fields []string `short:"f" placeholder:"NAME,…" help:"Columns, such as identifier,title,state.name."`
	JSON   bool     `name:"json" help:"Print a JSON array, as the API has it. With --fields, only these members."`
}

// usualFields are the columns without --fields.
func usualFields() []string {
	return []string{"identifier", "state.name", "priority.name", "assignee.name", "modificationDate", "title"}
}

// claimedBy is a column for people, while somebody works on a problem of the list.
const claimedBy = "claimed by"

// holder returns who works on a problem now, of those that were loaded with their claims.
func (e *Env) holder(p json.RawMessage) string {
	var of struct{ Claim *client.Claim }
	if json.Unmarshal(p, &of) != nil || of.Claim == nil || !of.Claim.Held(e.Now()) {
		return ""
	}
	return of.Claim.Holder.Name
}

// heading returns the heading of a column.
func heading(field string) string {
	switch field {
	case "identifier":
		return "#"
	case "modificationDate":
		return "CHANGED"
	case "creationDate":
		return "CREATED"
	}
	return strings.ToUpper(strings.TrimSuffix(field, ".name"))
}

func (l *listing) run(ctx context.Context, e *Env, words []string) error {
	server, err := l.Open(e.Getenv)
	if err != nil {
		return err
	}
	fields := l.Fields
	if len(fields) == 0 && !l.JSON {
		fields = usualFields()
	}
	asked := fields
	if e.Terminal && len(l.Fields) == 0 && !l.JSON {
		asked = append(slices.Clone(fields), "claim")
	}
	found := []json.RawMessage{}
	for p, err := range client.Found[json.RawMessage](ctx, server, client.Search{Predicate: l.Query, And: l.conditions(words), Sort: l.Sort, Fields: asked, Limit: l.Limit}) {
		if err != nil {
			return err
		}
		found = append(found, p)
	}
	if l.JSON {
		return printJSON(e.Stdout, found)
	}
	if len(found) == 0 {
		return l.explain(ctx, e, server)
	}
	return e.problems(fields, found)
}

// problems prints a table of problems.
func (e *Env) problems(fields []string, found []json.RawMessage) error {
	var t table
	if slices.ContainsFunc(found, func(p json.RawMessage) bool { return e.holder(p) != "" }) {
		fields = slices.Insert(slices.Clone(fields), len(fields)-1, claimedBy) // before the title
	}
	for _, f := range fields {
		t.header = append(t.header, heading(f))
	}
	for _, p := range found {
		var row []cell
		for i, f := range fields {
			c := cell{text: e.value(p, f)}
			if f == claimedBy {
				c.text = e.holder(p)
			} else if i == 0 {
				c.style = cyan
			} else if f == "modificationDate" || f == "creationDate" {
				c.style = faint
			}
			row = append(row, c)
		}
		t.rows = append(t.rows, row)
	}
	return t.print(e)
}

// explain tells a filter that no object has from one that finds nothing today.
func (l *listing) explain(ctx context.Context, e *Env, server *client.Client) error {
	for field, names := range map[string][]string{"state": l.State, "component": l.Component, "priority": l.Priority, "classification": l.Classification, "milestone": l.Milestone, "assignee": l.Assignee} {
		for _, name := range names {
			switch field + " " + name {
			case "state open", "state done", "state all", "assignee none":
				continue
			}
			if _, err := server.Resolve(ctx, field, strings.TrimSuffix(name, "/")); err != nil {
				return err
			}
		}
	}
	return e.say("No problem matches.")
}

type listCommand struct{ listing }

// Help is shown by kong.
func (listCommand) Help() string {
	return `Lists problems that are not resolved. All filters have to hold; of two states, assignees or other names, one, and of two keywords, both. A terminal gets a table; a pipe gets lines with tabs, without a header.

Examples:

    problems list --mine
    problems list -s all -c app/web -n 0
    problems list -q "due < NOW()" --sort due -f identifier,due,title
    problems list -m --json -f identifier,title | jq -r '.[].title'`
}

// Run is called by kong.
func (c *listCommand) Run(ctx context.Context, e *Env) error { return c.run(ctx, e, nil) }

type searchCommand struct {
	listing

	Words []string `arg:"" help:"Words that all have to be in the title or in a comment, in any case and with or without accents."`
}

// Help is shown by kong.
func (searchCommand) Help() string {
	return `Finds problems in all states, resolved ones too.

Examples:

    problems search fuse
    problems search "creme brulee" --mine --state open`
}

// Run is called by kong.
func (c *searchCommand) Run(ctx context.Context, e *Env) error { return c.run(ctx, e, c.Words) }
