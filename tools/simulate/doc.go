// Package simulate runs a whole deployment in one process and in virtual time: several
// servers on one simulated store, clients with the retries of good clients, and failures
// of all of them. Afterwards a ledger tells whether every answer was true.
//
// A seed decides everything, and the same seed gives the same run, step by step. Where Go
// has no order, the simulation needs one. Every sleep ends at an instant of its own (see
// actor), and everything visible to others is done right after such a sleep. So at most
// one step happens at a time.
//
// [Draw] makes a [Plan] from a seed, [Run] runs it within a bubble of testing/synctest,
// and [Shrink] removes everything from a plan that a broken rule does not need.
package simulate
