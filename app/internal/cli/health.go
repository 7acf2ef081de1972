package cli

import (
	"context"
	"fmt"
	"time"

	"github.com/problemtracking/problems/app/internal/health"
)

type healthCommand struct {
	Listen        string `default:"127.0.0.1:8080" group:"Server" placeholder:"HOST:PORT" help:"Address of the service, as for \"problems serve\". Default: ${default}."`
	MetricsListen string `group:"Server" placeholder:"HOST:PORT" help:"Address of the metrics, as for \"problems serve\". If it is set, the command asks there: it answers for any number of client connections."`
	TLSCert       string `name:"tls-cert" group:"Server" placeholder:"FILE" help:"Certificate of the service. With it, the command asks by HTTPS."`

	Live    bool          `help:"Ask only if the process answers, not if the store accepts writes."`
	Timeout time.Duration `default:"5s" placeholder:"TIME" help:"Time for the answer. Default: ${default}."`
}

// Help is shown by kong.
func (healthCommand) Help() string {
	return `Asks the service on this machine with the same settings. The exit code is 0 if it is ready, and otherwise 1, also without an answer. The service is ready while the store accepts writes. With --live, any answer is enough.

Examples:

    problems health
    HEALTHCHECK CMD ["/problems", "health"]`
}

// Run is called by kong.
func (c *healthCommand) Run(ctx context.Context, p Process) error {
	check := health.Check{Address: c.Listen, TLS: c.TLSCert != "", Path: health.Ready, Timeout: c.Timeout}
	if c.MetricsListen != "" {
		check.Address, check.TLS = c.MetricsListen, false
	}
	if c.Live {
		check.Path = health.Live
	}
	if err := check.Ask(ctx); err != nil {
		return err
	}
	_, err := fmt.Fprintln(p.Stdout, "ok")
	return err
}
