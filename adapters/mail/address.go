package mail

import (
	"errors"
	netmail "net/mail"
	"slices"
	"strings"
	"unicode/utf8"

	gomail "github.com/wneessen/go-mail"
	"golang.org/x/net/idna"
)

// withASCIIDomain returns an address with its domain in ASCII, as all mail servers take it. The
// domain of "ann@bücher.example" becomes "xn--bcher-kva.example".
func withASCIIDomain(address string) (string, error) {
	at := strings.LastIndexByte(address, '@') + 1
	if isASCII(address[at:]) {
		return address, nil
	}
	domain, err := idna.Lookup.ToASCII(address[at:])
	if err != nil {
		return "", errors.New("the domain of the address is not valid: it has letters that no domain can have")
	}
	return address[:at] + domain, nil
}

// needsUTF8 reports whether an address of a message has letters outside of ASCII. Its domain has
// none.
func needsUTF8(m *gomail.Msg) bool {
	all := slices.Concat(m.GetFrom(), m.GetTo(), m.GetAddrHeader(gomail.HeaderReplyTo))
	return slices.ContainsFunc(all, func(a *netmail.Address) bool { return !isASCII(a.Address) })
}

func isASCII(text string) bool {
	return !strings.ContainsFunc(text, func(c rune) bool { return c >= utf8.RuneSelf })
}
