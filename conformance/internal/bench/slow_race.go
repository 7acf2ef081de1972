//go:build race

package bench

// Slowness is how many times longer things take with the race detector, at most.
const Slowness = 5
