package everyday

import (
	"errors"
	"fmt"

	"github.com/problemtracking/problems/adapters/client"
	"github.com/problemtracking/problems/app/internal/config"
)

// localServer is the server without a login and without --url.
const localServer = "http://127.0.0.1:8080"

// Account names a server and its user.
type Account struct {
	Remote struct {
		URL       string       `name:"url" placeholder:"URL" help:"Address of the server, or the host of a login. Default: the server of the last login; with a token from here or without a login, http://127.0.0.1:8080."`
		Token     config.Token `placeholder:"TOKEN" help:"Token for the server. Better use \"problems login\" or the variable: other users of the machine can see flags."`
		TokenFile string       `placeholder:"FILE" help:"File with that token."`
	} `embed:"" group:"Running server"`
}

var errNoLogin = errors.New(`there is no token for the server: use "problems login", or set PROBLEMS_TOKEN`)

// environment is Open for a command without flags for the server.
func (a *Account) environment(e *Env) (*client.Client, error) {
	a.Remote.URL, a.Remote.TokenFile = e.Getenv("PROBLEMS_URL"), e.Getenv("PROBLEMS_TOKEN_FILE")
	if token := e.Getenv("PROBLEMS_TOKEN"); token != "" {
		if err := a.Remote.Token.UnmarshalText([]byte(token)); err != nil {
			return nil, err
		}
	}
	return a.Open(e.Getenv)
}

// Open returns a client of the server. A token from outside never goes to the server of
// a login that it does not name.
func (a *Account) Open(getenv func(string) string) (*client.Client, error) {
	token, err := config.ReadToken(a.Remote.Token, a.Remote.TokenFile)
	if err != nil {
		return nil, err
	}
	all, err := readLogins(getenv)
	if err != nil {
		return nil, err
	}
	chosen := login{URL: localServer}
	switch at := all.find(a.Remote.URL); {
	case a.Remote.URL != "" && at >= 0:
		chosen = all[at]
	case a.Remote.URL != "":
		chosen = login{URL: address(a.Remote.URL)}
	case !token.Given() && len(all) > 0:
		chosen = all[0]
	}
	if token.Given() {
		chosen.Token = token.Reveal()
	}
	if chosen.Token == "" {
		return nil, fmt.Errorf("%w (%s)", errNoLogin, chosen.URL)
	}
	return client.New(chosen.URL, client.Options{Token: chosen.Token})
}
