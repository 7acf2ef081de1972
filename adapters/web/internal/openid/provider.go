package openid

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"sync/atomic"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"
	"golang.org/x/sync/singleflight"
)

const (
	// patience is the default time for one conversation with the provider.
	patience = 10 * time.Second
	// fresh is how long the endpoints of the provider count as known.
	fresh = time.Hour
	// skew is how far the clock of the provider may be behind.
	skew = time.Minute
	// maxAnswer is the greatest length of an answer of the provider, in bytes.
	maxAnswer = 1 << 20
	// maxConnections bounds the connections to one host of the provider: strangers at the
	// door of this service are no flood there.
	maxConnections = 16
)

// Config is the registration at a provider. All fields but Timeout have to be given.
type Config struct {
	// Issuer is the URL of the provider, exactly as the provider writes it.
	Issuer string
	// ClientID is the name of this service at the provider.
	ClientID string
	// Secret returns the password of this service at the provider. Each sign-in asks for
	// it, because an operator may change it meanwhile.
	Secret func() (string, error)
	// Redirect is the URL that the provider sends the browser back to.
	Redirect string
	Now      func() time.Time
	// Around, if not nil, returns a way for requests around another one.
	Around func(http.RoundTripper) http.RoundTripper
	// Timeout bounds one conversation with the provider. 0 means 10 seconds.
	Timeout time.Duration
}

// Provider is a provider of OpenID Connect. It is asked when it is first needed. It can be
// used by several goroutines.
type Provider struct {
	Config
	client *http.Client
	found  atomic.Pointer[endpoints] // nil: not asked yet
	asking singleflight.Group
}

// endpoints are the addresses and the keys of the provider.
type endpoints struct {
	provider *oidc.Provider
	verifier *oidc.IDTokenVerifier
	style    oauth2.AuthStyle
	at       time.Time // of the provider's answer
}

// New returns a provider. It sends no request yet.
func New(c Config) *Provider {
	c.Timeout = cmp.Or(c.Timeout, patience)
	var way http.RoundTripper = bounded{&http.Transport{Proxy: http.ProxyFromEnvironment, MaxConnsPerHost: maxConnections, IdleConnTimeout: time.Minute, ForceAttemptHTTP2: true}}
	if c.Around != nil {
		way = c.Around(way)
	}
	return &Provider{Config: c, client: &http.Client{
		Timeout:   c.Timeout,
		Transport: way,
		// A redirection could carry the secret of this service to another host.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

// bounded bounds the length of answers.
type bounded struct{ next http.RoundTripper }

func (b bounded) RoundTrip(r *http.Request) (*http.Response, error) {
	response, err := b.next.RoundTrip(r)
	if err == nil {
		response.Body = http.MaxBytesReader(nil, response.Body, maxAnswer)
	}
	return response, err
}

// discover returns the endpoints of the provider. Concurrent calls share one request. If
// the provider is away or slow, endpoints found earlier stay in use.
func (p *Provider) discover(ctx context.Context) (*endpoints, error) {
	found, known := p.known()
	if known {
		return found, nil
	}
	answer := p.asking.DoChan("", func() (any, error) {
		if e, known := p.known(); known { // since a moment ago
			return e, nil
		}
		// The request serves all callers, so it outlives the first of them. The client
		// bounds its time. The library keeps the context for ever.
		e, err := p.ask(oidc.ClientContext(context.Background(), p.client))
		if err == nil {
			p.found.Store(e)
		}
		return e, err
	})
	var late <-chan time.Time // a tenth of the time: the rest of the conversation needs some too
	if found != nil {
		timer := time.NewTimer(p.Timeout / 10)
		defer timer.Stop()
		late = timer.C
	}
	select {
	case <-ctx.Done():
		return nil, &Error{Away, ctx.Err()}
	case <-late:
		return found, nil
	case a := <-answer:
		switch {
		case a.Err == nil:
			return a.Val.(*endpoints), nil
		case found != nil:
			return found, nil
		}
		return nil, a.Err
	}
}

// known returns the endpoints found last, and whether they are fresh.
func (p *Provider) known() (*endpoints, bool) {
	found := p.found.Load()
	return found, found != nil && p.Now().Sub(found.at) < fresh
}

// ask loads the provider's description of itself.
func (p *Provider) ask(ctx context.Context) (*endpoints, error) {
	provider, err := oidc.NewProvider(ctx, p.Issuer)
	if err != nil {
		if _, other := errors.AsType[*oidc.IssuerMismatchError](err); other {
			return nil, &Error{Invalid, err}
		}
		return nil, &Error{Away, err}
	}
	var described struct {
		Keys    string   `json:"jwks_uri"`
		Methods []string `json:"token_endpoint_auth_methods_supported"`
	}
	if err := provider.Claims(&described); err != nil {
		return nil, &Error{Invalid, err}
	}
	for _, address := range []string{provider.Endpoint().AuthURL, provider.Endpoint().TokenURL, described.Keys} {
		if err := p.checkEndpoint(address); err != nil {
			return nil, &Error{Invalid, err}
		}
	}
	e := &endpoints{
		provider: provider,
		verifier: provider.VerifierContext(ctx, &oidc.Config{ClientID: p.ClientID, Now: func() time.Time { return p.Now().Add(-skew) }}),
		style:    oauth2.AuthStyleInHeader, // also the default of the specification
		at:       p.Now(),
	}
	// The library would find the style out by trying both. The second try uses the code
	// again, and a strict provider takes that for a theft.
	if slices.Contains(described.Methods, "client_secret_post") && !slices.Contains(described.Methods, "client_secret_basic") {
		e.style = oauth2.AuthStyleInParams
	}
	return e, nil
}

// checkEndpoint refuses an address with another scheme than the issuer has. A secret for
// an issuer with https never goes over plain HTTP.
func (p *Provider) checkEndpoint(address string) error {
	issuer, err := url.Parse(p.Issuer)
	if err != nil {
		return err
	}
	u, err := url.Parse(address)
	if err != nil || u.Scheme != issuer.Scheme || u.Host == "" {
		return errors.New("an endpoint of the provider has to be a URL with the scheme " + issuer.Scheme + ": " + address)
	}
	return nil
}

// config returns the settings of the flow.
func (p *Provider) config(e *endpoints, secret string) *oauth2.Config {
	endpoint := e.provider.Endpoint()
	endpoint.AuthStyle = e.style
	return &oauth2.Config{
		ClientID: p.ClientID, ClientSecret: secret, Endpoint: endpoint, RedirectURL: p.Redirect,
		Scopes: []string{oidc.ScopeOpenID, oidc.ScopeEmail, oidc.ScopeProfile},
	}
}
