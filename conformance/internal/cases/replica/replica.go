package replica

import (
	"time"

	"github.com/problemtracking/problems/conformance/internal/bench"
)

// Brief is the time limit of a call while the replica receives nothing. A case waits for
// it a few times in vain.
const Brief = time.Second * bench.Slowness

// Cases are about stores with a replica for fail-over.
func Cases() []bench.Case {
	return []bench.Case{{
		ID: "CONF-002/replica",
		Rule: "While the replica receives nothing, no Commit, Confirm or Outcome says that a Change is safe, even if a View shows it. " +
			"What they say when it receives again holds after a fail-over.",
		Replicated: true,
		Run:        func(b *bench.Bench) { replicate(b).resume(false) },
	}, {
		ID:         "CONF-002/replica/cancelled",
		Rule:       "When an operator cancels a call's wait for the replica, the call does not say that a Change is safe either.",
		Replicated: true,
		Run:        replicaCancelled,
	}, {
		ID: "CONF-002/take-over",
		Rule: "When the replica takes over after receiving nothing for a while, it has every acknowledged or confirmed Change. " +
			"Of each other Change it has all or nothing, and Outcome settles it.",
		Replicated: true,
		Run:        takeOver,
	}, {
		ID: "CONF-004",
		Rule: "When the replica takes over without a Change of an earlier View, Confirm fails with Conflict for this View. " +
			"For a View after that it returns nil.",
		Replicated: true,
		Run:        confirmAfterCancelledWait,
	}, {
		ID:         "CONF-001/replica",
		Rule:       "Confirm waits for the replica, fails with Unavailable soon after its context ended, and returns nil when the replica receives again.",
		Replicated: true,
		Run:        cutFromReplica,
	}, {
		ID: "FEED-004/replica",
		Rule: "While the replica receives nothing, Feed returns no entry that the replica lacks. " +
			"The returned entries have the same numbers after a fail-over.",
		Replicated: true,
		Run:        func(b *bench.Bench) { feedAcrossTakeOver(b, false) },
	}, {
		ID:         "FEED-004/replica/cancelled",
		Rule:       "When an operator cancels the waits for the replica, Feed returns no entry that the replica lacks either.",
		Replicated: true,
		Run:        func(b *bench.Bench) { feedAcrossTakeOver(b, true) },
	}}
}

func replicaCancelled(b *bench.Bench) {
	r := replicate(b)
	if r.CancelWaits == nil {
		b.Engine.Waive("nobody can cancel the wait for the replica")
	}
	r.resume(true)
}

// feedAcrossTakeOver reads the feed before, while and after the replica receives nothing,
// and once more when it has taken over.
func feedAcrossTakeOver(b *bench.Bench, cancel bool) {
	r := replicate(b)
	if cancel && r.CancelWaits == nil {
		b.Engine.Waive("nobody can cancel the wait for the replica")
	}
	r.follow()
	r.Freeze()
	r.commitInVain(cancel)
	r.followInVain(cancel)
	r.Thaw()
	r.follow()
	d := r.next()
	d.receipt, d.safe = r.Commit(d.Change), "Commit"
	r.follow()
	r.Freeze()
	r.commitInVain(cancel)
	r.followInVain(cancel)
	r.takeOver()
}

func takeOver(b *bench.Bench) {
	r := replicate(b)
	r.Freeze()
	r.commitInVain(r.CancelWaits != nil)
	r.confirmInVain(r.CancelWaits != nil)
	r.takeOver()
}

func confirmAfterCancelledWait(b *bench.Bench) {
	r := replicate(b)
	r.Freeze()
	r.commitInVain(r.CancelWaits != nil)
	r.confirmFromBefore()
}

func cutFromReplica(b *bench.Bench) {
	r := replicate(b)
	r.Freeze()
	r.commitInVain(r.CancelWaits != nil)
	r.confirmCancelled()
	r.confirmAcross()
	r.takeOver()
}
