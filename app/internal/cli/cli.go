// Package cli is the command line: its grammar, its help, and the output of the commands.
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net"
	"reflect"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/alecthomas/kong"

	"github.com/problemtracking/problems/app/backend"
	"github.com/problemtracking/problems/app/internal/config"
	"github.com/problemtracking/problems/app/internal/everyday"
	"github.com/problemtracking/problems/app/internal/sink"
)

// Process is the program's view of its system. Everything in the commands comes from
// here, so tests can run several at once.
type Process struct {
	// Name is how the program was called; Args are its arguments.
	Name string
	Args []string
	// Getenv returns the value of an environment variable; "" without one, with the same
	// meaning.
	Getenv func(string) string
	// Environ returns all environment variables, as NAME=value. nil: none.
	Environ        func() []string
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	// Terminal is true when a person reads Stdout, ErrTerminal when one reads Stderr, and
	// InTerminal when one writes Stdin.
	Terminal, ErrTerminal, InTerminal bool
	// Width is the number of columns of the terminal; 0 when nobody knows.
	Width int
	// ReadSecret reads a line from the terminal, and shows nothing of it.
	ReadSecret func() (string, error)
	// Start runs a program with the terminal of this one, until it ends.
	Start func(ctx context.Context, name string, args ...string) error
	// Version is the version of the program.
	Version string
	// Kinds are the kinds of stores in the program.
	Kinds []backend.Kind
	// Now is the clock, Random a source of random bytes fit for secrets, and
	// NewRequestID names requests.
	Now          func() time.Time
	Random       io.Reader
	NewRequestID func() string
	// Steady returns the time since some moment by a clock that nobody sets, and that
	// goes on while the machine sleeps. nil: there is none.
	Steady func() time.Duration
	// Listener, if not nil, returns the listener opened by the supervisor of a service;
	// nil without one.
	Listener func() (net.Listener, error)
	// Reread, if not nil, is called by a service once. The channel gets a value for each
	// request to read its files again.
	Reread func() <-chan struct{}
}

// logger returns the log of commands other than serve.
func (p Process) logger() *slog.Logger { return slog.New(slog.NewTextHandler(p.Stderr, nil)) }

// complaining is how long the program waits for its last words to be taken.
const complaining = 3 * time.Second

// complain prints the reason of a failure. Nobody may read it: the exit code does not
// wait for it forever.
func (p Process) complain(text string) {
	w := sink.New(sink.Options{To: p.Stderr, Bytes: len(text), Now: p.Now})
	_, _ = io.WriteString(w, text) // it takes everything
	w.Close(complaining)
}

// The exit codes of the program.
const (
	exitDone    = 0
	exitFailed  = 1 // the error on standard error says why
	exitMisused = 2 // the command line or a setting cannot be read
)

// grammar is the command line.
type grammar struct {
	everyday.Commands

	Serve   serveCommand    `cmd:"" group:"Service" help:"Run the service."`
	Migrate migrateCommand  `cmd:"" group:"Service" help:"Bring a store to the schema of this version, or show what is missing."`
	User    userCommands    `cmd:"" group:"Service" help:"Add, list and deactivate users."`
	Token   tokenCommands   `cmd:"" group:"Service" help:"Create, list and revoke API tokens."`
	Events  eventsCommand   `cmd:"" group:"Problems" help:"Print the events of a running server, and follow them."`
	Webhook webhookCommands `cmd:"" group:"Service" help:"List, test and replay the webhooks of a running server."`
	Mail    mailCommand     `cmd:"" group:"Service" help:"Send a test e-mail."`
	Export  exportCommand   `cmd:"" group:"Service" help:"Write the whole content of a store, as JSON Lines."`
	Backup  backupCommand   `cmd:"" group:"Service" help:"Copy the file of a store, beside the running service."`
	Compact compactCommand  `cmd:"" group:"Service" help:"Remove the bytes of redacted texts from the files of a store."`
	Import  importCommand   `cmd:"" group:"Service" help:"Read the output of \"problems export\" into an empty store."`
	Copy    copyCommand     `cmd:"" group:"Service" help:"Copy everything from one store into another, empty one."`
	Health  healthCommand   `cmd:"" group:"Service" help:"Ask the running service with these settings if it is ready."`
	Doctor  doctorCommand   `cmd:"" group:"Service" help:"Find faults of the settings and the store, with their remedies."`
	Config  configCommand   `cmd:"" group:"Service" help:"Print the settings for \"problems serve\", or check them."`
	Version versionCommand  `cmd:"" group:"Service" help:"Print the version."`
}

