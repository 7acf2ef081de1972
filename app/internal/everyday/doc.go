// Package everyday has the commands for work on problems, through a running server.
package everyday

import (
	"context"
	"errors"
	"io"
	"net/http"
	"time"

	"github.com/problemtracking/problems/adapters/client"
)

// Env is the view of the commands on their system.
type Env struct {
	Getenv         func(string) string
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	// Terminal is true when a person reads Stdout, and InTerminal when one writes Stdin.
	Terminal, InTerminal bool
	// Width is the number of columns of the terminal; 0 when nobody knows.
	Width int
	Now   func() time.Time
	// Version is the version of the program.
	Version string
	// ReadSecret reads a line from the terminal, and shows nothing of it.
	ReadSecret func() (string, error)
	// Start runs a program with the terminal of this one, until it ends.
	Start func(ctx context.Context, name string, args ...string) error
}

// Group is the group of the commands in the help.
const Group = "Problems"

// Commands are the commands of the package.
type Commands struct {
	List       listCommand       `cmd:"" group:"Problems" set:"listed_states=open" help:"List problems, the latest changes first."`
	Search     searchCommand     `cmd:"" group:"Problems" set:"listed_states=all" help:"Find problems by words in their titles and comments."`
	Show       showCommand       `cmd:"" group:"Problems" help:"Show a problem with its comments and relationships."`
	New        newCommand        `cmd:"" group:"Problems" help:"Create a problem."`
	Set        setCommand        `cmd:"" group:"Problems" help:"Change fields of problems."`
	Comment    commentCommand    `cmd:"" group:"Problems" help:"Comment on a problem."`
	Done       doneCommand       `cmd:"" group:"Problems" help:"Move problems to a resolved state."`
	Claim      claimCommand      `cmd:"" group:"Problems" help:"Claim a problem, or the next one, to work on it alone."`
	Keyword    keywordCommand    `cmd:"" group:"Problems" help:"Show, set and delete keywords of a problem."`
	Relate     relateCommand     `cmd:"" group:"Problems" help:"Show, add and delete relationships of a problem."`
	Attach     attachCommand     `cmd:"" group:"Problems" help:"Attach, list, save and delete files of a problem."`
	Watch      watchCommand      `cmd:"" group:"Problems" help:"Watch a problem, or have somebody watch it."`
	Open       openCommand       `cmd:"" group:"Problems" help:"Open a problem, or the list, in the browser."`
	Login      loginCommand      `cmd:"" group:"Problems" help:"Keep the token for a server, for the other commands."`
	Agent      agentCommand      `cmd:"" group:"Problems" help:"Print a short guide for programs that work on problems."`
	MCP        mcpCommand        `cmd:"" name:"mcp" group:"Problems" help:"Serve the Model Context Protocol on standard input and output."`
	Completion completionCommand `cmd:"" group:"Problems" help:"Print the completion for a shell."`
	Complete   completeCommand   `cmd:"" hidden:""`
}

// The exit codes of the commands, beyond those of every command.
const (
	exitFailed   = 1
	exitMisused  = 2 // the command line cannot be read
	exitMissing  = 3 // no such thing
	exitConflict = 4 // the state of the problem forbids it, or somebody was faster
	exitDenied   = 5 // no valid token, or a scope that is too small
	exitAway     = 6 // no answer, or not now
	exitUnknown  = 7 // a change may be stored or not
)

// ExitCodes explains the exit codes of the commands.
const ExitCodes = "The commands about problems also have: 3 not found, 4 conflict, 5 not signed in or not allowed, 6 the server does not answer, 7 the change may be stored or not."

// ExitCode returns the exit code for an error of a command.
func ExitCode(err error) int {
	if errors.Is(err, client.ErrUnknown) {
		return exitUnknown
	}
	if _, ok := errors.AsType[*misuse](err); ok || errors.Is(err, client.ErrInvalidRequest) {
		return exitMisused
	}
	if _, ok := errors.AsType[*missing](err); ok {
		return exitMissing
	}
	if errors.Is(err, errNoLogin) {
		return exitDenied
	}
	if _, ok := errors.AsType[*client.ConnectionError](err); ok {
		return exitAway
	}
	refused, ok := errors.AsType[*client.Error](err)
	if !ok {
		return exitFailed
	}
	switch refused.Status {
	case http.StatusBadRequest: // such as a predicate at fault
		return exitMisused
	case http.StatusNotFound:
		return exitMissing
	case http.StatusConflict, http.StatusPreconditionFailed:
		return exitConflict
	case http.StatusUnauthorized, http.StatusForbidden:
		return exitDenied
	case http.StatusTooManyRequests, http.StatusServiceUnavailable, http.StatusBadGateway, http.StatusGatewayTimeout:
		return exitAway
	}
	return exitFailed
}
