package serve

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/problemtracking/problems/app/internal/config"
	"github.com/problemtracking/problems/domain/access"
	"github.com/problemtracking/problems/domain/tracker"
)

// bootstrap is how the first administrator is recognised.
type bootstrap struct {
	seeded    bool          // the store was empty
	generated access.Secret // zero: the store was not empty, or the token was given
}

// seed makes an empty store ready, with the given token or else a new one.
func seed(ctx context.Context, service *tracker.Service, given config.Token) (bootstrap, error) {
	if given.Given() {
		seeded, err := service.Seed(ctx, given.Secret)
		return bootstrap{seeded: seeded}, err
	}
	secret, err := service.NewSecret()
	if err != nil {
		return bootstrap{}, err
	}
	seeded, err := service.Seed(ctx, secret)
	if err != nil || !seeded {
		return bootstrap{}, err
	}
	return bootstrap{seeded: true, generated: secret}, nil
}

// announce prints the lines that scripts wait for (D35), in one piece, so that
// whoever has read the first has the second, and then the hints.
func announce(o Options, url string, b bootstrap) error {
	lines := []string{"listening on " + url}
	var hints []string
	token := "$TOKEN"
	switch {
	case b.generated != access.Secret{}:
		token = b.generated.Reveal()
		lines = append(lines, token)
		hints = []string{"The token is that of " + tracker.AdminEmail + ". It is not shown again."}
	case b.seeded:
		token = "$" + config.Variable("bootstrap-token")
	default:
		command := newTokenCommand(o)
		lines = append(lines, command)
		hints = []string{"For a new token of " + tracker.AdminEmail + ":", "  TOKEN=$(" + command + ")"}
	}
	if o.Hints {
		lines = append(append(lines, ""), hints...)
		lines = append(lines,
			"The documentation of the API:", "  "+url+"/docs",
			"Create a problem:", "  curl "+url+"/api/20151105/problems -H \"Authorization: "+token+"\" -H 'Content-Type: application/json' -d '{\"title\":\"The first problem\"}'")
	}
	_, err := io.WriteString(o.Stdout, strings.Join(lines, "\n")+"\n")
	return err
}

// newTokenCommand returns the command that makes a token for the first
// administrator, to be pasted into a shell.
func newTokenCommand(o Options) string {
	return fmt.Sprintf("%s token create --user %s --scope %s --store %s",
		config.Quote(o.Program), tracker.AdminEmail, access.Admin, config.Quote(o.Settings.Storage.Store.String()))
}
