//go:build race

package e2e

// raced tells that the tests run under the race detector, and so the program does.
const raced = true
