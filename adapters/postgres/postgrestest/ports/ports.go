// Package ports finds ports for the servers of tests.
package ports

import (
	"fmt"
	"math/rand/v2"
	"net"
	"strconv"
)

// Ports are taken from this range.
const lowest, count = 10000, 20000

// Free returns an unused port of 127.0.0.1. It is below the ports that systems hand out, so
// it is still free when a killed server starts again.
func Free() (int, error) {
	start := rand.IntN(count)
	for i := range count {
		port := lowest + (start+i)%count
		listener, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
		if err != nil {
			continue
		}
		return port, listener.Close()
	}
	return 0, fmt.Errorf("no port from %d to %d of 127.0.0.1 is free", lowest, lowest+count-1)
}

// Address returns an address of 127.0.0.1 with a port from Free.
func Address() (string, error) {
	port, err := Free()
	if err != nil {
		return "", err
	}
	return net.JoinHostPort("127.0.0.1", strconv.Itoa(port)), nil
}
