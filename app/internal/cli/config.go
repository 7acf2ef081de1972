package cli

import (
	"fmt"
	"io"
	"strings"

	"github.com/alecthomas/kong"

	"github.com/problemtracking/problems/app/backend"
	"github.com/problemtracking/problems/app/internal/config"
)

type configCommand struct {
	config.Settings `embed:""`

	Explain bool `xor:"look" help:"Print the meaning of each setting above it, and the source of its value."`
	Check   bool `xor:"look" help:"Print no settings. Name every wrong setting, and its right form."`
}

// Help is shown by kong.
func (configCommand) Help() string {
	return `Each setting is a line NAME=value, with quotes for a shell where necessary. Tokens and passwords appear only masked, in a comment.

With --check, each fault is a line on standard error, and the exit code is 1. The command reads only the files in the settings. "problems doctor" also examines the store.

Examples:

    problems config
    problems config --explain > problems.env
    problems config --check && problems serve`
}

// BeforeResolve is called by kong before it reads the environment. With --check, no fault
// ends that.
func (*configCommand) BeforeResolve(command *kong.Context, faults *config.Faults) error {
	for _, element := range command.Path {
		if element.Flag != nil && element.Flag.Name == "check" {
			faults.Gather()
		}
	}
	return nil
}

// Run is called by kong.
func (c *configCommand) Run(command *kong.Context, p Process, faults *config.Faults, warnings misspelt) error {
	if c.Check {
		return check(c.Settings, p, settingNames(command.Selected()), faults.All(), warnings)
	}
	origins := make(map[*kong.Flag]string)
	for _, element := range command.Path {
		switch {
		case element.Flag == nil:
		case element.Resolved:
			origins[element.Flag] = "Set in the environment."
		default:
			origins[element.Flag] = "Set by a flag."
		}
	}
	var b strings.Builder
	for _, flag := range command.Selected().Flags {
		if !isSetting(flag) {
			continue
		}
		if c.Explain {
			origin := origins[flag]
			if origin == "" {
				origin = "The default."
			}
			fmt.Fprintf(&b, "\n# %s\n# %s\n", flag.Help, origin)
		}
		if value := flag.Target.Interface(); hidden(value) {
			fmt.Fprintf(&b, "# %s=%v (set, and not shown)\n", config.Variable(flag.Name), value)
			continue
		}
		fmt.Fprintf(&b, "%s=%s\n", config.Variable(flag.Name), config.Quote(text(flag.Target.Interface())))
	}
	_, err := io.WriteString(p.Stdout, strings.TrimPrefix(b.String(), "\n"))
	return err
}

// check prints all faults of settings. It fails when there is one.
func check(settings config.Settings, p Process, known []string, faults []error, warnings misspelt) error {
	faults = append(faults, settings.Unusable()...)
	var lines strings.Builder
	for _, fault := range faults {
		fmt.Fprintf(&lines, "problems: %s\n", config.ByVariable(fault.Error(), known))
	}
	p.complain(lines.String())
	if n := len(faults) + len(warnings); n > 0 {
		return fmt.Errorf("%d of the settings cannot stay as they are", n)
	}
	_, err := fmt.Fprintln(p.Stdout, "The settings are in order.")
	return err
}

// hidden reports whether a value is a secret, or has one in it.
func hidden(value any) bool {
	switch value := value.(type) {
	case config.Token:
		return value.Given()
	case config.Password:
		return value.Given()
	case config.MailURL:
		return value.Secret()
	case config.TracesURL:
		return value.Secret()
	case backend.URL:
		return value.HasPassword()
	}
	return false
}

// text returns a value as it can be given to a setting.
func text(value any) string {
	if list, ok := value.([]string); ok {
		return strings.Join(list, ",")
	}
	return fmt.Sprint(value)
}

type versionCommand struct{}

// Run is called by kong.
func (versionCommand) Run(p Process) error {
	_, err := fmt.Fprintf(p.Stdout, "problems %s\n", p.Version)
	return err
}
