// Package changes has the cases of a Change: its expectations and effects, its outcome, its
// order, and the numbers that it raises.
package changes
