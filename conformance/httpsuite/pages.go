package httpsuite

import (
	"iter"
	"net/url"
	"regexp"
	"strings"
)

// nextLink is the target of a link with the relation next (RFC 8288).
var nextLink = regexp.MustCompile(`<([^>]*)>[^,]*;\s*rel="?next"?`)

// pages asks for a list and follows the links to the next page to the end (D31). The
// length depends on the server's other data. Links lead to the tested server alone:
// nobody else may see the token.
func (c *client) pages(path string) iter.Seq[*answer] {
	return func(yield func(*answer) bool) {
		c.t.Helper()
		here, err := url.Parse(c.base + path)
		if err != nil {
			c.t.Fatalf("%s: %v", path, err)
		}
		root := *c
		seen := map[string]bool{}
		for {
			root.base = here.Scheme + "://" + here.Host
			a := root.get(strings.TrimPrefix(here.String(), root.base)).is(200).json()
			match := nextLink.FindStringSubmatch(strings.Join(a.header.Values("Link"), ","))
			if !yield(a) || match == nil {
				return
			}
			next, err := here.Parse(match[1])
			if err != nil || next.Host != here.Host || next.Scheme != here.Scheme || seen[next.String()] {
				c.t.Fatalf("%v\nlinks to the next page %q, which is not of this server, or was there before", a, match[1])
			}
			seen[next.String()] = true
			here = next
		}
	}
}
