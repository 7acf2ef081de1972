package everyday

import (
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"os"
	"path/filepath"

	"github.com/problemtracking/problems/adapters/client"
	"github.com/problemtracking/problems/domain/problem"
)

type attachCommand struct {
	Account

	Number string   `arg:"" help:"Identifier of the problem."`
	Files  []string `arg:"" optional:"" help:"Files to attach; - is standard input. Without one, the files of the problem are listed."`
	Name   string   `placeholder:"NAME" help:"Attach the file by this name. Standard input needs one."`
	Get    bool     `short:"g" xor:"what" help:"Save these files of the problem, by name or identifier. No file is overwritten."`
	To     string   `short:"o" placeholder:"PATH" help:"Save the file here; - is standard output."`
	Delete bool     `short:"d" xor:"what" help:"Delete these files of the problem, by name or identifier."`
	JSON   bool     `name:"json" help:"Print the files as JSON."`
}

// Help is shown by kong.
func (attachCommand) Help() string {
	return `Examples:

    problems attach 12 screen.png trace.log
    make test 2>&1 | problems attach 12 - --name test.log
    problems attach 12
    problems attach 12 -g screen.png
    problems attach 12 -g trace.log -o - | grep panic
    problems attach 12 -d screen.png`
}

// Run is called by kong.
func (c *attachCommand) Run(ctx context.Context, e *Env) error {
	n, ok := number(c.Number)
	switch {
	case !ok:
		return errNumber(c.Number)
	case (c.Get || c.Delete) && len(c.Files) == 0:
		return misused("name the files, as \"problems attach %d\" lists them", n)
	case c.To != "" && (!c.Get || len(c.Files) > 1):
		return misused("--to is for one file, with --get")
	case c.Name != "" && (c.Get || c.Delete || len(c.Files) != 1):
		return misused("--name is for one file to attach")
	}
	server, err := c.Open(e.Getenv)
	if err != nil {
		return err
	}
	if len(c.Files) > 0 && !c.Get && !c.Delete {
		return c.attach(ctx, e, server, n)
	}
	all, err := server.Attachments(ctx, n)
	if err != nil {
		return err
	}
	if len(c.Files) == 0 {
		return c.list(e, all)
	}
	var chosen []client.Attachment
	for _, name := range c.Files {
		one, err := attachment(all, name)
		if err != nil {
			return err
		}
		chosen = append(chosen, one)
	}
	for _, one := range chosen {
		if c.Delete {
			err = server.DeleteAttachment(ctx, n, one.Identifier)
		} else {
			err = c.save(ctx, e, server, n, one)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", one.Name, err)
		}
	}
	return nil
}

// attachment returns the one with a name or an identifier.
func attachment(all []client.Attachment, name string) (found client.Attachment, err error) {
	for _, one := range all {
		switch {
		case one.Identifier == name:
			return one, nil
		case one.Name != name:
		case found.Identifier != "":
			return found, misused("several files have the name %q: write an identifier, such as %s or %s", name, found.Identifier, one.Identifier)
		default:
			found = one
		}
	}
	if found.Identifier == "" {
		return found, &missing{fmt.Errorf("the problem has no file %q", name)}
	}
	return found, nil
}

func (c *attachCommand) list(e *Env, all []client.Attachment) error {
	if c.JSON {
		return printJSON(e.Stdout, all)
	}
	t := table{header: []string{"IDENTIFIER", "SIZE", "AUTHOR", "NAME"}}
	for _, one := range all {
		t.rows = append(t.rows, []cell{{one.Identifier, cyan}, {text: problem.ShownBytes(one.Size, "en")}, {text: one.Author.Name}, {text: one.Name}})
	}
	return t.print(e)
}

// attach sends files, each in one request. It looks at all of them first.
func (c *attachCommand) attach(ctx context.Context, e *Env, server *client.Client, n int64) error {
	made := []client.Attachment{}
	var files []client.File
	for _, path := range c.Files {
		name := c.Name
		if path == "-" {
			if name == "" {
				return misused("standard input has no name: add --name NAME")
			}
			kept, done, err := e.keepInput()
			if err != nil {
				return err
			}
			defer done()
			path = kept
		} else if name == "" {
			name = filepath.Base(path)
		}
		state, err := os.Stat(path)
		switch {
		case err != nil:
			return err
		case !state.Mode().IsRegular():
			return misused("%s is no file: attach standard input instead, with - and --name", path)
		}
		files = append(files, client.File{
			Name: name, Size: state.Size(), MediaType: mime.TypeByExtension(filepath.Ext(name)),
			Open: func() (io.ReadCloser, error) { return openPart(path, state.Size()) },
		})
	}
	for _, file := range files {
		one, err := server.Attach(ctx, n, file)
		if err != nil {
			return fmt.Errorf("%s: %w", file.Name, err)
		}
		made = append(made, one)
		if !c.JSON {
			if err := e.say("Problem %d has the file %s (%s).", n, one.Name, problem.ShownBytes(one.Size, "en")); err != nil {
				return err
			}
		}
	}
	if c.JSON {
		return printJSON(e.Stdout, made)
	}
	return nil
}

// keepInput writes standard input into a file, which has a size and can be sent twice.
func (e *Env) keepInput() (path string, done func(), err error) {
	if e.Stdin == nil {
		return "", nil, errors.New("there is nothing on standard input")
	}
	f, err := os.CreateTemp("", "problems-*")
	if err != nil {
		return "", nil, err
	}
	_, err = io.Copy(f, e.Stdin)
	if err := errors.Join(err, f.Close()); err != nil {
		return "", nil, errors.Join(err, os.Remove(f.Name()))
	}
	return f.Name(), func() { _ = os.Remove(f.Name()) }, nil
}

// openPart opens the beginning of a file, which may grow meanwhile, such as a log.
func openPart(path string, size int64) (io.ReadCloser, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	return struct {
		io.Reader
		io.Closer
	}{io.LimitReader(f, size), f}, nil
}

// save writes a file of a problem. What others have named never leads out of the directory.
func (c *attachCommand) save(ctx context.Context, e *Env, server *client.Client, n int64, one client.Attachment) error {
	path := c.To
	switch {
	case path == "-":
		return server.Download(ctx, n, one.Identifier, e.Stdout)
	case path == "" && (filepath.Base(one.Name) != one.Name || !filepath.IsLocal(one.Name) || one.Name == "."):
		return misused("the name cannot be that of a file here: choose one by --to")
	case path == "":
		path = one.Name
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if errors.Is(err, os.ErrExist) {
		return misused("%s exists: choose another path by --to", path)
	}
	if err != nil {
		return err
	}
	err = errors.Join(server.Download(ctx, n, one.Identifier, f), f.Close())
	if err != nil {
		return errors.Join(err, os.Remove(path))
	}
	return e.say("%s is saved (%s).", path, problem.ShownBytes(one.Size, "en"))
}
