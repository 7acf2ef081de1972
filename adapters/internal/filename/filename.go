// Package filename reads headers with the name of a file, of mail and of HTTP.
package filename

import (
	"io"
	"mime"
	"regexp"
	"strings"

	"golang.org/x/net/html/charset"
	"golang.org/x/text/encoding"
)

// begin is the beginning of a parameter with a charset and a language, such as
// filename*=iso-8859-1'en' or filename*0*=iso-8859-1'en'. The language may be empty.
var begin = regexp.MustCompile(`([^\s;="*]+)(\*(?:0\*)?\s*=\s*"?)([^\s;='"]+)'[^']*'`)

// Parse is mime.ParseMediaType, and reads parameters in any charset (RFC 2231, RFC 8187). The
// library reads those in UTF-8 alone, and returns a part of others. A parameter in an unknown charset
// is left out.
func Parse(header string) (kind string, parameters map[string]string, err error) {
	charsets := map[string]encoding.Encoding{}
	header = begin.ReplaceAllStringFunc(header, func(found string) string {
		m := begin.FindStringSubmatch(found)
		from, name := charset.Lookup(m[3])
		switch {
		case name == "utf-8", strings.EqualFold(m[3], "us-ascii"):
			return found
		case from == nil || name == "replacement":
			return "unknown-" + found
		}
		charsets[strings.ToLower(m[1])] = from
		return m[1] + m[2] + "utf-8''" // the library returns the bytes as they are
	})
	kind, parameters, err = mime.ParseMediaType(header)
	for name, from := range charsets {
		if raw, ok := parameters[name]; ok {
			text, _ := io.ReadAll(from.NewDecoder().Reader(strings.NewReader(raw))) // wrong bytes become U+FFFD
			parameters[name] = string(text)
		}
	}
	return kind, parameters, err
}
