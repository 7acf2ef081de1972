package everyday

import (
	"context"

	"github.com/problemtracking/problems/adapters/mcp"
)

type mcpCommand struct{ Account }

// Help is shown by kong.
func (mcpCommand) Help() string {
	return `For models in editors and agents: the same tools as at /mcp of the server, with the rights of the token.

Examples:

    problems mcp

Many programs want it in a file of their settings:

    {"mcpServers": {"problems": {"command": "problems", "args": ["mcp"]}}}`
}

// Run is called by kong.
func (c *mcpCommand) Run(ctx context.Context, e *Env) error {
	server, err := c.Open(e.Getenv)
	if err != nil {
		return err
	}
	return mcp.Serve(ctx, server, e.Version, e.Now, e.Stdin, e.Stdout)
}
