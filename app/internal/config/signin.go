package config

import (
	"errors"
	"fmt"
	"net/http"
	"net/netip"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/problemtracking/problems/adapters/httpframe/peer"
	"github.com/problemtracking/problems/domain/access"
)

// SignIn has the ways to sign in to the client application without a token (D41).
type SignIn struct {
	OIDCIssuer           string   `name:"oidc-issuer" placeholder:"URL" help:"OpenID Connect provider for signing in with a browser, such as https://id.example.org/realms/main, exactly as the provider gives it. It needs --public-url. The provider needs the redirect URI {public URL}/sign-in/callback. The verified e-mail address finds the user. Default: none."`
	OIDCClientID         string   `name:"oidc-client-id" placeholder:"NAME" help:"Name of this service at the provider."`
	OIDCClientSecret     Password `name:"oidc-client-secret" placeholder:"PASSWORD" help:"Password of this service at the provider. Better set as a variable: other users of the machine can see flags."`
	OIDCClientSecretFile string   `name:"oidc-client-secret-file" placeholder:"FILE" help:"File with this password. The service reads it at each sign-in."`
	OIDCName             string   `name:"oidc-name" placeholder:"NAME" help:"Name of the provider on the button. Default: the host of --oidc-issuer."`
	OIDCScope            string   `name:"oidc-scope" default:"write" enum:"read,comment,report,write,admin" placeholder:"SCOPE" help:"Scope of all people from the provider: read, comment, report, write or admin. Default: ${default}."`
	OIDCCreateUsers      string   `name:"oidc-create-users" default:"off" enum:"on,off" placeholder:"WHEN" help:"Make a user for each unknown person of the provider: on or off. Default: ${default}: an administrator adds users."`
	OIDCCreateDomains    []string `name:"oidc-create-domains" placeholder:"DOMAIN" help:"Domains of e-mail addresses for --oidc-create-users, such as example.org. Domains below them are others. With --oidc-scope=admin they are required. Default: all."`

	ProxyUserHeader   string        `placeholder:"NAME" help:"Header of a proxy with the e-mail address of the authenticated person, such as X-Forwarded-Email. The proxy has to remove it from the requests of clients. Default: off."`
	ProxyUserNetworks peer.Networks `placeholder:"NETWORKS" help:"Networks of the proxies with --proxy-user-header, such as 10.0.0.5. The header counts only on connections from there. X-Forwarded-For does not matter. Only the proxies may connect from there."`
	ProxyScope        string        `default:"write" enum:"read,comment,report,write,admin" placeholder:"SCOPE" help:"Scope of all people from the proxy: read, comment, report, write or admin. Default: ${default}."`
}

// AfterApply is called by kong once all flags are set. It checks the settings
// for signing in, for insight and for e-mail with those of the server.
func (s *Settings) AfterApply(f *Faults) error {
	return f.Add(append(s.Insight.faults(s.Server.ProfilesListen), s.SignIn.checkOIDC(s.Server.PublicURL), s.SignIn.checkCreation(), s.SignIn.checkProxy(), s.Mail.check(&s.Server), s.checkMailKey(), s.checkListeners())...)
}

func (s *SignIn) checkOIDC(publicURL string) error {
	if s.OIDCIssuer == "" {
		if s.OIDCClientID != "" || s.OIDCClientSecret.Given() || s.OIDCClientSecretFile != "" || s.OIDCName != "" || len(s.OIDCCreateDomains) > 0 {
			return errors.New("--oidc-issuer is missing: --oidc-client-id, --oidc-client-secret, --oidc-client-secret-file, --oidc-name and --oidc-create-domains belong to it")
		}
		return nil
	}
	if err := s.CheckIssuer(); err != nil {
		return err
	}
	switch {
	case publicURL == "":
		return errors.New("--oidc-issuer needs --public-url: the provider sends browsers back to it")
	case s.OIDCClientID == "":
		return errors.New("--oidc-issuer needs --oidc-client-id, the name of this service at the provider")
	case s.OIDCClientSecret.Given() && s.OIDCClientSecretFile != "":
		return errors.New("--oidc-client-secret and --oidc-client-secret-file exclude each other")
	case !s.OIDCClientSecret.Given() && s.OIDCClientSecretFile == "":
		return errors.New("--oidc-issuer needs --oidc-client-secret-file or --oidc-client-secret, the password of this service at the provider")
	}
	return nil
}

