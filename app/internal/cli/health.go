package cli

import (
	"context"
	"fmt"
	"time"

	"github.com/problemtracking/problems/app/internal/health"
)

type healthCommand struct {
	Listen        string `default:"127.0.0.1:8080" group:"Server" placeholder:"HOST:PORT" help:"Address of the service, as \"problems serve\" has it. Default: ${default}."`
	MetricsListen string `group:"Server" placeholder:"HOST:PORT" help:"Address of the metrics, as \"problems serve\" has it. If there is one, it is asked: it answers however many connections the service has."`
	TLSCert       string `name:"tls-cert" group:"Server" placeholder:"FILE" help:"Certificate of the service: with one, it is asked by HTTPS."`

	Live    bool          `help:"Ask only whether the process answers, not whether it would take a write."`
	Timeout time.Duration `default:"5s" placeholder:"TIME" help:"For the answer. Default: ${default}."`
}

// Help is shown by kong.
func (healthCommand) Help() string {
	return `Asks the service on this machine that has the same settings. The exit code is 0 when it is ready, and 1 when it is not or when nothing answers. It is ready when it would take a write. With --live, any answer will do.

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
