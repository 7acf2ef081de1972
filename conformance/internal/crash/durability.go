package crash

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/problemtracking/problems/conformance/harness"
	"github.com/problemtracking/problems/conformance/internal/bench"
	"github.com/problemtracking/problems/domain/event"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/store"
)

// crashCase is a demand. It holds when the process with the open store is killed, and
// when the power fails.
type crashCase struct {
	tag  string
	rule string // begins in the middle of a sentence
	run  func(c *crashed, lose bool)
}

// Cases are about reopening stores after a crash, without Close. Each demand is made
// twice: after a kill, and after a power cut.
func Cases() []bench.Case {
	var cases []bench.Case
	for _, demand := range crashCases() {
		for _, lose := range []bool{false, true} {
			c := bench.Case{ID: demand.tag + "/killed", Rule: "After the process was killed, " + demand.rule, Durable: true, Crash: true, Seeded: true}
			if lose {
				c.ID, c.Rule, c.PowerCut = demand.tag+"/power-cut", "After the loss of all unsynced writes, "+demand.rule, true
			}
			c.Run = func(b *bench.Bench) { demand.run(&crashed{Bench: b}, lose) }
			cases = append(cases, c)
		}
	}
	return cases
}

func crashCases() []crashCase {
	return []crashCase{{
		tag:  "COM-003",
		rule: "the store shows every Change with a returned Commit, and no refused or untried one.",
		run:  acknowledgedSurvive,
	}, {
		tag:  "COM-001",
		rule: "each Change is stored as a whole or not at all, one after the other in the order of their positions.",
		run:  changesAreWhole,
	}, {
		tag:  "COM-003/each-kind",
		rule: "the store shows every Change with a returned Commit, for every kind of last Change, and any number before it.",
		run:  keepsEachKind,
	}, {
		tag:  "COM-001/large",
		rule: "a Change with thousands of effects is stored as a whole or not at all.",
		run:  keepsLargeWhole,
	}, {
		tag:  "OUT-001",
		rule: "Outcome returns the Receipt and true for every stored batch, and says the same again.",
		run:  storedAreReported,
	}, {
		tag:  "OUT-002",
		rule: "a batch then ruled out by Outcome is never stored: its Commit fails with Abandoned, also after another crash.",
		run:  ruledOutNeverStored,
	}, {
		tag:  "COM-006",
		rule: "a batch ruled out by Outcome stays ruled out.",
		run:  rulingsSurvive,
	}, {
		tag:  "CONF-002",
		rule: "the store shows every Change of a View, or counted by Versions, if Confirm was called after it and returned nil.",
		run:  func(c *crashed, lose bool) { c.watched(harness.CrashSpec{Lose: lose}) },
	}, {
		tag:  "CONF-002/outcome",
		rule: "the store shows every Change reported as stored by Outcome, also if its Commit was still under way.",
		run:  func(c *crashed, lose bool) { c.watched(harness.CrashSpec{Lose: lose, Settle: true}) },
	}, {
		tag:  "COM-005",
		rule: "the Commit of an acknowledged batch returns its Receipt again, and changes nothing.",
		run:  batchesAreKnown,
	}, {
		tag:  "COM-011",
		rule: "a new Change has a greater position than all acknowledged ones.",
		run:  positionsGoOn,
	}, {
		tag:  "FEED-004",
		rule: "the feed has each stored Change once, and its entries have the numbers that they were read with.",
		run:  feedSurvives,
	}, {
		tag:  "FEED-004/shown",
		rule: "every entry returned by Feed is there with its number, also if its Commit was still under way.",
		run:  feedKeepsShown,
	}, {
		tag:  "ID-002",
		rule: "Reserve never returns the number of an existing problem.",
		run:  numbersGoOn,
	}, {
		tag:  "RES-004",
		rule: "the store shows all of an Archive after its Restore had returned.",
		run:  restoredSurvives,
	}, {
		tag:  "RES-001",
		rule: "nothing is stored of an Archive with its Restore under way, and it can be restored again.",
		run:  restoredWholeOrNot,
	}}
}

func acknowledgedSurvive(c *crashed, lose bool) {
	c.begin()
	for moment := range uint64(2) {
		c.round(harness.CrashSpec{Seed: c.At(moment), Writers: 4, Commits: 40, Lose: lose})
		c.verify()
	}
}

func changesAreWhole(c *crashed, lose bool) {
	c.begin()
	for moment := range uint64(3) {
		c.round(harness.CrashSpec{Seed: c.At(moment + 1), Writers: 6, Commits: 15, Lose: lose})
		c.verify()
		c.settle()
		c.Whole()
	}
}

