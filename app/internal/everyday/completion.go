package everyday

import (
	"cmp"
	"context"
	"embed"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/alecthomas/kong"

	"github.com/problemtracking/problems/adapters/client"
	"github.com/problemtracking/problems/domain/problem"
)

//go:embed completion/*
var scripts embed.FS

type completionCommand struct {
	Shell string `arg:"" enum:"bash,zsh,fish" help:"bash, zsh or fish."`
}

// Help is shown by kong.
func (completionCommand) Help() string {
	return `The completion knows the commands and flags, and asks the server for names and recent problems.

Examples:

    source <(problems completion bash)
    problems completion zsh > ~/.zsh/completions/_problems
    problems completion fish > ~/.config/fish/completions/problems.fish`
}

// Run is called by kong.
func (c *completionCommand) Run(e *Env) error {
	script, err := scripts.ReadFile("completion/" + c.Shell)
	if err != nil {
		return err
	}
	_, err = e.Stdout.Write(script)
	return err
}

// completeCommand is what the scripts call. It prints lines with a candidate, a tab and its
// description.
type completeCommand struct {
	Words []string `arg:"" optional:"" passthrough:""`
}

// completionTime limits the questions to the server.
const completionTime = 2 * time.Second

// candidate is a way to go on.
type candidate struct{ text, about string }

// Run is called by kong. A server that does not answer has no names, and nobody wants an
// error between words.
func (c *completeCommand) Run(ctx context.Context, command *kong.Context, e *Env) error {
	if len(c.Words) > 0 && c.Words[0] == "--" {
		c.Words = c.Words[1:]
	}
	if len(c.Words) == 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, completionTime)
	defer cancel()
	current := c.Words[len(c.Words)-1]
	for _, one := range e.candidates(ctx, command.Model.Node, c.Words[:len(c.Words)-1], current) {
		if strings.HasPrefix(strings.ToLower(one.text), strings.ToLower(current)) {
			if _, err := fmt.Fprintf(e.Stdout, "%s\t%s\n", one.text, oneLine(one.about)); err != nil {
				return err
			}
		}
	}
	return nil
}

// candidates returns what can stand behind some words.
func (e *Env) candidates(ctx context.Context, node *kong.Node, before []string, current string) (all []candidate) {
	var args []string
	var value *kong.Flag // before the cursor, without its value
	for _, word := range before {
		child := slices.IndexFunc(node.Children, func(n *kong.Node) bool { return n.Name == word })
		switch {
		case value != nil:
			value = nil
		case strings.HasPrefix(word, "-"):
			value = ValueFlag(node, word)
		case child >= 0 && len(args) == 0:
			node = node.Children[child]
		default:
			args = append(args, word)
		}
	}
	switch {
	case value != nil:
		return e.values(ctx, value.Name, "")
	case strings.HasPrefix(current, "-"):
		for _, group := range node.AllFlags(true) {
			for _, f := range group {
				all = append(all, candidate{"--" + f.Name, f.Help})
			}
		}
		return all
	case len(node.Children) > 0:
		for _, child := range node.Children {
			if !child.Hidden {
				all = append(all, candidate{child.Name, child.Help})
			}
		}
		return all
	}
	if node.Name == "attach" && len(args) > 0 {
		if !slices.ContainsFunc(before, func(word string) bool { return slices.Contains([]string{"-g", "--get", "-d", "--delete"}, word) }) {
			return localFiles(current)
		}
		return e.attachments(ctx, args[0])
	}
	return e.arguments(ctx, node.Name, args, current)
}

// ValueFlag returns the flag whose value is the argument behind this one; nil when there is none.
// Short flags can stand together, as in -us.
func ValueFlag(command *kong.Node, arg string) *kong.Flag {
	flags := slices.Concat(command.AllFlags(false)...)
	if name, long := strings.CutPrefix(arg, "--"); long {
		if at := slices.IndexFunc(flags, func(f *kong.Flag) bool { return f.Name == name }); at >= 0 && !flags[at].IsBool() {
			return flags[at]
		}
		return nil
	}
	short := strings.TrimPrefix(arg, "-")
	for i, letter := range short {
		at := slices.IndexFunc(flags, func(f *kong.Flag) bool { return f.Short == letter })
		switch {
		case at < 0:
			return nil
		case flags[at].IsBool():
		case short[i:] == string(letter):
			return flags[at]
		default:
			return nil // the rest of the argument is the value
		}
	}
	return nil
}

// arguments returns candidates for the arguments of a command.
func (e *Env) arguments(ctx context.Context, command string, args []string, current string) []candidate {
	switch command {
	case "completion":
		return []candidate{{text: "bash"}, {text: "zsh"}, {text: "fish"}}
	case "login":
		all, _ := readLogins(e.Getenv)
		var servers []candidate
		for _, one := range all {
			servers = append(servers, candidate{one.URL, one.User})
		}
		return servers
	case "show", "comment", "claim", "keyword", "relate", "attach", "watch", "open", "done", "set":
		if len(args) == 0 {
			return e.recent(ctx)
		}
	}
	switch {
	case command == "relate" && len(args) == 1:
		var types []candidate
		for _, t := range client.RelationshipTypes() {
			types = append(types, candidate{text: t})
		}
		return types
	case command == "relate" && len(args) == 2:
		return e.recent(ctx)
	case command == "set" || command == "new":
		if field, _, ok := assignment(current); ok {
			return e.values(ctx, field, field+"=")
		}
		var fields []candidate
		for _, name := range client.FieldNames() {
			fields = append(fields, candidate{text: name + "="})
		}
		return fields
	}
	return nil
}

// values returns the values of a field or flag, each behind a prefix.
func (e *Env) values(ctx context.Context, name, prefix string) (all []candidate) {
	server, err := new(Account).environment(e)
	if err != nil {
		return nil
	}
	objects, _ := server.Objects(ctx, name) // none for a flag without objects
	for _, o := range objects {
		all = append(all, candidate{prefix + o.Label(), o.Name})
	}
	switch {
	case name == "assignee":
		all = append(all, candidate{prefix + "me", "you"})
	case name == "state" && prefix == "":
		all = append(all, candidate{"open", "not resolved"}, candidate{"done", "resolved"}, candidate{"all", ""})
	}
	return all
}

// recent returns the problems that changed last.
func (e *Env) recent(ctx context.Context) (all []candidate) {
	server, err := new(Account).environment(e)
	if err != nil {
		return nil
	}
	for p, err := range server.Search(ctx, client.Search{Predicate: "state.resolved = NO", Sort: "-modificationDate", Fields: []string{"identifier", "title"}, Limit: 20}) {
		if err != nil {
			return nil
		}
		all = append(all, candidate{fmt.Sprint(p.Identifier), p.Title})
	}
	return all
}

// attachments returns the files of a problem.
func (e *Env) attachments(ctx context.Context, of string) (all []candidate) {
	server, err := new(Account).environment(e)
	n, ok := number(of)
	if err != nil || !ok {
		return nil
	}
	files, _ := server.Attachments(ctx, n) // a server that does not answer has none
	for _, f := range files {
		all = append(all, candidate{f.Name, problem.ShownBytes(f.Size, "en")})
	}
	return all
}

// localFiles returns the files and directories whose paths begin with a text.
func localFiles(beginning string) (all []candidate) {
	directory, _ := filepath.Split(beginning)
	entries, _ := os.ReadDir(cmp.Or(directory, "."))
	for _, entry := range entries {
		path := directory + entry.Name()
		if entry.IsDir() {
			path += string(filepath.Separator)
		}
		all = append(all, candidate{text: path})
	}
	return all
}
