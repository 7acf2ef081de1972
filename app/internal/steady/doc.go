// Package steady reads a clock that nobody sets, and that goes on while the machine
// sleeps: it reveals steps of the other clock.
package steady
