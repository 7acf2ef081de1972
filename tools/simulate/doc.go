// Package simulate runs a whole deployment in one process and in virtual time:
// several servers on one simulated store, clients that repeat as good clients do,
// and failures of all of them. Afterwards a ledger tells whether every answer was
// true.
//
// A seed decides everything, and the same seed gives the same run, step by step.
// That needs an order where Go has none: every sleep of the simulation ends at an
// instant of its own (see actor), and everything that others can see is done right
// after such a sleep. So at most one step happens at a time.
//
// [Draw] makes a [Plan] from a seed, [Run] runs it within a bubble of
// testing/synctest, and [Shrink] removes from a plan all that a broken rule does
// not need.
package simulate