func storedAreReported(c *crashed, lose bool) {
	c.begin()
	c.round(harness.CrashSpec{Seed: c.At(1), Writers: 6, Commits: 20, Lose: lose})
	c.settle() // first: a server may still end a Commit of the killed process
	k := c.audit()
	stored := 0
	for _, d := range c.done {
		if d.stored {
			stored++
		}
	}
	c.Equal("the number of batches that are stored, by Outcome", k.acknowledged-k.lost+k.openStored, stored)
	before := c.positions()
	c.settle()
	c.Equal("the positions, asked again", before, c.positions())
}

func ruledOutNeverStored(c *crashed, lose bool) {
	c.begin()
	never := c.Change(store.AddComment{Problem: c.common, Comment: c.Comment("never")})
	for moment := range uint64(2) {
		c.round(harness.CrashSpec{Seed: c.At(moment), Writers: 6, Commits: 10, Lose: lose})
		c.settle()
		if moment == 0 {
			c.ruleOut(never.Batch)
		}
		c.Refuse("a batch that was ruled out", fault.Abandoned, never)
		for _, d := range c.done {
			if !d.stored {
				_, err := c.Store.Commit(c.Ctx, d.Change)
				c.Fails("the Commit of a batch that was ruled out", fault.Abandoned, err)
			}
		}
		c.Whole()
	}
}

func rulingsSurvive(c *crashed, lose bool) {
	c.begin()
	c.round(harness.CrashSpec{Seed: c.At(0), Writers: 2, Rulings: 6, Lose: lose})
	if len(c.ruled) == 0 {
		c.Failf("the child has ruled out nothing")
	}
	for _, batch := range c.ruled {
		change := c.Change(store.AddComment{Problem: c.common, Comment: c.Comment("never")})
		change.Batch = batch
		_, err := c.Store.Commit(c.Ctx, change)
		c.Fails("the Commit of a batch that was ruled out", fault.Abandoned, err)
	}
	c.settle()
	c.Whole()
}

func batchesAreKnown(c *crashed, lose bool) {
	c.begin()
	c.round(harness.CrashSpec{Seed: c.At(0), Writers: 4, Commits: 20, Lose: lose})
	c.verify()
	for _, d := range c.done {
		if !d.acknowledged() {
			continue
		}
		receipt, err := c.Store.Commit(c.Ctx, d.Change)
		c.Must("the repeated Commit", err)
		c.Equal("the Receipt of a repeated Commit", store.Receipt{Batch: d.Change.Batch, Position: d.Position}, receipt)
	}
	c.settle()
	c.Whole()
}

func positionsGoOn(c *crashed, lose bool) {
	c.begin()
	for moment := range uint64(2) {
		c.round(harness.CrashSpec{Seed: c.At(moment), Writers: 4, Commits: 10, Lose: lose})
		before := c.highest
		for range 3 {
			receipt := c.enter(c.Change(store.AddComment{Problem: c.common, Comment: c.Comment("after it")}))
			if receipt.Position <= before {
				c.Failf("a Change has the position %d where %d was acknowledged before", receipt.Position, before)
			}
			before = receipt.Position
		}
	}
}

func feedSurvives(c *crashed, lose bool) {
	c.begin()
	var read []event.Entry
	for moment := range uint64(3) {
		c.round(harness.CrashSpec{Seed: c.At(moment), Writers: 4, Commits: 10, Lose: lose})
		c.settle()
		c.Whole()
		now, err := c.Store.Feed(c.Ctx, 1, math.MaxInt32, math.MaxInt64)
		c.Must("Feed", err)
		if len(now) < len(read) {
			c.Failf("the feed has %d entries where %d were read before the crash", len(now), len(read))
		}
		c.Equal("the entries of the feed that were read before the crash", read, now[:len(read):len(read)])
		read = now
	}
}

// feedKeepsShown ends children as soon as the feed has the entry of a Commit under way. A
// store that shows the entry before syncing it may lose it then.
func feedKeepsShown(c *crashed, lose bool) {
	c.watched(harness.CrashSpec{Follow: true, Lose: lose})
	if len(c.read) == 0 {
		c.Failf("the children have read nothing in the feed")
	}
	entries, err := c.Store.Feed(c.Ctx, 1, math.MaxInt32, math.MaxInt64)
	c.Must("Feed", err)
	numbered := make(map[int64]ident.ID, len(entries))
	for _, e := range entries {
		numbered[e.Number] = e.Batch
	}
	for _, number := range slices.Sorted(maps.Keys(c.read)) {
		c.Equal(fmt.Sprintf("the batch of entry %d, which was read before a crash", number), c.read[number], numbered[number])
	}
}

func numbersGoOn(c *crashed, lose bool) {
	c.begin()
	for moment := range uint64(2) {
		c.round(harness.CrashSpec{Seed: c.At(moment), Writers: 4, Commits: 10, Lose: lose})
		c.verify() // or there would be no number to avoid
		shown, err := c.Held()
		c.Must("reading what is stored", err)
		taken := make(map[problem.ID]bool)
		for _, d := range shown.Dossiers {
			taken[d.ID] = true
		}
		for range 2 * len(taken) {
			if id := c.Reserve(); taken[id] {
				c.Failf("Reserve returned %d, which is the number of a problem", id)
			}
		}
	}
}

