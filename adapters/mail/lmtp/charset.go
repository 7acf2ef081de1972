package lmtp

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html/charset"
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/htmlindex"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"
)

// unnamed are the charsets by which programs say that they know none (RFC 1428).
var unnamed = []string{"", "unknown-8bit", "x-unknown", "unknown"}

// western are the charsets that programs name, whatever they send: us-ascii and iso-8859-1 mean
// Windows-1252 here.
var western = []encoding.Encoding{charmap.Windows1252, charmap.ISO8859_15}

// holes are the characters for the bytes that Windows-1252 does not have.
const holes = "\u0081\u008d\u008f\u0090\u009d"

// toUTF8 returns the text of a part with the named charset. UTF-8 under the name of a Western
// charset, or of none, is UTF-8: other text almost never looks like it. Otherwise a part without a
// charset is in Windows-1252, or in the charset that HTML names in itself. It refuses bytes that
// are not in the charset: a text full of U+FFFD cannot be mended later.
func toUTF8(raw []byte, name string, html bool) (string, *refusal) {
	var from encoding.Encoding = charmap.Windows1252
	shown := "any known charset"
	if name = strings.ToLower(strings.TrimSpace(name)); !slices.Contains(unnamed, name) {
		known, err := htmlindex.Get(name)
		if err != nil || known == encoding.Replacement {
			return "", unreadable("the text of the mail has an unknown charset: send it in UTF-8")
		}
		from, shown = known, "the charset "+name+" of its header"
	} else if html && !utf8.Valid(raw) {
		from, name, _ = charset.DetermineEncoding(raw, "")
		shown = "the charset " + name + " of its HTML"
	}
	if slices.Contains(western, from) && utf8.Valid(raw) {
		from = unicode.UTF8
	}
	text, _, err := transform.Bytes(unicode.BOMOverride(from.NewDecoder()), raw)
	if err != nil {
		return "", errUnreadable
	}
	switch {
	case bytes.ContainsRune(text, utf8.RuneError) && utf8.Valid(raw) && !isASCII(raw): // UTF-8 with U+FFFD in it, or under another name
		text = bytes.TrimPrefix(raw, []byte("\ufeff"))
	case bytes.ContainsRune(text, utf8.RuneError), from == charmap.Windows1252 && bytes.ContainsAny(text, holes):
		return "", unreadable(fmt.Sprintf("the text of the mail is damaged: it has bytes that are not in %.60s. Send it in UTF-8", shown))
	}
	return string(text), nil
}

func isASCII(raw []byte) bool {
	return !slices.ContainsFunc(raw, func(b byte) bool { return b >= utf8.RuneSelf })
}
