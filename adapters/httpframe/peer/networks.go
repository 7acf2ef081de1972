package peer

import (
	"errors"
	"math"
	"net/netip"
	"slices"
	"strings"
)

// Networks are ranges of addresses. The zero Networks has none.
type Networks struct{ prefixes []netip.Prefix }

// none is how no networks at all are written, where an empty text means a default.
const none = "none"

// Loopback are the addresses of the machine itself.
var Loopback = Networks{[]netip.Prefix{netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("::1/128")}}

// UnmarshalText reads a list of networks and addresses, such as
// "10.0.0.0/8, 2001:db8::1", or "none". Its error names the wrong entry.
func (n *Networks) UnmarshalText(text []byte) error {
	n.prefixes = nil
	if strings.TrimSpace(string(text)) == none {
		return nil
	}
	for _, entry := range strings.Split(string(text), ",") {
		entry = strings.TrimSpace(entry)
		if entry == "" {
			return errors.New("the list has an empty entry: expected networks such as 10.0.0.0/8,2001:db8::1, or none")
		}
		prefix, err := netip.ParsePrefix(entry)
		if err != nil {
			address, err := netip.ParseAddr(entry)
			if err != nil || address.Zone() != "" {
				return errors.New("not a network: " + entry + "; expected one such as 10.0.0.0/8, or an address")
			}
			prefix = netip.PrefixFrom(address, address.BitLen())
		}
		if masked := prefix.Masked(); prefix != masked {
			return errors.New("not a network: " + entry + "; its first address is that of " + masked.String())
		}
		if prefix.Addr().Is4In6() {
			return errors.New("not a network: " + entry + "; write it as one of IPv4")
		}
		n.prefixes = append(n.prefixes, prefix)
	}
	return nil
}

// String returns the networks as UnmarshalText reads them.
func (n Networks) String() string {
	if len(n.prefixes) == 0 {
		return none
	}
	entries := make([]string, len(n.prefixes))
	for i, p := range n.prefixes {
		entries[i] = p.String()
	}
	return strings.Join(entries, ",")
}

// Prefixes returns the networks.
func (n Networks) Prefixes() []netip.Prefix { return slices.Clone(n.prefixes) }

// Contain reports whether an address is in one of the networks.
func (n Networks) Contain(address netip.Addr) bool {
	address = address.Unmap().WithZone("")
	return slices.ContainsFunc(n.prefixes, func(p netip.Prefix) bool { return p.Contains(address) })
}

// nobodys are the networks that the Internet does not reach.
var nobodys = Networks{[]netip.Prefix{
	netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("172.16.0.0/12"), netip.MustParsePrefix("192.168.0.0/16"), netip.MustParsePrefix("100.64.0.0/10"),
	netip.MustParsePrefix("169.254.0.0/16"), netip.MustParsePrefix("127.0.0.0/8"),
	netip.MustParsePrefix("fc00::/7"), netip.MustParsePrefix("fe80::/10"), netip.MustParsePrefix("::1/128"),
}}

// HoldEverybody reports whether so many addresses of the Internet are in the networks, in one
// or several pieces, that strangers are among them: above those of a /8 of IPv4, or of a
// /16 of IPv6. Private networks do not count.
func (n Networks) HoldEverybody() bool {
	var four, six float64 // parts of all addresses
	for _, p := range n.prefixes {
		if slices.ContainsFunc(nobodys.prefixes, func(private netip.Prefix) bool {
			return private.Bits() <= p.Bits() && private.Contains(p.Addr())
		}) {
			continue
		}
		part := math.Ldexp(1, -p.Bits())
		if p.Addr().Is4() {
			four += part
		} else {
			six += part
		}
	}
	return four > math.Ldexp(1, -8) || six > math.Ldexp(1, -16)
}

// HoldMany reports whether one of the networks has more machines than those of a proxy: it is
// larger than a /24 of IPv4, or a /64 of IPv6. The addresses of the machine itself are one.
func (n Networks) HoldMany() bool {
	return slices.ContainsFunc(n.prefixes, func(p netip.Prefix) bool {
		most := 24
		if p.Addr().Is6() {
			most = 64
		}
		return p.Bits() < most && !slices.Contains(Loopback.prefixes, p)
	})
}

// Subnet returns the addresses of one client: an IPv4 address, or a /64 of IPv6. A
// customer of a provider has a /64 at least.
func Subnet(address netip.Addr) netip.Prefix {
	address = address.Unmap().WithZone("")
	bits := 32
	if address.Is6() {
		bits = 64
	}
	subnet, _ := address.Prefix(bits) // fails for no address: then the zero Prefix stands for it
	return subnet
}
