package peer_test

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/problemtracking/problems/adapters/httpframe/peer"
)

// networks returns what a text says.
func networks(t *testing.T, text string) peer.Networks {
	t.Helper()
	var n peer.Networks
	if err := n.UnmarshalText([]byte(text)); err != nil {
		t.Fatalf("%q: %v", text, err)
	}
	return n
}

func TestNetworks(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"none":                     "none",
		" none ":                   "none",
		"10.0.0.0/8":               "10.0.0.0/8",
		"10.0.0.0/8, 192.168.1.1":  "10.0.0.0/8,192.168.1.1/32",
		"::1":                      "::1/128",
		"2001:DB8::/32,fd00::/8":   "2001:db8::/32,fd00::/8",
		"0.0.0.0/0,::/0":           "0.0.0.0/0,::/0",
		"127.0.0.0/8 ,\t::1 ":      "127.0.0.0/8,::1/128",
		peer.Loopback.String():     "127.0.0.0/8,::1/128",
		"192.0.2.1/32,2001:db8::1": "192.0.2.1/32,2001:db8::1/128",
	} {
		if got := networks(t, text).String(); got != want {
			t.Errorf("%q is read as %s, not %s", text, got, want)
		}
		if got := networks(t, want).String(); got != want {
			t.Errorf("%q is read as %s", want, got)
		}
	}
	for text, want := range map[string]string{
		"":                      "empty entry",
		"10.0.0.0/8,":           "empty entry",
		"10.0.0.0/8,none":       "not a network: none",
		"10.0.0.1/8":            "10.0.0.0/8",
		"10.0.0.0/33":           "not a network",
		"proxy.example.org":     "not a network: proxy.example.org",
		"fe80::1%eth0":          "not a network",
		"::ffff:10.0.0.0/104":   "of IPv4",
		"10.0.0.0/8 10.1.0.0/8": "not a network",
	} {
		var n peer.Networks
		if err := n.UnmarshalText([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q gives %v; want %q", text, err, want)
		}
	}
	trusted := networks(t, "10.0.0.0/8,2001:db8::/32")
	for text, want := range map[string]bool{
		"10.255.0.1": true, "11.0.0.1": false, "::ffff:10.0.0.1": true, "2001:db8::7": true, "2001:db8::7%eth0": true, "2001:db9::": false,
	} {
		if got := trusted.Contain(netip.MustParseAddr(text)); got != want {
			t.Errorf("%s is in %s: %t", text, trusted, got)
		}
	}
	if trusted.Contain(netip.Addr{}) {
		t.Error("no address is in a network")
	}
}

func TestNetworksOfEverybody(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]struct{ everybody, many bool }{
		"none":                       {false, false},
		"10.0.0.5":                   {false, false},
		"127.0.0.0/8,::1":            {false, false},
		"10.0.0.0/24,2001:db8::/64":  {false, false},
		"192.0.2.0/23":               {false, true},
		"10.0.0.0/8,172.16.0.0/12":   {false, true},
		"fc00::/7":                   {false, true},
		"2001:db8::/32":              {false, true},
		"100.64.0.0/10":              {false, true},
		"8.0.0.0/8":                  {false, true},
		"0.0.0.0/0":                  {true, true},
		"::/0":                       {true, true},
		"10.0.0.5,::/0":              {true, true},
		"0.0.0.0/1,128.0.0.0/1":      {true, true},
		"128.0.0.0/1":                {true, true},
		"8.0.0.0/7":                  {true, true},
		"8.0.0.0/8,11.0.0.0/8":       {true, true},
		"10.0.0.0/7":                 {true, true},
		"2000::/3":                   {true, true},
		"2000::/4,3000::/4":          {true, true},
		"64:ff9b::/96,2001:db8::/32": {false, true},
	} {
		n := networks(t, text)
		if got := n.HoldEverybody(); got != want.everybody {
			t.Errorf("%s hold everybody: %t", text, got)
		}
		if got := n.HoldMany(); got != want.many {
			t.Errorf("%s hold many: %t", text, got)
		}
	}
}

