//go:build !race

package bench

// Slowness is how many times longer things take with the race detector, which is
// off.
const Slowness = 1
