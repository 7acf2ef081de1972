package handles

import (
	"fmt"
	"maps"
	"slices"
	"sync/atomic"

	"github.com/problemtracking/problems/conformance/internal/bench"
	"github.com/problemtracking/problems/conformance/internal/cases/steps"
	"github.com/problemtracking/problems/conformance/internal/finding"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/store"
)

// Peer are the cases of several handles.
func Peer() []bench.Case {
	return []bench.Case{{
		ID:     "SHARE-001",
		Rule:   "One handle's Commits show at once through the other, by every method, and the other way round.",
		Shared: true,
		Run:    handlesAgree,
	}, {
		ID:     "SHARE-001/search",
		Rule:   "Search through one handle finds the other's Commits at once.",
		Shared: true,
		Run:    searchOverHandles,
	}, {
		ID:     "SHARE-001/batches",
		Rule:   "The outcome of a batch is the same for each handle: stored, its Receipt is returned, also by another Commit of it; ruled out, it never happens.",
		Shared: true,
		Run:    batchOverHandles,
	}, {
		ID:     "SHARE-001/close",
		Rule:   "Closing one handle takes nothing from the other.",
		Shared: true,
		Run:    closeOneHandle,
	}, {
		ID:     "SHARE-001/reserve",
		Rule:   "A number reserved by one handle is greater than the numbers of the problems committed by the other, and than its own earlier ones.",
		Shared: true,
		Run:    reserveOverHandles,
	}, {
		ID:     "SHARE-001/numbers",
		Rule:   "When handles create problems at once, each number belongs to one problem: the second Commit is refused with Conflict, and every other is stored.",
		Shared: true,
		Run:    numbersOverHandles,
	}}
}

func handlesAgree(b *bench.Bench) {
	handles := b.Handles()
	for i := range 6 {
		writer, other := handles[i%2], handles[(i+1)%2]
		_, change := steps.OneOfEach(writer)
		writer.Seen.Add(change)
		other.Image() // a cache is filled now
		other.Versions()
		writer.Commit(change)
		versions, seen := other.Versions(), other.Image()
		b.Equal("what the other handle shows", writer.Image(), seen)
		b.Equal("the other handle's Versions", writer.Versions(), versions)
	}
}

func searchOverHandles(b *bench.Bench) {
	handles := b.Handles()
	x := finding.ExhibitsOf(b)
	handles[0].Restore(x.Holdings)
	for i := range 6 {
		writer, other := handles[i%2], handles[(i+1)%2]
		finding.Finds(other, finding.Asked{Predicate: `ANY comments.text = 'found' OR assignee.name = 'Found'`, As: x.Ann}, finding.Without()[:i]...)
		if i < 5 {
			writer.Do(store.AddComment{Problem: finding.Without()[i], Comment: b.Comment("found")})
		}
	}
	ann := x.Metadata.Users[0]
	ann.Name = "Found"
	handles[1].Do(store.PutUser{User: ann})
	finding.Finds(handles[0], finding.Asked{Predicate: `assignee.name = 'Found'`, As: x.Ann}, 1)
}

func batchOverHandles(b *bench.Bench) {
	handles := b.Handles()
	for i := range 4 {
		first, other := handles[i%2], handles[(i+1)%2]
		_, change := steps.OneOfEach(first)
		receipt := first.Commit(change)
		before := other.Image()
		b.Equal("the Receipt of the same batch through the other handle", receipt, other.Commit(change))
		again, stored, err := other.Store.Outcome(b.Ctx, change.Batch, b.Now())
		b.Must("Outcome", err)
		b.Equal("whether the other handle's Outcome finds the batch stored", true, stored)
		b.Equal("the Receipt of the other handle's Outcome", receipt, again)
		b.Equal("what is stored after that", before, other.Image())

		_, change = steps.OneOfEach(first)
		change.Batch = steps.RuledOut(first)
		other.Refuse("a batch that the other handle ruled out", fault.Abandoned, change)
		_, stored, err = other.Store.Outcome(b.Ctx, change.Batch, b.Now())
		b.Must("Outcome", err)
		b.Equal("whether a batch is stored that the other handle ruled out", false, stored)
	}
}

func closeOneHandle(b *bench.Bench) {
	handles := b.Handles()
	p := handles[0].Furnished()
	before := handles[1].Image()
	b.Must("Close", handles[0].Store.Close())
	b.Equal("what the other handle shows", before, handles[1].Image())
	handles[1].Do(store.AddComment{Problem: p.ID, Comment: b.Comment("still here")})
	if id := handles[1].Reserve(); id <= p.ID {
		b.Failf("Reserve returned %d where problem %d was there", id, p.ID)
	}
}

func reserveOverHandles(b *bench.Bench) {
	handles := b.Handles()
	var reserved [2]problem.ID
	highest := problem.ID(0) // of all problems
	for i := range 12 {
		writer := i / 2 % 2 // each twice in a row
		id := handles[writer].Reserve()
		if id <= reserved[writer] || id <= highest {
			b.Failf("Reserve returned %d where it had returned %d, and problem %d was there", id, reserved[writer], highest)
		}
		reserved[writer] = id
		highest = id
		if i%3 == 0 {
			highest += 100
		}
		handles[writer].Do(store.CreateProblem{Problem: b.Problem(highest)})
	}
}

func numbersOverHandles(b *bench.Bench) {
	const rounds = 10
	handles := b.Handles()
	titles := make([]map[problem.ID]string, bench.Writers) // of the problems acknowledged
	var highest atomic.Int64                               // of the problems with a finished Commit
	b.Together(bench.Writers, func(who int) error {
		titles[who] = make(map[problem.ID]string)
		for len(titles[who]) < rounds {
			if err := b.Going(); err != nil {
				return err
			}
			handle := handles[who%2]
			floor := problem.ID(highest.Load())
			id, err := handle.Store.Reserve(b.Ctx)
			if err != nil {
				return fmt.Errorf("Reserve: %w", err)
			}
			if id <= floor {
				return fmt.Errorf("Reserve returned %d where problem %d was there", id, floor)
			}
			p := b.Problem(id)
			p.Title = fmt.Sprintf("Problem %d of writer %d", id, who)
			if _, err := handle.Store.Commit(b.Ctx, b.Change(store.CreateProblem{Problem: p})); err != nil {
				if err := bench.Failure("the Commit of a problem", fault.Conflict, err); err != nil {
					return err
				}
				continue
			}
			titles[who][id] = p.Title
			Raise(&highest, int64(id))
		}
		return nil
	})
	b.View(func(r store.Reader) error {
		for _, acknowledged := range titles {
			for _, id := range slices.Sorted(maps.Keys(acknowledged)) {
				s, err := r.Problem(b.Ctx, id, ident.None, 0)
				if err != nil {
					return err
				}
				b.Equal("the title", acknowledged[id], s.Title)
			}
		}
		return nil
	})
}
