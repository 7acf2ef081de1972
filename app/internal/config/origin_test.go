package config_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/problemtracking/problems/app/internal/config"
)

// Origins are kept as browsers send them: see RFC 6454, section 6.2.
func TestOrigins(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"https://a.example":        "https://a.example",
		"https://a.example:443":    "https://a.example",
		"http://a.example:80":      "http://a.example",
		"http://a.example:443":     "http://a.example:443",
		"https://a.example:80":     "https://a.example:80",
		"https://a.example:8443":   "https://a.example:8443",
		"HTTPS://A.Example:443":    "https://a.example",
		" https://a.example\t":     "https://a.example",
		"http://[::1]:80":          "http://[::1]",
		"http://[2001:DB8::80]":    "http://[2001:db8::80]",
		"https://xn--bcher-kva.de": "https://xn--bcher-kva.de",
		"*":                        "*",
		" *":                       "*",
	} {
		s := config.Server{Listen: ":1", CORSOrigins: []string{text, "https://other.example"}}
		if err := s.AfterApply(new(config.Faults)); err != nil || !slices.Equal(s.CORSOrigins, []string{want, "https://other.example"}) {
			t.Errorf("%q is taken for %q, %v; want %s", text, s.CORSOrigins, err, want)
		}
	}
	for text, want := range map[string]string{
		"":                        "empty entry",
		" ":                       "empty entry",
		"a.example":               `"a.example" is none`,
		"https://a.example/":      "takes origins",
		"https://a.example/x":     "takes origins",
		"https://ann@a.example":   "takes origins",
		"https://a.example?x":     "takes origins",
		"https://a.example:":      "takes origins",
		"https://:443":            "takes origins",
		"ftp://a.example":         "takes origins",
		"null":                    "takes origins",
		"https://a.example https": "takes origins",
		"https://bücher.de":       "xn--",
	} {
		s := config.Server{Listen: ":1", CORSOrigins: []string{text}}
		if err := s.AfterApply(new(config.Faults)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q gives %v; want %q", text, err, want)
		}
	}
}

// Examples of requests lead to the public URL, or else to the listener.
func TestReached(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		server config.Server
		want   string
	}{
		{config.Server{Listen: "127.0.0.1:8080"}, "http://127.0.0.1:8080"},
		{config.Server{Listen: ":80"}, "http://127.0.0.1:80"},
		{config.Server{Listen: "0.0.0.0:80"}, "http://127.0.0.1:80"},
		{config.Server{Listen: "[::]:80"}, "http://127.0.0.1:80"},
		{config.Server{Listen: "[::1]:80"}, "http://[::1]:80"},
		{config.Server{Listen: "tracker:443", TLSCert: "cert.pem"}, "https://tracker:443"},
		{config.Server{Listen: "127.0.0.1:0"}, ""},
		{config.Server{Listen: "127.0.0.1:0", PublicURL: "https://example.org/tracker", BasePath: "/tracker"}, "https://example.org"},
	} {
		if got := c.server.Reached(); got != c.want {
			t.Errorf("%s with the public URL %q is reached at %q, want %q", c.server.Listen, c.server.PublicURL, got, c.want)
		}
	}
}
