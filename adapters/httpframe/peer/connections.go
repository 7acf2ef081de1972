package peer

import (
	"net/netip"
	"sync"
)

// Bound is the limit behind the refusal of a connection.
type Bound string

// The limits of connections.
const (
	None      Bound = ""        // the connection is fine
	OfAddress Bound = "address" // the client has too many
	OfAll     Bound = "all"     // there are too many
)

// Connections counts open connections, for all clients together and for
// each. It can be used by several goroutines.
type Connections struct {
	most    int // of all; 0: any number
	each    int // of a client; 0: any number
	trusted Networks

	mu        sync.Mutex
	open      int                  // including trusted networks
	untrusted int                  // all others
	of        map[netip.Prefix]int // by client; as large as untrusted at most
}

// NewConnections returns Connections with two limits: most for all clients together, and
// each for one client. 0 stands for any number. Trusted networks have no
// limit of their own, and an eighth of all connections is for them alone.
func NewConnections(most, each int, trusted Networks) *Connections {
	return &Connections{most: most, each: each, trusted: trusted, of: map[netip.Prefix]int{}}
}

// Open counts a connection from an address, unless a limit refuses it. Close has to
// be called for each counted one.
func (c *Connections) Open(address netip.Addr) Bound {
	exempt, client := c.trusted.Contain(address), Subnet(address)
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case !exempt && c.each > 0 && c.of[client] >= c.each:
		return OfAddress
	case c.most > 0 && (c.open >= c.most || !exempt && c.untrusted >= c.most-c.reserved()):
		return OfAll
	}
	c.open++
	if !exempt {
		c.untrusted++
		c.of[client]++
	}
	return None
}

// reserved is how many connections only trusted networks can have.
func (c *Connections) reserved() int {
	if len(c.trusted.prefixes) == 0 {
		return 0
	}
	return c.most / 8
}

// Close counts the end of a connection from an address.
func (c *Connections) Close(address netip.Addr) {
	exempt, client := c.trusted.Contain(address), Subnet(address)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.open--
	if exempt {
		return
	}
	c.untrusted--
	if c.of[client]--; c.of[client] == 0 {
		delete(c.of, client)
	}
}

// Count returns how many connections are open.
func (c *Connections) Count() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.open
}