const description = `An issue tracker with an HTTP API.

"problems serve" runs the service, and "problems login" lets you work on problems. "problems help COMMAND" explains a command. Every setting is a flag and an environment variable, such as --store and PROBLEMS_STORE; the flag wins. "problems config" prints those of "problems serve".

Exit codes: 0 done, 1 failed, 2 misused. ` + everyday.ExitCodes

// Run runs the program until it is done or ctx ends, and returns its exit code.
func Run(ctx context.Context, p Process) int {
	if len(p.Args) == 0 {
		p.Args = []string{"--help"}
	}
	stores, err := backend.New(p.Kinds...)
	if err != nil {
		p.complain(fmt.Sprintf("problems: this program cannot be used: %v\n", err))
		return exitMisused
	}
	p.Args = asked(p.Args)
	helped, faults := false, new(config.Faults)
	parser, err := kong.New(new(grammar),
		kong.Name("problems"),
		kong.Description(description),
		config.Kong(stores, config.DefaultDataDir(p.Getenv)),
		kong.Writers(p.Stdout, p.Stderr),
		kong.Exit(func(int) { helped = true }),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, WrapUpperBound: 100}),
		kong.ValueFormatter(describe),
		kong.Resolvers(environment(p.Getenv, faults)),
		kong.BindTo(ctx, (*context.Context)(nil)),
		kong.Bind(p),
		kong.Bind(p.everyday()),
		kong.Bind(faults),
	)
	if err != nil {
		panic(err) // the grammar itself is wrong
	}
	command, err := parser.Parse(sorted(parser.Model, p.Args))
	if helped || unread(err) {
		return exitDone
	}
	if err != nil {
		hint := "problems --help"
		if e, ok := errors.AsType[*kong.ParseError](err); ok && e.Context.Selected() != nil {
			hint = e.Context.Selected().FullPath() + " --help"
		}
		p.complain(fmt.Sprintf("problems: %v\nSee %q.\n", err, hint))
		return exitMisused
	}
	var warnings misspelt
	if p.Environ != nil {
		warnings = config.Misspelt(p.Environ(), settingNames(parser.Model.Node))
	}
	if command.Selected().Name != "serve" { // it logs them
		for _, w := range warnings {
			p.complain(fmt.Sprintf("problems: warning: %s\n", w))
		}
	}
	about := aboutProblems(command.Selected())
	if about {
		err = everyday.CheckArguments(p.Args)
	}
	if err == nil {
		err = command.Run(warnings)
	}
	if unread(err) && command.Selected().Name != "export" { // half an archive is none
		return exitDone
	}
	if err != nil {
		p.complain(fmt.Sprintf("problems: %s\n", everyday.Harmless(err.Error())))
		if about {
			return everyday.ExitCode(err)
		}
		return exitFailed
	}
	return exitDone
}

// unread reports whether the reader of the output wanted no more.
func unread(err error) bool {
	e, ok := errors.AsType[*fs.PathError](err)
	return ok && e.Op == "write" && errors.Is(e, syscall.EPIPE)
}

