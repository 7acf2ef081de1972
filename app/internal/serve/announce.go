package serve

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/problemtracking/problems/adapters/httpapi"
	"github.com/problemtracking/problems/app/internal/config"
	"github.com/problemtracking/problems/domain/access"
	"github.com/problemtracking/problems/domain/tracker"
)

// bootstrap is how the first administrator is recognised.
type bootstrap struct {
	seeded    bool          // the store was empty
	generated access.Secret // zero: the store was not empty, or the token was given
	admin     string        // e-mail address of an administrator, when the store was not empty
}

// seed makes an empty store ready, with the given token or else a new one.
func seed(ctx context.Context, service *tracker.Service, given config.Token) (bootstrap, error) {
	secret, err := given.Secret, error(nil)
	if !given.Given() {
		if secret, err = service.NewSecret(); err != nil {
			return bootstrap{}, err
		}
	}
	switch seeded, err := service.Seed(ctx, secret); {
	case err != nil:
		return bootstrap{}, err
	case !seeded:
		admin, err := administrator(ctx, service)
		return bootstrap{admin: admin}, err
	case given.Given():
		return bootstrap{seeded: true}, nil
	default:
		return bootstrap{seeded: true, generated: secret}, nil
	}
}

// administrator returns the e-mail address of somebody who can be given a token of
// scope admin: the first administrator, while he is active; else who had such a
// token last; else anybody who is active.
func administrator(ctx context.Context, service *tracker.Service) (string, error) {
	tokens, err := service.Tokens(ctx)
	if err != nil {
		return "", err
	}
	found := tracker.AdminEmail
	if first, ok := tokens.Catalogue.UserByEmail(found); ok && !first.Inactive {
		return found, nil
	}
	for _, u := range tokens.Catalogue.Content().Users {
		if !u.Inactive {
			found = u.Email
		}
	}
	for _, token := range tokens.Value {
		if u, ok := tokens.Catalogue.User(token.User); ok && !u.Inactive && token.Scope == access.Admin {
			found = u.Email
		}
	}
	return found, nil
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
		command := newTokenCommand(o, b.admin)
		lines = append(lines, command)
		hints = []string{"For a new token of " + b.admin + ":", "  TOKEN=$(" + command + ")"}
	}
	if o.Hints {
		lines = append(append(lines, ""), hints...)
		lines = append(lines,
			"The documentation of the API:", "  "+url+"/docs",
			"Create a problem:", "  curl "+url+"/api/"+httpapi.Version+"/problems -H \"Authorization: "+token+"\" -H 'Content-Type: application/json' -d '{\"title\":\"The first problem\"}'")
	}
	_, err := io.WriteString(o.Stdout, strings.Join(lines, "\n")+"\n")
	return err
}

// newTokenCommand returns the command that makes a token for an administrator, to
// be pasted into a shell. A password is not shown: it is in the environment, as the
// URL of the store can be.
func newTokenCommand(o Options, admin string) string {
	storage := o.Settings.Storage
	where := config.Quote(storage.Store.String())
	if storage.Store.HasPassword() {
		where = `"$` + config.Variable("store") + `"`
	}
	if storage.Store.Scheme == config.Postgres && storage.PasswordFile != "" {
		where += " --store-password-file " + config.Quote(storage.PasswordFile)
	}
	return fmt.Sprintf("%s token create --user %s --scope %s --store %s", config.Quote(o.Program), config.Quote(admin), access.Admin, where)
}
