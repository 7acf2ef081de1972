package serve

import (
	"github.com/problemtracking/problems/adapters/web"
	"github.com/problemtracking/problems/app/internal/config"
	"github.com/problemtracking/problems/app/internal/tracing"
	"github.com/problemtracking/problems/domain/access"
)

// newOpenID returns the settings for signing in by OpenID Connect, or nil without them. A
// missing secret ends the start. A missing provider does not, because it may come back.
func newOpenID(s config.SignIn, traces *tracing.Tracer) (*web.OpenID, error) {
	if s.OIDCIssuer == "" {
		return nil, nil
	}
	if _, err := s.ClientSecret(); err != nil {
		return nil, err
	}
	return &web.OpenID{
		Issuer: s.OIDCIssuer, ClientID: s.OIDCClientID, Secret: s.ClientSecret, Name: s.OIDCName,
		Scope: access.Scope(s.OIDCScope), CreateUsers: s.OIDCCreateUsers == "on", CreateDomains: s.OIDCCreateDomains,
		Around: traces.Transport,
	}, nil
}

// newProxy returns the settings for signing in by the header of a proxy, or nil without
// them.
func newProxy(s config.SignIn) *web.Proxy {
	if s.ProxyUserHeader == "" {
		return nil
	}
	return &web.Proxy{Header: s.ProxyUserHeader, Networks: s.ProxyUserNetworks, Scope: access.Scope(s.ProxyScope)}
}