func TestSubnet(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"192.0.2.7":            "192.0.2.7/32",
		"::ffff:192.0.2.7":     "192.0.2.7/32",
		"2001:db8:1:2:3:4:5:6": "2001:db8:1:2::/64",
		"2001:db8:1:2:ffff::":  "2001:db8:1:2::/64",
		"fe80::1%eth0":         "fe80::/64",
		"2001:db8:1:3::":       "2001:db8:1:3::/64",
	} {
		if got := peer.Subnet(netip.MustParseAddr(text)).String(); got != want {
			t.Errorf("%s counts as %s, not %s", text, got, want)
		}
	}
	if got := peer.Subnet(netip.Addr{}); got != (netip.Prefix{}) {
		t.Errorf("no address counts as %s", got)
	}
}

func TestClient(t *testing.T) {
	t.Parallel()
	trusted := networks(t, "10.0.0.0/8,2001:db8::/32")
	forwardedFor := func(lines ...string) http.Header { return http.Header{"X-Forwarded-For": lines} }
	forwarded := func(lines ...string) http.Header { return http.Header{"Forwarded": lines} }
	for _, c := range []struct {
		rule   string
		remote string
		header http.Header
		want   string
		by     string // the header of the proxies
	}{
		{"a client is itself", "192.0.2.1:80", nil, "192.0.2.1", ""},
		{"a client cannot name another one", "192.0.2.1:80", forwardedFor("198.51.100.1"), "192.0.2.1", ""},
		{"a proxy names its client", "10.0.0.1:80", forwardedFor("192.0.2.1"), "192.0.2.1", ""},
		{"what the client claims counts for nothing", "10.0.0.1:80", forwardedFor("198.51.100.1, 192.0.2.1"), "192.0.2.1", ""},
		{"lines go on", "10.0.0.1:80", forwardedFor("198.51.100.1", "192.0.2.1"), "192.0.2.1", ""},
		{"proxies behind proxies", "10.0.0.1:80", forwardedFor("198.51.100.1, 192.0.2.1, 10.0.0.3,10.0.0.2"), "192.0.2.1", ""},
		{"a client in the network of the proxies", "10.0.0.1:80", forwardedFor("10.0.0.3, 10.0.0.2"), "10.0.0.3", ""},
		{"a proxy that names nobody", "10.0.0.1:80", nil, "10.0.0.1", ""},
		{"a proxy that does not know", "10.0.0.1:80", forwardedFor("198.51.100.1, unknown"), "10.0.0.1", ""},
		{"nonsense of the client", "10.0.0.1:80", forwardedFor("'; DROP, 192.0.2.1"), "192.0.2.1", ""},
		{"nonsense behind a proxy", "10.0.0.1:80", forwardedFor("198.51.100.1,,10.0.0.2"), "10.0.0.2", ""},
		{"with a port", "10.0.0.1:80", forwardedFor("192.0.2.1:4711"), "192.0.2.1", ""},
		{"IPv6", "[2001:db8::1]:80", forwardedFor("2001:db9::1"), "2001:db9::1", ""},
		{"IPv6 with a port", "[2001:db8::1]:80", forwardedFor("[2001:db9::1]:4711"), "2001:db9::1", ""},
		{"IPv6 in brackets", "[2001:db8::1]:80", forwardedFor("[2001:db9::1]"), "2001:db9::1", ""},
		{"a proxy seen over IPv6", "[::ffff:10.0.0.1]:80", forwardedFor("::ffff:192.0.2.1"), "192.0.2.1", ""},
		{"Forwarded", "10.0.0.1:80", forwarded(`for=198.51.100.1, proto=http; For="192.0.2.1:4711" ;by=10.0.0.1`), "192.0.2.1", peer.Forwarded},
		{"Forwarded with IPv6", "10.0.0.1:80", forwarded(`for="[2001:db9::1]:4711"`, "for=10.0.0.2"), "2001:db9::1", peer.Forwarded},
		{"Forwarded with a name that hides", "10.0.0.1:80", forwarded("for=198.51.100.1, for=_hidden"), "10.0.0.1", peer.Forwarded},
		{"Forwarded without for", "10.0.0.1:80", forwarded("for=198.51.100.1, proto=http"), "10.0.0.1", peer.Forwarded},
		{"Forwarded of a client behind a proxy with X-Forwarded-For", "10.0.0.1:80", http.Header{"Forwarded": {"for=198.51.100.1"}, "X-Forwarded-For": {"192.0.2.1"}}, "192.0.2.1", ""},
		{"X-Forwarded-For of a client behind a proxy with Forwarded", "10.0.0.1:80", http.Header{"Forwarded": {"for=192.0.2.1"}, "X-Forwarded-For": {"198.51.100.1"}}, "192.0.2.1", peer.Forwarded},
		{"Forwarded of a client alone", "10.0.0.1:80", http.Header{"Forwarded": {"for=198.51.100.1"}}, "10.0.0.1", ""},
		{"X-Forwarded-For of a client alone", "10.0.0.1:80", forwardedFor("198.51.100.1"), "10.0.0.1", peer.Forwarded},
		{"X-Forwarded-For by its name", "10.0.0.1:80", forwardedFor("192.0.2.1"), "192.0.2.1", peer.XForwardedFor},
		{"no port", "192.0.2.1", nil, "192.0.2.1", ""},
		{"no address", "@", forwardedFor("192.0.2.1"), "invalid IP", ""},
	} {
		if got := peer.Client(c.remote, c.header, peer.Proxies{Networks: trusted, Header: c.by}).String(); got != c.want {
			t.Errorf("%s: the client is %s, not %s", c.rule, got, c.want)
		}
	}
}

