// Package peer finds the client of a request, also behind reverse proxies, and bounds the
// requests and connections of each client.
//
// Everything here is pure: the clock is handed in, and nothing is read or written.
package peer
