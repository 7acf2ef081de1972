// Package sequence draws random sequences of steps, plays them on a store and on the
// model, and shortens a failing one.
package sequence
