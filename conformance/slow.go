//go:build !race

package conformance

// slowness is how many times longer things take with the race detector, which is
// off.
const slowness = 1
