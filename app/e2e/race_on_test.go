//go:build race

package e2e

// raced tells that the tests run under the race detector: then the program does, too.
const raced = true