func restoredSurvives(c *crashed, lose bool) {
	const problems = 30
	spec := harness.CrashSpec{Seed: c.At(0), Restore: problems, Lose: lose}
	crash(c.Bench, spec)
	c.Shows("what is stored", archived(seededEnv(c.Dir, spec.Seed), problems))
	if id := c.Reserve(); id <= problems {
		c.Failf("Reserve returned %d where problem %d was restored", id, problems)
	}
}

func restoredWholeOrNot(c *crashed, lose bool) {
	const problems = 30
	spec := harness.CrashSpec{Seed: c.At(0), Restore: problems, Midway: true, Lose: lose}
	crash(c.Bench, spec)
	c.Shows("what is stored", bench.Holdings{})
	again := archived(seededEnv(c.Dir, spec.Seed), problems)
	c.Restore(again)
	c.Shows("what is stored after another Restore", again)
}

// keepsEachKind ends children right after an acknowledged Change. Each child commits one
// Change more than the child before. So the last Change has each number within a session, and
// each remainder by sixteen since the store was made. Each kind is once the kind of a last
// Change.
func keepsEachKind(c *crashed, lose bool) {
	c.begin()
	all := names()
	for last := range all {
		c.round(harness.CrashSpec{Seed: c.At(uint64(last) * moments), Writers: 1, Commits: last + 1, Kinds: all, Lose: lose})
		c.settle()
		c.Whole()
	}
}

// keepsLargeWhole ends children between two large Changes, and at each of the next syncs.
// A Change stored in pieces is there in part at one of them.
func keepsLargeWhole(c *crashed, lose bool) {
	const bulk = 2000
	c.begin()
	for moment := range uint64(moments - 1) {
		c.round(harness.CrashSpec{Seed: c.At(moment + 1), Writers: 1, Commits: 2, Bulk: bulk, Lose: lose})
		c.verify()
		c.settle()
		c.Whole()
	}
}

// At returns a seed for one run of a child. The moment in it selects the time of the power cut.
func (c *crashed) At(moment uint64) uint64 { return c.Seed*moments + moment }

// begin makes the problem for the comments of all Changes.
func (c *crashed) begin() {
	c.Helper()
	p := c.Problem(c.Reserve())
	c.common = p.ID
	c.enter(c.Change(store.CreateProblem{Problem: p}))
}

// watched ends children as soon as a Change was confirmed as safe before its Commit has
// returned. A store that shows the Change before syncing it may lose it then.
func (c *crashed) watched(spec harness.CrashSpec) {
	c.Helper()
	c.begin()
	for round := range uint64(4) {
		spec.Seed, spec.Writers, spec.Watchers, spec.Commits, spec.Sights = c.At(round*moments), 4, 2, 5, 30
		c.round(spec)
		c.verify()
	}
}

// positions returns the positions of the children's Changes.
func (c *crashed) positions() (all []int64) {
	for _, d := range c.done {
		all = append(all, d.Position)
	}
	return all
}

// ruleOut has Outcome rule out a batch without a Commit.
func (c *crashed) ruleOut(batch ident.ID) {
	c.Helper()
	_, stored, err := c.Store.Outcome(c.Ctx, batch, c.Now())
	c.Must("Outcome", err)
	c.Equal("whether a batch that nobody committed is stored", false, stored)
}

// crash lets a child use the store until it is killed, opens the store again, and returns
// the child's Statements.
func crash(b *bench.Bench, spec harness.CrashSpec) harness.Ledger {
	b.Helper()
	b.Must("Close", b.Store.Close())
	spec.Env, spec.Test, spec.Harness = b.Env, b.Test, b.H.Name
	b.Logf("a child process with the seed %d, which is ended after %d Commits, %d rulings and %d sights", spec.Seed, spec.Commits, spec.Rulings, spec.Sights)
	run := b.H.Crash(b.Engine.Harness(), spec)
	switch {
	case run.Declined != "" && spec.Lose:
		b.Engine.Waive(run.Declined) // the level of durability says it
	case run.Declined != "":
		b.Engine.NotRun(run.Declined)
	case run.Unable != "":
		b.Engine.NotRun(run.Unable)
	case run.Early != "":
		b.Failf("the child process did not get to where it was to be ended: %s", run.Early)
	case !Enough(spec, run.Ledger):
		b.Engine.Harness().Fatalf("Crash says nothing of why, but the child did not get to where it was to be ended: "+
			"a Ledger of %d statements is not one of %d Commits, %d rulings, %d sights and an Archive of %d problems",
			len(run.Ledger), spec.Commits, spec.Rulings, spec.Sights, spec.Restore)
	}
	b.Store = b.Traced("", b.Opened("Reopen", b.Engine.Assistant("Reopen"), b.H.Reopen))
	b.Share()
	return run.Ledger
}