// domainName matches a domain as addresses of e-mail have it, in lower case.
var domainName = regexp.MustCompile(`^[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*$`)

// checkCreation refuses settings by which any person of a provider becomes an administrator.
// It brings the domains into lower case.
func (s *SignIn) checkCreation() error {
	creates := s.OIDCCreateUsers == "on"
	for i, entry := range s.OIDCCreateDomains {
		domain := strings.ToLower(strings.TrimSpace(entry))
		if !domainName.MatchString(domain) {
			return fmt.Errorf("--oidc-create-domains takes domains such as example.org, in ASCII (xn--…): %q is none", entry)
		}
		s.OIDCCreateDomains[i] = domain
	}
	switch {
	case s.OIDCIssuer == "":
		return nil
	case len(s.OIDCCreateDomains) > 0 && !creates:
		return errors.New("--oidc-create-domains needs --oidc-create-users=on: without it, no users are made")
	case creates && s.OIDCScope == string(access.Admin) && len(s.OIDCCreateDomains) == 0:
		return errors.New("--oidc-create-users=on with --oidc-scope=admin makes everybody with an account at the provider an administrator: name the domains of your people in --oidc-create-domains, or take --oidc-scope=write")
	}
	return nil
}

// CheckIssuer refuses an issuer without https, but on this machine: everybody on the way
// could sign in as anybody.
func (s *SignIn) CheckIssuer() error {
	u, err := url.Parse(s.OIDCIssuer)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" || u.User != nil || strings.ContainsAny(s.OIDCIssuer, "?#") {
		return errors.New("--oidc-issuer has to be a URL such as https://id.example.org/realms/main, without a query")
	}
	if u.Scheme == "http" && u.Hostname() != "localhost" {
		if address, err := netip.ParseAddr(u.Hostname()); err != nil || !address.IsLoopback() {
			return errors.New("--oidc-issuer has to have https: over http, only a provider on this machine can be believed")
		}
	}
	return nil
}

func (s *SignIn) checkProxy() error {
	none := s.ProxyUserNetworks.String() == (peer.Networks{}).String()
	switch {
	case s.ProxyUserHeader == "" && none:
		return nil
	case s.ProxyUserHeader == "":
		return errors.New("--proxy-user-networks needs --proxy-user-header, such as X-Forwarded-Email")
	case none:
		return errors.New("--proxy-user-header needs --proxy-user-networks: anybody else could set the header")
	case s.ProxyUserNetworks.HoldEverybody():
		return errors.New("--proxy-user-networks has networks of strangers, who could sign in as any user, also as an administrator: name the addresses of the proxies alone, such as 10.0.0.5")
	case strings.ContainsFunc(s.ProxyUserHeader, func(c rune) bool {
		return c != '-' && (c < '0' || c > '9') && (c < 'A' || c > 'Z') && (c < 'a' || c > 'z')
	}):
		return fmt.Errorf("--proxy-user-header has to be a name of letters, digits and hyphens, such as X-Forwarded-Email: %q is none", s.ProxyUserHeader)
	case slices.Contains(ofClients, http.CanonicalHeaderKey(s.ProxyUserHeader)):
		return fmt.Errorf("--proxy-user-header cannot be %s: clients send it for another purpose, and proxies pass it on. Choose a name for this alone, such as X-Forwarded-Email", s.ProxyUserHeader)
	}
	return nil
}

// ofClients are headers that clients send themselves, or proxies about their connections.
var ofClients = []string{
	"Accept", "Accept-Encoding", "Accept-Language", "Authorization", "Cache-Control", "Connection", "Content-Length", "Content-Type", "Cookie", "Date", "Expect",
	"Forwarded", "From", "Host", "If-Match", "If-None-Match", "Origin", "Range", "Referer", "Te", "Upgrade", "User-Agent", "Via",
	"X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Port", "X-Forwarded-Proto", "X-Real-Ip", "X-Request-Id",
}

// ClientSecret returns the password of this service at the provider of OpenID Connect, also
// from a file.
func (s *SignIn) ClientSecret() (string, error) {
	return readPassword("the password of OpenID Connect", s.OIDCClientSecret, s.OIDCClientSecretFile)
}
