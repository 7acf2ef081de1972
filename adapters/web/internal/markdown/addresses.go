package markdown

import (
	"bytes"
	"regexp"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/util"
)

// address is an address in a text that becomes a link. The host may be one word, have letters of
// any script, or be a number. A link does not end with punctuation. Behind the match, goldmark
// drops further punctuation and parentheses that were opened before the link, as GitHub does.
var address = regexp.MustCompile(`^(?i:https?://(?:[\pL\pM\pN._~!$&'*+,;=:%-]{1,256}@)?` + host + `(?::[0-9]{1,5})?(?:[/?#](?:` + inside + `*` + end + `\)*)?)?` +
	`|mailto:[\pL\pM\pN.!#$%&'*+/=?^_{|}~-]{1,64}@` + host + `(?:\?` + inside + `*` + end + `)?)`)

const (
	host   = `(?:\[[0-9a-f:.]{2,45}\]|[\pL\pN](?:[\pL\pM\pN._-]{0,252}[\pL\pM\pN])?)`
	inside = `[^\pZ\pC<>"` + "`" + `]`
	end    = `[^\pZ\pC<>"` + "`" + `?!.,:*_~')\p{Pi}\p{Pf}…。，、！？：；）」』】]`
)

// addresses returns the extension of goldmark that finds addresses. It compares schemes byte by
// byte.
func addresses() goldmark.Extender {
	return extension.NewLinkify(extension.WithLinkifyURLRegexp(address), extension.WithLinkifyAllowedProtocols([]string{
		"http:", "https:", "mailto:", "Http:", "Https:", "Mailto:", "HTTP:", "HTTPS:", "MAILTO:",
	}))
}

// escaped returns an address for a link. Goldmark would escape the brackets of a numeric host.
func escaped(address []byte) []byte {
	if start := bytes.Index(address, []byte("://[")); start >= 0 {
		if end := bytes.IndexByte(address, ']'); end > start {
			return append(bytes.Clone(address[:end+1]), util.URLEscape(address[end+1:], false)...)
		}
	}
	return util.URLEscape(address, false)
}