// Whatever a client sends as X-Forwarded-For, the proxy has the last word.
func TestClientsCannotPretend(t *testing.T) {
	t.Parallel()
	seed := rand.Uint64()
	rng := rand.New(rand.NewPCG(seed, 0))
	trusted := peer.Proxies{Networks: networks(t, "10.0.0.0/8")}
	parts := []string{"10.0.0.9", "198.51.100.1", "::1", "unknown", "", " ", ",", ";", "\"", "[", "]", ":", "%", "for=", "10.0.0.1:80", "\x00", "ä"}
	for range 5000 {
		claim := ""
		for range rng.IntN(8) {
			claim += parts[rng.IntN(len(parts))]
		}
		header := http.Header{"X-Forwarded-For": {claim + ", 192.0.2.1"}, "Forwarded": {claim}}
		if rng.IntN(2) == 0 {
			header["X-Forwarded-For"] = []string{claim, "192.0.2.1"}
		}
		if got := peer.Client("10.0.0.1:80", header, trusted).String(); got != "192.0.2.1" {
			t.Fatalf("seed %d: with the claim %q the client is %s", seed, claim, got)
		}
		if got := peer.Client("192.0.2.2:80", header, trusted).String(); got != "192.0.2.2" {
			t.Fatalf("seed %d: with the claim %q a client without a proxy is %s", seed, claim, got)
		}
	}
}

func TestConnections(t *testing.T) {
	t.Parallel()
	proxy, one, other := netip.MustParseAddr("10.0.0.1"), netip.MustParseAddr("192.0.2.1"), netip.MustParseAddr("192.0.2.2")
	c := peer.NewConnections(16, 3, networks(t, "10.0.0.0/8"))
	open := func(address netip.Addr, want peer.Bound) {
		t.Helper()
		if got := c.Open(address); got != want {
			t.Fatalf("a connection from %s beside %d is refused by %q, not %q", address, c.Count(), got, want)
		}
	}
	for range 3 {
		open(one, peer.None)
	}
	open(one, peer.OfAddress)
	open(other, peer.None)
	c.Close(one)
	open(one, peer.None)
	for range 6 { // a proxy has no limit of its own
		open(proxy, peer.None)
	}
	for i := range 6 {
		open(netip.AddrFrom4([4]byte{198, 51, 100, byte(i)}), peer.None)
	}
	open(proxy, peer.OfAll)
	c.Close(proxy)
	open(other, peer.None)
	if c.Count() != 16 {
		t.Errorf("%d connections are counted, not 16", c.Count())
	}
}

// However many clients there are, the proxies get their share.
func TestConnectionsOfProxies(t *testing.T) {
	t.Parallel()
	proxy := netip.MustParseAddr("10.0.0.1")
	c := peer.NewConnections(16, 0, networks(t, "10.0.0.0/8"))
	for i := range 20 {
		want := peer.None
		if i >= 14 {
			want = peer.OfAll
		}
		if got := c.Open(netip.AddrFrom4([4]byte{192, 0, 2, byte(i)})); got != want {
			t.Errorf("connection %d is refused by %q, not %q", i, got, want)
		}
	}
	for i := range 3 {
		want := peer.None
		if i == 2 {
			want = peer.OfAll
		}
		if got := c.Open(proxy); got != want {
			t.Errorf("connection %d of the proxy is refused by %q, not %q", i, got, want)
		}
	}
	unbounded := peer.NewConnections(0, 0, peer.Networks{})
	for range 100 {
		if got := unbounded.Open(proxy); got != peer.None {
			t.Fatalf("without a limit a connection is refused by %q", got)
		}
	}
	without := peer.NewConnections(1, 1, peer.Networks{})
	if got := without.Open(proxy); got != peer.None {
		t.Errorf("the only connection is refused by %q", got)
	}
}

