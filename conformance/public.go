package conformance

import (
	"github.com/problemtracking/problems/conformance/harness"
	"github.com/problemtracking/problems/conformance/internal/bench"
	"github.com/problemtracking/problems/conformance/internal/crash"
)

// Harness describes the opening and the capabilities of the stores under test. Package
// harness has its members, and the members of the other types here.
type Harness = harness.Harness

// T is the test of a harness, for messages and for cleaning up.
type T = harness.T

// Env is the environment of one store: its directory, and the clock and the
// identifiers of its case.
type Env = harness.Env

// Capabilities are the optional abilities of stores.
type Capabilities = harness.Capabilities

// Support says whether a store has a capability.
type Support = harness.Support

// The values of Support. The zero value declares nothing.
const (
	Undeclared = harness.Undeclared
	Yes        = harness.Yes
	No         = harness.No
)

// CrashSpec tells a child process of Harness.Crash its task.
type CrashSpec = harness.CrashSpec

// CrashRun is the result of Harness.Crash.
type CrashRun = harness.CrashRun

// Ledger is the account of a child process, in order.
type Ledger = harness.Ledger

// Replication is a store with a synchronous replica.
type Replication = harness.Replication

// Holding is a handle with a Commit that is held back.
type Holding = harness.Holding

// Case is one demand of the contract, with a check of the store.
type Case = bench.Case

// Child is a child process of a case, for a Harness.Crash of your own.
type Child = crash.Child

// KillChild is the Harness.Crash of stores with data as safe as the machine when the
// process dies. It runs the calling program once more, and ends this child with SIGKILL.
// It declines to lose unsynced writes.
func KillChild(t T, spec CrashSpec) CrashRun { return crash.KillChild(t, spec) }

// CutPower is the Harness.Crash for stores with all their data in files below Env.Dir.
// With Lose it follows the child's system calls with strace. After the end of the child
// it leaves the files as a disk does when the power fails: as synced. The moment depends
// on the Seed: the last acknowledgement, or one of the next syncs. Without Lose it is
// KillChild.
//
// It needs Linux, strace 5.3 or newer and the right to trace own processes, but
// not to be root.
func CutPower(t T, spec CrashSpec) CrashRun { return crash.CutPower(t, spec) }

// StartChild starts the child process of a case, for a Harness.Crash of your own.
func StartChild(t T, spec CrashSpec) *Child { return crash.StartChild(t, spec) }
