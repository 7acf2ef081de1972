package everyday

import (
	_ "embed"
	"io"
)

// guide is for programs, so it is short: they read it before each piece of work.
//
//go:embed agent.md
var guide string

type agentCommand struct{}

// Help is shown by kong.
func (agentCommand) Help() string {
	return `The guide has at most 1,000 tokens.

Examples:

    problems agent
    problems agent >> AGENTS.md`
}

// Run is called by kong.
func (agentCommand) Run(e *Env) error {
	_, err := io.WriteString(e.Stdout, guide)
	return err
}
