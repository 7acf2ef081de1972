package httpframe

import (
	"fmt"
	"net/url"
	"path"
	"regexp"
)

// plainPath matches the base paths that browsers, proxies and routes take as they are written.
var plainPath = regexp.MustCompile(`^(/[A-Za-z0-9._~$&+,:;=@-]+)*$`)

// CheckBasePath fails for a base path that cannot be served. Its error goes on behind the name
// of a setting and "has". The base path is empty, or such as "/tracker": it ends without a slash.
func CheckBasePath(base string) error {
	switch {
	case base == "":
		return nil
	case !plainPath.MatchString(base) || path.Clean(base) != base:
		return fmt.Errorf("the path %q: it has to be a plain path such as /tracker, of letters without accents, digits and -._~", base)
	case base == "/healthz" || base == "/readyz":
		return fmt.Errorf("the path %s, which is for health checks: take another, such as /tracker", base)
	}
	return nil
}

// Below returns the URL with the base path before its path.
func Below(base string, at *url.URL) *url.URL {
	full := *at
	full.Path = base + at.Path
	if at.RawPath != "" {
		full.RawPath = base + at.RawPath
	}
	return &full
}
