package serve

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/problemtracking/problems/adapters/httpapi"
	"github.com/problemtracking/problems/app/backend"
	"github.com/problemtracking/problems/app/internal/config"
	"github.com/problemtracking/problems/domain/access"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/tracker/admin"
	"github.com/problemtracking/problems/domain/tracker/usecases"
)

// bootstrap is how the first administrator is recognised.
type bootstrap struct {
	seeded    bool          // the store was empty
	generated access.Secret // zero: the store was not empty, or the token was given
	admin     string        // e-mail address of an administrator, when the store was not empty
}

// seeder makes an empty store ready, with the given token or else a new one. It may
// have to try several times.
type seeder struct {
	given  config.Token
	secret access.Secret // zero: there is none yet
	unsure bool          // the seed of an earlier try is stored, or may be
}

func (s *seeder) seed(ctx context.Context, service *usecases.All) (bootstrap, error) {
	if s.secret == (access.Secret{}) {
		s.secret = s.given.Secret
		if !s.given.Given() {
			var err error
			if s.secret, err = service.NewSecret(); err != nil {
				return bootstrap{}, err
			}
		}
	}
	seeded, err := service.Seed(ctx, s.secret)
	s.unsure = s.unsure || seeded || fault.Is(err, fault.UnknownOutcome)
	if err != nil {
		return bootstrap{}, err
	}
	if !seeded && s.unsure { // the token is shown only with its user
		_, err := service.Authenticate(ctx, s.secret)
		if seeded = err == nil; err != nil && !fault.Is(err, fault.Unauthenticated) {
			return bootstrap{}, err
		}
	}
	switch {
	case !seeded:
		admin, err := administrator(ctx, service)
		return bootstrap{admin: admin}, err
	case s.given.Given():
		return bootstrap{seeded: true}, nil
	default:
		return bootstrap{seeded: true, generated: s.secret}, nil
	}
}

// administrator returns the e-mail address of a candidate for a token of scope admin: the
// first administrator, while active; else the last user with such a token; else any
// active user.
func administrator(ctx context.Context, service *usecases.All) (string, error) {
	tokens, err := service.Tokens(ctx)
	if err != nil {
		return "", err
	}
	found := admin.Email
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

// listening is the first line on standard output. Scripts wait for it (D35).
func listening(url string) string { return "listening on " + url }

// announcement returns the line for scripts after the first (D35), and then the hints.
// page is the address for a browser, or "" without the client application.
func announcement(o Options, url, page string, b bootstrap) []string {
	var lines, hints []string
	token := "$TOKEN"
	switch {
	case b.generated != access.Secret{}:
		token = b.generated.Reveal()
		lines = append(lines, token)
		hints = []string{"The token is that of " + admin.Email + ". It is not shown again."}
	case b.seeded:
		token = "$" + config.Variable("bootstrap-token")
	default:
		command := newTokenCommand(o, url, b.admin)
		lines = append(lines, command)
		hints = []string{"For a new token of " + b.admin + ":", "  TOKEN=$(" + command + ")"}
		if o.Settings.Storage.Store.Is(backend.Exclusive) {
			hints = append(hints, "That needs a token of scope admin, in the variable "+config.Variable("token")+". Without one, stop the service, then:",
				"  TOKEN=$("+tokenCommand(o, b.admin, storeFlags(o.Settings.Storage))+")")
		}
	}
	if o.Hints {
		lines = append(append(lines, ""), hints...)
		switch {
		case page == "":
		case b.generated != access.Secret{}:
			lines = append(lines, "Sign in with a browser. This link works once, and within an hour:", "  "+page)
		default:
			lines = append(lines, "In a browser:", "  "+page)
		}
		lines = append(lines,
			"The documentation of the API:", "  "+url+"/docs",
			"Create a problem:", "  curl "+config.Quote(url+"/api/"+httpapi.Version+"/problems")+" -H \"Authorization: "+token+"\" -H 'Content-Type: application/json' -d '{\"title\":\"The first problem\"}'")
	}
	return lines
}

// printing is how long the start waits for standard output to take its lines.
const printing = time.Second

var errNotTaken = fmt.Errorf("nothing was taken within %s", printing)

// printer prints on standard output, one text after the other. A full pipe does not stop
// it for long: the rest follows when somebody reads.
type printer struct {
	to     io.Writer
	before <-chan struct{} // closed when all earlier output is written; nil: there is none
}

// print writes lines in one piece: a reader of the first has all. It fails for a closed
// pipe, or one without room for too long.
func (p *printer) print(lines []string) error {
	if len(lines) == 0 {
		return nil
	}
	var err error
	before, done := p.before, make(chan struct{})
	p.before = done
	go func() {
		defer close(done)
		if before != nil {
			<-before
		}
		_, err = io.WriteString(p.to, strings.Join(lines, "\n")+"\n")
	}()
	timer := time.NewTimer(printing)
	defer timer.Stop()
	select {
	case <-done:
		return err
	case <-timer.C:
		return errNotTaken
	}
}

// newTokenCommand returns the command for an administrator's token, to be pasted into a
// shell while the service runs at url. Only the service itself can use an exclusive store
// meanwhile.
func newTokenCommand(o Options, url, admin string) string {
	storage := o.Settings.Storage
	if storage.Store.Is(backend.Exclusive) {
		return tokenCommand(o, admin, "--url "+config.Quote(url))
	}
	return tokenCommand(o, admin, storeFlags(storage))
}

// tokenCommand returns the command for an administrator's token in a place, given as
// flags.
func tokenCommand(o Options, admin, place string) string {
	return fmt.Sprintf("%s token create --user %s --scope %s %s", config.Quote(o.Program), config.Quote(admin), access.Admin, place)
}

// storeFlags returns the flags for the store. They show no password: it is in the
// environment, as the URL of the store can be.
func storeFlags(storage config.Storage) string {
	where := config.Quote(storage.Store.String())
	if storage.Store.HasPassword() {
		where = `"$` + config.Variable("store") + `"`
	}
	if storage.Store.IsDatabase() && storage.PasswordFile != "" {
		where += " --store-password-file " + config.Quote(storage.PasswordFile)
	}
	return "--store " + where
}
