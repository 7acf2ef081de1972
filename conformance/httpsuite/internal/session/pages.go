package session

import (
	"iter"
	"net/url"
	"regexp"
	"strings"
)

// NextLink is the target of a link with the relation next (RFC 8288).
var NextLink = regexp.MustCompile(`<([^>]*)>[^,]*;\s*rel="?next"?`)

// Pages asks for a list and follows the links to the next page to the end (D31). The
// length depends on the server's other data. Links lead to the tested server alone:
// nobody else may see the token.
func (c *Client) Pages(path string) iter.Seq[*Answer] {
	return func(yield func(*Answer) bool) {
		c.T.Helper()
		here, err := url.Parse(c.Base + path)
		if err != nil {
			c.T.Fatalf("%s: %v", path, err)
		}
		root := *c
		seen := map[string]bool{}
		for {
			root.Base = here.Scheme + "://" + here.Host
			a := root.Get(strings.TrimPrefix(here.String(), root.Base)).Is(200).JSON()
			match := NextLink.FindStringSubmatch(strings.Join(a.Header.Values("Link"), ","))
			if !yield(a) || match == nil {
				return
			}
			next, err := here.Parse(match[1])
			if err != nil || next.Host != here.Host || next.Scheme != here.Scheme || seen[next.String()] {
				c.T.Fatalf("%v\nlinks to the next page %q, which is not of this server, or was there before", a, match[1])
			}
			seen[next.String()] = true
			here = next
		}
	}
}
