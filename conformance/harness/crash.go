package harness

import "github.com/problemtracking/problems/domain/problem"

// CrashSpec is the task of a child process up to its end.
type CrashSpec struct {
	// Env has the directory of the store. The child opens it with Harness.Reopen, and has
	// to find it by that alone. It is closed.
	Env Env
	// Seed is the seed of the child's random Changes. Two runs on one store have
	// different seeds.
	Seed uint64
	// Writers is how many goroutines of the child commit at once.
	Writers int
	// Commits and Rulings are how many Commits, and how many rulings of
	// Outcome, are acknowledged before the child is ended, while it goes on.
	Commits, Rulings int
	// Watchers is the number of further goroutines of the child. They look at the Changes
	// of its writers, and confirm the Views. With Settle, they ask for the Outcome
	// instead. With Follow, they read the feed instead, from its end at their start.
	Watchers int
	Settle   bool
	Follow   bool
	// Sights is the number of Changes shown and then confirmed before the child is ended.
	// One is enough if its Commit had not returned: it may not be durable yet.
	Sights int
	// Problem is commented on by every Change of the child.
	Problem problem.ID
	// Restore is the number of problems in the child's Archive. The child restores it
	// before anything else; with 0 it restores none. If there are no Commits and Rulings,
	// the child is ended when the Restore is acknowledged.
	Restore int
	// Midway has the child ended when the Restore has taken half of the
	// Archive's problems.
	Midway bool
	// Kinds has the child commit Changes of a single kind each, in this order, again
	// and again. See Statement.Only. The one writer rests after the Commits.
	Kinds []string
	// Bulk is the number of further comments in each Change.
	Bulk int
	// Lose loses everything unsynced, as in a power cut. A Crash that lets more survive,
	// such as the writes of a server, says so beside its report.
	Lose bool

	// Test is the test that calls Run, and Harness the name of the harness. They lead the
	// child to its harness: no two harnesses of a test have one name. Outside of tests,
	// Test is empty: the child gets the arguments of this program.
	Test, Harness string
}

// CrashRun is the report of a run.
type CrashRun struct {
	// Ledger is the child's Statements up to its end, in order.
	Ledger Ledger
	// Declined is the reason why the harness does not do as Lose asks. It is declared,
	// and no gap in the report. The demands on every durable store cannot be declined:
	// without Lose it is the same as Unable.
	Declined string
	// Unable is the reason why this machine cannot do it, or cannot do it to this store.
	// The case is then reported as not run: a gap.
	//
	// Errors at the start of the child or after it are neither: they end in T.Fatalf.
	Unable string
	// Early is why the child ended by itself before it was to be ended.
	Early string
}
