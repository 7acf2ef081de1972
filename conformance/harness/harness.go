package harness

import (
	"fmt"

	"github.com/problemtracking/problems/conformance/internal/engine"
	"github.com/problemtracking/problems/domain/store"
)

// T is the part of a test for a harness: messages and cleaning up. *testing.T has these
// methods, too.
type T = engine.T

// Harness opens the stores under test, and declares their capabilities. Its functions
// call t.Fatalf when they fail at their purpose. They are called from many goroutines at
// once.
type Harness struct {
	// Name is the name of the implementation in reports. If it is empty, they use the
	// name of the test.
	Name string
	// Version and URL describe the implementation; they may be empty.
	Version, URL string

	// Open opens the store of a new environment, so the store is empty. The case closes
	// the store.
	Open func(t T, env Env) store.Store
	// Reopen opens the store of an environment again, after it was closed, or after its
	// process has died. Nothing but Env.Dir leads it to the data: it may be called in
	// another process than Open was. It is nil for stores that are not durable.
	Reopen func(t T, env Env) store.Store
	// Peer opens a second handle on the data of an environment with an open store, as
	// another process would. The case closes it. It is nil for stores that are not
	// shared.
	Peer func(t T, env Env) store.Store
	// Hold opens a further handle on the data of an environment with an open store. One of
	// its Commits can be held back between its Position and its end. It is nil for stores
	// without such a moment, like those with one writer. It need not be declared.
	Hold func(t T, env Env) Holding
	// Crash has a child process commit to a store, and kills it. KillChild and CutPower
	// are such functions. It is nil for stores that are not durable.
	Crash func(t T, spec CrashSpec) CrashRun
	// Replicate makes a new store with a synchronous replica, in an unused environment.
	// It is nil for stores without one.
	Replicate func(t T, env Env) Replication
	// Caps declares the capabilities of the stores. Nothing is taken for granted: an
	// undeclared capability fails the run, and one declared absent has to be missing
	// cleanly.
	Caps Capabilities
}

// Capabilities are the optional abilities of stores.
type Capabilities struct {
	// Durable stores show the same data when they are opened again.
	Durable Support
	// Shared stores can be open several times on the same data.
	Shared Support
	// Replicated stores acknowledge a Change when a replica has it. The replica can take
	// over from the store. Unlike the others this need not be declared: the zero value
	// means No, as most stores have no replica.
	Replicated Support
	// LastReads stores have Readers with the interface store.LastReaders. This need not
	// be declared: the zero value declares nothing, and the cases hold for both.
	LastReads Support
	// Serial stores run one transaction after the other, as the emulator of a database may.
	// The report then says so beside the cases of concurrent writers, which show little
	// there. This need not be declared.
	Serial Support
}

// Declared returns the capabilities for a report.
func (c Capabilities) Declared() map[string]string {
	replicated := No
	if c.Replicated == Yes {
		replicated = Yes
	}
	declared := map[string]string{"durable": c.Durable.String(), "shared": c.Shared.String(), "replicated": replicated.String()}
	if c.LastReads != Undeclared {
		declared["lastReads"] = c.LastReads.String()
	}
	if c.Serial == Yes {
		declared["serial"] = "yes: one transaction after the other, so the cases of concurrency show little"
	}
	return declared
}

// Support says whether a store has a capability.
type Support int

// The values of Support. The zero value declares nothing.
const (
	Undeclared Support = iota
	Yes
	No
)

func (s Support) String() string {
	switch s {
	case Yes:
		return "yes"
	case No:
		return "no"
	}
	return "undeclared"
}

// Check returns the error of the harness itself.
func (h Harness) Check() error {
	switch {
	case h.Open == nil:
		return fmt.Errorf("the harness has no Open")
	case h.Caps.Durable != Yes && h.Caps.Durable != No:
		return fmt.Errorf("the harness does not declare Caps.Durable: say conformance.Yes or conformance.No")
	case h.Caps.Durable == Yes && h.Reopen == nil:
		return fmt.Errorf("the harness declares Caps.Durable, but has no Reopen to show it with")
	case h.Caps.Durable == Yes && h.Crash == nil:
		return fmt.Errorf("the harness declares Caps.Durable, but has no Crash: use conformance.KillChild, or conformance.CutPower if the store keeps files below Env.Dir")
	case h.Caps.Durable == No && h.Crash != nil:
		return fmt.Errorf("the harness has a Crash, but declares that nothing survives it")
	case h.Caps.Durable == No && h.Reopen != nil:
		return fmt.Errorf("the harness has a Reopen, but declares that nothing survives it")
	case h.Caps.Shared != Yes && h.Caps.Shared != No:
		return fmt.Errorf("the harness does not declare Caps.Shared: say conformance.Yes or conformance.No")
	case h.Caps.Shared == Yes && h.Peer == nil:
		return fmt.Errorf("the harness declares Caps.Shared, but has no Peer to show it with")
	case h.Caps.Shared == No && h.Peer != nil:
		return fmt.Errorf("the harness has a Peer, but declares that its stores share nothing")
	case h.Caps.Replicated == Yes && h.Replicate == nil:
		return fmt.Errorf("the harness declares Caps.Replicated, but has no Replicate to show it with")
	case h.Caps.Replicated != Yes && h.Replicate != nil:
		return fmt.Errorf("the harness has a Replicate, but does not declare Caps.Replicated: say conformance.Yes")
	}
	return nil
}
