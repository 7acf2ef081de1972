//go:build race

package conformance

// slowness is how many times longer things take with the race detector, at most.
const slowness = 5
