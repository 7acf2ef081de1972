package config

import (
	"fmt"
	"net"
	"net/url"
	"strings"

	"github.com/problemtracking/problems/adapters/httpframe"
)

// checkPublicURL brings the public URL into the form of browsers, without a slash at its
// end. Its path becomes the base path, or has to be the same.
func (s *Server) checkPublicURL() error {
	if s.PublicURL == "" {
		return nil
	}
	u, err := url.Parse(s.PublicURL)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" || strings.HasSuffix(u.Host, ":") {
		return fmt.Errorf("--public-url has to be a URL such as https://tracker.example.org or https://example.org/tracker, without a query")
	}
	path := strings.TrimRight(u.EscapedPath(), "/")
	switch {
	case path == s.BasePath:
	case s.BasePath == "":
		if err := httpframe.CheckBasePath(path); err != nil {
			return fmt.Errorf("--public-url has %w", err)
		}
		s.BasePath = path
	default:
		return fmt.Errorf("--public-url has the path %q, and --base-path is %q: they have to be the same, or --base-path is left out", path, s.BasePath)
	}
	origin, err := origin(u.Scheme + "://" + u.Host)
	if err != nil {
		return fmt.Errorf("--public-url has to be a URL such as https://tracker.example.org")
	}
	s.PublicURL = origin + s.BasePath
	return nil
}

// Origin returns the origin of the public URL, or "" when it is not given.
func (s *Server) Origin() string { return strings.TrimSuffix(s.PublicURL, s.BasePath) }

// Reached returns the origin for examples of requests: that of the public URL, or else that
// of the listener on this machine. It returns "" when the listener takes a free port.
func (s *Server) Reached() string {
	host, port, err := net.SplitHostPort(s.Listen)
	switch {
	case s.PublicURL != "":
		return s.Origin()
	case err != nil || port == "0":
		return ""
	}
	if ip := net.ParseIP(host); host == "" || ip.IsUnspecified() {
		host = "127.0.0.1"
	}
	scheme := "http"
	if s.Secure() {
		scheme = "https"
	}
	return scheme + "://" + net.JoinHostPort(host, port)
}

// Secure reports whether browsers use https.
func (s *Server) Secure() bool {
	return strings.HasPrefix(s.PublicURL, "https://") || s.PublicURL == "" && s.TLSCert != ""
}
