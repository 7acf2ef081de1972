package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/problemtracking/problems/conformance/internal/scaffold"
)

func scaffoldCommand() command {
	return command{"scaffold", "write the module of a new storage adapter, with its harness and what is to be done", runScaffold}
}

const scaffoldHelp = `usage: problems-conformance scaffold --module PATH [--name NAME] [--dir DIR] [--local CLONE]
       problems-conformance scaffold --program [--dir DIR] [--local CLONE]

Writes the module of a new storage adapter: every method of the port with what it
has to do, a test that holds it against the contract, and TODO.md with all cases
that concern it, in a good order of work. It compiles; nothing of it works yet.

With --program, it writes the program that serves from an adapter into the adapter's
module, as cmd/problems-NAME.

Flags:
`

func runScaffold(_ context.Context, p program) int {
	var o scaffold.Options
	f := p.flags("scaffold", scaffoldHelp)
	f.StringVar(&o.Module, "module", "", "the `path` of the new module, such as example.org/mystore")
	f.StringVar(&o.Name, "name", "", "the `name` of the package, and of the adapter in reports (default: what the path suggests)")
	f.StringVar(&o.Dir, "dir", "", "the `directory` of the module: a new one, or an empty one (default: the name); with --program, that of the adapter (default: the current one)")
	f.StringVar(&o.Local, "local", "", "use the suite and the domain of this `clone` of the repository instead of published ones")
	program := f.Bool("program", false, "write the program that serves from the adapter in --dir")
	if code, ok := p.parse(f); !ok {
		return code
	}
	if *program {
		if o.Module != "" || o.Name != "" {
			return p.misused(f, errors.New("--program takes the module and the name of the adapter in --dir: leave out --module and --name"))
		}
		written, err := scaffold.WriteProgram(scaffold.ProgramOptions{Dir: o.Dir, Local: o.Local})
		if err != nil {
			return p.misused(f, err)
		}
		fmt.Fprintf(p.stdout, "The program is in %[1]s. Go on with:\n\n  go mod tidy\n  go test ./cmd/...\n  go run ./%[1]s serve --help\n", written)
		return exitConformant
	}
	dir, err := scaffold.Write(o)
	if err != nil {
		return p.misused(f, err)
	}
	fmt.Fprintf(p.stdout, "%s is in %s. Go on there with:\n\n  go mod tidy\n  go test .\n\nTODO.md says what to do in which order.\n", o.Module, dir)
	return exitConformant
}

func todoCommand() command {
	return command{"todo", "list what a storage adapter still has to do, by its report", runTodo}
}

const todoHelp = `usage: problems-conformance todo --report DIR

Lists all cases that concern a storage adapter as check boxes in Markdown, in a good
order of work, and ticks those that passed. "go test . -conformance.report report"
writes the report into report/NAME.

Flags:
`

func runTodo(_ context.Context, p program) int {
	f := p.flags("todo", todoHelp)
	dir := f.String("report", "", "the `directory` of a report")
	if code, ok := p.parse(f); !ok {
		return code
	}
	if *dir == "" {
		return p.misused(f, errors.New("--report is missing: want the directory of a report"))
	}
	r, err := readReport(*dir)
	if err != nil {
		return p.misused(f, err)
	}
	todo, err := scaffold.TodoOf(r)
	if err != nil {
		return p.misused(f, err)
	}
	fmt.Fprint(p.stdout, todo.Markdown())
	return exitConformant
}
