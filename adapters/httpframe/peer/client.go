package peer

import (
	"cmp"
	"net/http"
	"net/netip"
	"strings"
)

// Proxies are trusted reverse proxies: their networks, and the header in which they name
// their clients.
type Proxies struct {
	Networks
	// Header is [XForwardedFor], also when it is empty, or [Forwarded]. No other header
	// counts: a proxy that does not set it passes on what the client wrote there.
	Header string
}

// The headers in which proxies name their clients.
const (
	XForwardedFor = "X-Forwarded-For"
	Forwarded     = "Forwarded" // RFC 7239
)

// Client returns the address of the client of a request. remote is the
// other end of the connection, as http.Request.RemoteAddr has it. It is the client
// itself, unless it is a trusted proxy: then the header names the client.
//
// Each proxy adds the address of its caller at the end of the header. Only the
// entries of trusted proxies are believed. So the client is the last address outside of
// the trusted networks. If the header names none, the client is the farthest proxy.
//
// A malformed remote gives the zero Addr.
func Client(remote string, header http.Header, trusted Proxies) netip.Addr {
	client := parse(remote)
	if !trusted.Contain(client) {
		return client
	}
	hops := trusted.hops(header)
	for i := len(hops) - 1; i >= 0; i-- {
		hop := parse(hops[i])
		if !hop.IsValid() { // such as "unknown": nothing before it is known either
			break
		}
		if client = hop; !trusted.Contain(hop) {
			break
		}
	}
	return client
}

// hops returns the addresses from proxies, the latest last.
func (p Proxies) hops(header http.Header) []string {
	lines := header.Values(cmp.Or(p.Header, XForwardedFor))
	if len(lines) == 0 {
		return nil
	}
	if p.Header != Forwarded {
		return strings.Split(strings.Join(lines, ","), ",")
	}
	var hops []string
	for _, element := range strings.Split(strings.Join(lines, ","), ",") {
		hop := ""
		for _, pair := range strings.Split(element, ";") {
			if name, value, _ := strings.Cut(strings.TrimSpace(pair), "="); strings.EqualFold(name, "for") {
				hop = strings.Trim(value, `"`)
			}
		}
		hops = append(hops, hop)
	}
	return hops
}

// parse reads an address, with or without a port, and gives the zero Addr for
// anything else.
func parse(text string) netip.Addr {
	text = strings.TrimSpace(text)
	if withPort, err := netip.ParseAddrPort(text); err == nil {
		return withPort.Addr().Unmap().WithZone("")
	}
	if inner, found := strings.CutPrefix(text, "["); found {
		text = strings.TrimSuffix(inner, "]")
	}
	address, err := netip.ParseAddr(text)
	if err != nil {
		return netip.Addr{}
	}
	return address.Unmap().WithZone("")
}