// everyday returns the view of the commands about problems on the system.
func (p Process) everyday() *everyday.Env {
	return &everyday.Env{
		Getenv: p.Getenv, Stdin: p.Stdin, Stdout: p.Stdout, Stderr: p.Stderr, Terminal: p.Terminal, InTerminal: p.InTerminal, Width: p.Width,
		Now: p.Now, Version: p.Version, ReadSecret: p.ReadSecret, Start: p.Start,
	}
}

// asked returns arguments with "help" and "--version" as the commands and flags that they stand
// for: "help token create" is "token create --help".
func asked(args []string) []string {
	switch {
	case args[0] == "--version":
		return append([]string{"version"}, args[1:]...)
	case args[0] == "help":
		return append(slices.Clone(args[1:]), "--help")
	}
	return args
}

// aboutProblems reports whether a command is one for work on problems.
func aboutProblems(command *kong.Node) bool {
	return command.Group != nil && command.Group.Key == everyday.Group
}

// sorted returns the arguments of a command about problems with its flags first. So flags may
// stand between words, which kong refuses.
func sorted(app *kong.Application, args []string) []string {
	at := slices.IndexFunc(app.Children, func(n *kong.Node) bool { return n.Name == args[0] })
	if at < 0 || !aboutProblems(app.Children[at]) {
		return args
	}
	flags, words := args[:1:1], []string{"--"}
	for i := 1; i < len(args); i++ {
		switch arg := args[i]; {
		case arg == "--":
			return slices.Concat(flags, words, args[i+1:])
		case arg == "-" || !strings.HasPrefix(arg, "-"):
			words = append(words, arg)
		default:
			flags = append(flags, arg)
			if everyday.ValueFlag(app.Children[at], arg) != nil && i+1 < len(args) {
				i++
				flags = append(flags, args[i])
			}
		}
	}
	return append(flags, words...)
}

// isSetting reports whether a flag is a setting, and so an environment variable too. The
// help shows settings in groups; all other flags are about one call of a command.
func isSetting(flag *kong.Flag) bool { return flag != nil && flag.Group != nil }

// misspelt are sentences about variables that look like settings.
type misspelt []string

// settingNames returns the environment variables of all settings of a command and of its
// subcommands.
func settingNames(command *kong.Node) []string {
	var names []string
	for _, flag := range command.Flags {
		if isSetting(flag) {
			names = append(names, config.Variable(flag.Name))
		}
	}
	for _, child := range command.Children {
		names = append(names, settingNames(child)...)
	}
	return names
}

// environment resolves settings by environment variables. If faults are gathered, a value
// that cannot be read is one of them, and the setting keeps its default.
func environment(getenv func(string) string, faults *config.Faults) kong.Resolver {
	return kong.ResolverFunc(func(_ *kong.Context, _ *kong.Path, flag *kong.Flag) (any, error) {
		if !isSetting(flag) {
			return nil, nil
		}
		value := getenv(config.Variable(flag.Name))
		if value == "" {
			return nil, nil
		}
		if faults.Gathers() {
			if err := readable(flag, value); err != nil {
				return nil, faults.Add(err)
			}
		}
		return value, nil
	})
}

// readable fails for a value that kong would refuse.
func readable(flag *kong.Flag, value string) error {
	if flag.Enum != "" {
		if !flag.EnumMap()[value] {
			return fmt.Errorf("--%s has to be one of %s", flag.Name, strings.ReplaceAll(flag.Enum, ",", ", "))
		}
		return nil
	}
	into := reflect.New(flag.Target.Type()).Elem()
	context := &kong.DecodeContext{Value: flag.Value, Scan: kong.Scan().PushTyped(value, kong.FlagValueToken)}
	if err := flag.Mapper.Decode(context, into); err != nil {
		return fmt.Errorf("--%s: %w", flag.Name, err)
	}
	return nil
}

// describe adds the environment variable to the help of a setting.
func describe(value *kong.Value) string {
	if isSetting(value.Flag) {
		return value.Help + " [" + config.Variable(value.Flag.Name) + "]"
	}
	return value.Help
}