// Whatever opens and closes, the limits hold, and nothing is left in the end.
func TestConnectionsAddUp(t *testing.T) {
	t.Parallel()
	seed := rand.Uint64()
	rng := rand.New(rand.NewPCG(seed, 0))
	const most, each = 24, 5
	c := peer.NewConnections(most, each, networks(t, "10.0.0.0/8"))
	var open []netip.Addr
	of := map[netip.Prefix]int{}
	for range 5000 {
		if len(open) > 0 && rng.IntN(5) < 2 {
			i := rng.IntN(len(open))
			c.Close(open[i])
			of[peer.Subnet(open[i])]--
			open[i] = open[len(open)-1]
			open = open[:len(open)-1]
			continue
		}
		address := netip.AddrFrom4([4]byte{[2]byte{10, 192}[rng.IntN(2)], 0, 0, byte(rng.IntN(6))})
		if c.Open(address) == peer.None {
			open = append(open, address)
			of[peer.Subnet(address)]++
			if n := of[peer.Subnet(address)]; n > each && address.As4()[0] != 10 || len(open) > most {
				t.Fatalf("seed %d: %d connections, of which %d from %s", seed, len(open), n, address)
			}
		}
		if c.Count() != len(open) {
			t.Fatalf("seed %d: %d connections are counted, not %d", seed, c.Count(), len(open))
		}
	}
	for _, address := range open {
		c.Close(address)
	}
	if c.Count() != 0 {
		t.Errorf("seed %d: %d connections are left", seed, c.Count())
	}
}

func TestRates(t *testing.T) {
	t.Parallel()
	now := time.Date(2015, 11, 5, 0, 0, 0, 0, time.UTC)
	r := peer.NewRates[string](3, 100, func() time.Time { return now })
	for i, step := range []struct {
		after  time.Duration
		client string
		want   peer.Quota
	}{
		{0, "a", peer.Quota{Allowed: true, Left: 2, Full: 20, Wait: 1}},
		{0, "a", peer.Quota{Allowed: true, Left: 1, Full: 40, Wait: 1}},
		{0, "a", peer.Quota{Allowed: true, Left: 0, Full: 60, Wait: 20}},
		{0, "a", peer.Quota{Allowed: false, Left: 0, Full: 60, Wait: 20}},
		{0, "b", peer.Quota{Allowed: true, Left: 2, Full: 20, Wait: 1}},
		{15 * time.Second, "a", peer.Quota{Allowed: false, Left: 0, Full: 45, Wait: 5}},
		{5 * time.Second, "a", peer.Quota{Allowed: true, Left: 0, Full: 60, Wait: 20}},
		{time.Hour, "a", peer.Quota{Allowed: true, Left: 2, Full: 20, Wait: 1}},
		{-2 * time.Hour, "a", peer.Quota{Allowed: true, Left: 1, Full: 40, Wait: 1}}, // a clock that steps back
	} {
		now = now.Add(step.after)
		spent := r.Spent(step.client)
		if got := r.Take(step.client); got != step.want || spent == got.Allowed {
			t.Errorf("step %d: %+v, spent before: %t; want %+v", i, got, spent, step.want)
		}
	}
}

// Whatever addresses come, the table has a bound, and those who come most often stay.
func TestRatesAreBounded(t *testing.T) {
	t.Parallel()
	now := time.Date(2015, 11, 5, 0, 0, 0, 0, time.UTC)
	const most = 50
	r := peer.NewRates[netip.Prefix](1, most, func() time.Time { return now })
	busy := peer.Subnet(netip.MustParseAddr("192.0.2.1"))
	for i := range 10 * most {
		allowed := r.Take(busy).Allowed
		if allowed != (i == 0) {
			t.Fatalf("after %d others the busy one is allowed: %t", i, allowed)
		}
		r.Take(peer.Subnet(netip.MustParseAddr(fmt.Sprintf("2001:db8:%x::1", i))))
		if n := r.Count(); n > most {
			t.Fatalf("%d clients are kept, at most %d should be", n, most)
		}
	}
}
