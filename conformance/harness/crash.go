package harness

import "github.com/problemtracking/problems/domain/problem"

// CrashSpec says what a child process has to do before it is ended.
type CrashSpec struct {
	// Env has the directory of the store that the child opens with
	// Harness.Reopen, and has to find by that alone. It is closed.
	Env Env
	// Seed is what the child draws its Changes from. Two runs on one store
	// have different seeds.
	Seed uint64
	// Writers is how many goroutines of the child commit at once.
	Writers int
	// Commits and Rulings are how many Commits, and how many rulings of
	// Outcome, are acknowledged before the child is ended, while it goes on.
	Commits, Rulings int
	// Watchers is how many further goroutines of the child look at what its
	// writers commit, and confirm what a View shows. With Settle, they ask
	// Outcome of it instead.
	Watchers int
	Settle   bool
	// Sights is how many Changes were shown and then confirmed before the child
	// is ended. One is enough if its Commit had not returned: it may not have
	// reached what survives.
	Sights int
	// Problem is one that every Change of the child comments on.
	Problem problem.ID
	// Restore is how many problems the Archive has that the child restores
	// before anything else; with 0 it restores none. If there are no Commits
	// and Rulings, the child is ended when the Restore is acknowledged.
	Restore int
	// Midway has the child ended when the Restore has taken half of the
	// Archive's problems.
	Midway bool
	// Kinds has the child commit Changes of a single kind each, in this order, again
	// and again. See Statement.Only. The one writer rests after the Commits.
	Kinds []string
	// Bulk is the number of further comments in each Change.
	Bulk int
	// Lose has all lost that was not synced, as in a power cut. A Crash that
	// lets more survive, such as what a server has written, says so beside its
	// report.
	Lose bool

	// Test is the test that calls Run, and Harness the name of the harness, so
	// that the child finds its way there: no two harnesses of a test have one
	// name. Outside of tests, Test is empty: the
	// child gets the arguments of this program.
	Test, Harness string
}

// CrashRun is what is known of a run.
type CrashRun struct {
	// Ledger is what the child said until it was ended, in order.
	Ledger Ledger
	// Declined is why the harness does not try what Lose asks for: that is
	// declared, and no gap in the report. What every durable store has to bear
	// cannot be declined: without Lose it is the same as Unable.
	Declined string
	// Unable is why this machine cannot do it, or cannot do it to this store.
	// The case is then reported as not run, which is a gap.
	//
	// What goes wrong later, when the child is to be started or was, is
	// neither: it ends in T.Fatalf.
	Unable string
	// Early is why the child ended by itself before it was to be ended.
	Early string
}
