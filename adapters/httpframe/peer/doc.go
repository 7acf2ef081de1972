// Package peer finds out which client a request comes from, also behind reverse
// proxies, and bounds what each client can take: requests and connections.
//
// Everything here is pure: the clock is handed in, and nothing is read or written.
package peer
