package config

import (
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"strings"
)

// Risk is a combination of valid settings that can let strangers in, or the kernel end the
// service, with the remedy. Both are parts of a sentence, with the flags of the settings.
type Risk struct{ What, Mend string }

// Risks returns what the service takes, and few want: it warns of them. memory is the limit of
// the container or unit; 0 without one.
func (s *Settings) Risks(memory Size) (risks []Risk) {
	add := func(is bool, what, mend string) {
		if is {
			risks = append(risks, Risk{what, mend})
		}
	}
	add(s.Server.TrustedProxies.HoldEverybody(),
		"--trusted-proxies has networks of strangers: the limits for one address do not apply to them, and they can name any address as their own",
		"name the addresses of the proxies alone")
	add(s.SignIn.ProxyUserHeader != "" && s.SignIn.ProxyUserNetworks.HoldMany(),
		"--proxy-user-networks has a large network: every machine there can sign in as any user",
		"name the addresses of the proxies alone, such as 10.0.0.5")
	add(s.SignIn.OIDCIssuer != "" && s.SignIn.OIDCCreateUsers == "on" && len(s.SignIn.OIDCCreateDomains) == 0,
		"--oidc-create-users makes a user for everybody with an account at the provider",
		"name the domains of your people in --oidc-create-domains, unless the provider has no others")
	add(isEverywhere(s.Server.MetricsListen),
		"--metrics-listen has all addresses of this machine, and the metrics need no token",
		"name the address that Prometheus reaches, or let a firewall admit nobody else")
	add(isEverywhere(s.Mail.MailRepliesListen),
		"--mail-replies-listen has all addresses of this machine, and takes mail in the name of any sender",
		"name the address that the mail server reaches, or let a firewall admit nobody else")
	add(s.Webhooks.WebhookAllow.HoldEverybody(),
		"--webhook-allow has whole networks of the Internet, and perhaps this machine and its network: webhooks could reach what only this machine can reach",
		"name the addresses of the receivers")
	add(isOpen(s.Server.PublicURL),
		"--public-url has http: everybody on the way can read tokens and passwords, and use them",
		"get a certificate, and take https")
	bucket, inBucket := s.Attachments.Files.Bucket()
	add(inBucket && isOpen(bucket.Endpoint.String()),
		"--files has an endpoint with http: everybody on the way can read and change the files of attachments",
		"get a certificate, and take https")
	add(memory > 0 && s.Limits.Memory > memory,
		fmt.Sprintf("--memory is %s, above the %s that the container or unit may use: the kernel would end the service before its own limit holds", s.Limits.Memory, memory),
		"lower --memory, or raise the limit of the container or unit")
	return risks
}

// isEverywhere reports whether an address to listen on is that of all networks.
func isEverywhere(address string) bool {
	host, _, err := net.SplitHostPort(address)
	return err == nil && everywhere(host)
}

// isOpen reports whether a URL leads to another machine without encryption.
func isOpen(text string) bool {
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "http" {
		return false
	}
	host := u.Hostname()
	ip, err := netip.ParseAddr(host)
	return host != "localhost" && !strings.HasSuffix(host, ".localhost") && (err != nil || !ip.IsLoopback())
}
