// Package steady reads a clock that nobody sets, and that goes on while the machine
// sleeps: by it, a step of the other clock is noticed.
package steady
