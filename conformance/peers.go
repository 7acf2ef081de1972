package conformance

import (
	"fmt"
	"maps"
	"slices"
	"sync/atomic"

	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/store"
)

// peerCases are those that a single handle could not have.
func peerCases() []Case {
	return []Case{{
		ID:     "SHARE-001",
		Rule:   "What one handle has committed, the other shows at once, by every method, and the other way round.",
		Shared: true,
		run: func(b *bench) {
			handles := b.handles()
			for i := range 6 {
				writer, other := handles[i%2], handles[(i+1)%2]
				_, change := oneOfEach(writer)
				writer.seen.add(change)
				other.image() // whoever caches, does it now
				other.versions()
				writer.commit(change)
				versions, seen := other.versions(), other.image()
				b.equal("what the other handle shows", writer.image(), seen)
				b.equal("the other handle's Versions", writer.versions(), versions)
			}
		},
	}, {
		ID:     "SHARE-001/search",
		Rule:   "What one handle has committed, the other finds at once.",
		Shared: true,
		run: func(b *bench) {
			handles := b.handles()
			x := exhibitsOf(b)
			handles[0].restore(x.holdings)
			for i := range 6 {
				writer, other := handles[i%2], handles[(i+1)%2]
				finds(other, asked{predicate: `ANY comments.text = 'found' OR assignee.name = 'Found'`, as: x.ann}, without()[:i]...)
				if i < 5 {
					writer.do(store.AddComment{Problem: without()[i], Comment: b.comment("found")})
				}
			}
			ann := x.Metadata.Users[0]
			ann.Name = "Found"
			handles[1].do(store.PutUser{User: ann})
			finds(handles[0], asked{predicate: `assignee.name = 'Found'`, as: x.ann}, 1)
		},
	}, {
		ID:     "SHARE-001/batches",
		Rule:   "What became of a batch is the same for each handle: stored, its Receipt is returned, also by another Commit of it; ruled out, it never happens.",
		Shared: true,
		run: func(b *bench) {
			handles := b.handles()
			for i := range 4 {
				first, other := handles[i%2], handles[(i+1)%2]
				_, change := oneOfEach(first)
				receipt := first.commit(change)
				before := other.image()
				b.equal("the Receipt of the same batch through the other handle", receipt, other.commit(change))
				again, stored, err := other.store.Outcome(b.ctx, change.Batch, b.Now())
				b.must("Outcome", err)
				b.equal("whether the other handle's Outcome finds the batch stored", true, stored)
				b.equal("the Receipt of the other handle's Outcome", receipt, again)
				b.equal("what is stored after that", before, other.image())

				_, change = oneOfEach(first)
				change.Batch = ruledOut(first)
				other.refuse("a batch that the other handle ruled out", fault.Abandoned, change)
				_, stored, err = other.store.Outcome(b.ctx, change.Batch, b.Now())
				b.must("Outcome", err)
				b.equal("whether a batch is stored that the other handle ruled out", false, stored)
			}
		},
	}, {
		ID:     "SHARE-001/close",
		Rule:   "Closing one handle takes nothing from the other.",
		Shared: true,
		run: func(b *bench) {
			handles := b.handles()
			p := handles[0].furnished()
			before := handles[1].image()
			b.must("Close", handles[0].store.Close())
			b.equal("what the other handle shows", before, handles[1].image())
			handles[1].do(store.AddComment{Problem: p.ID, Comment: b.comment("still here")})
			if id := handles[1].reserve(); id <= p.ID {
				b.failf("Reserve returned %d where problem %d was there", id, p.ID)
			}
		},
	}, {
		ID:     "SHARE-001/reserve",
		Rule:   "A number that one handle reserves is greater than those of the problems that the other has committed, and than those that it reserved itself.",
		Shared: true,
		run: func(b *bench) {
			handles := b.handles()
			var reserved [2]problem.ID
			highest := problem.ID(0) // of all problems
			for i := range 12 {
				writer := i / 2 % 2 // each twice in a row
				id := handles[writer].reserve()
				if id <= reserved[writer] || id <= highest {
					b.failf("Reserve returned %d where it had returned %d, and problem %d was there", id, reserved[writer], highest)
				}
				reserved[writer] = id
				highest = id
				if i%3 == 0 {
					highest += 100
				}
				handles[writer].do(store.CreateProblem{Problem: b.problem(highest)})
			}
		},
	}, {
		ID:     "SHARE-001/numbers",
		Rule:   "When handles create problems at once, each number belongs to one problem: a Commit that comes second is refused with Conflict, and every other is stored.",
		Shared: true,
		run: func(b *bench) {
			const rounds = 10
			handles := b.handles()
			titles := make([]map[problem.ID]string, writers) // of the problems acknowledged
			var highest atomic.Int64                         // of the problems whose Commit has returned
			b.together(writers, func(who int) error {
				titles[who] = make(map[problem.ID]string)
				for len(titles[who]) < rounds {
					if err := b.going(); err != nil {
						return err
					}
					handle := handles[who%2]
					floor := problem.ID(highest.Load())
					id, err := handle.store.Reserve(b.ctx)
					if err != nil {
						return fmt.Errorf("Reserve: %w", err)
					}
					if id <= floor {
						return fmt.Errorf("Reserve returned %d where problem %d was there", id, floor)
					}
					p := b.problem(id)
					p.Title = fmt.Sprintf("Problem %d of writer %d", id, who)
					if _, err := handle.store.Commit(b.ctx, b.change(store.CreateProblem{Problem: p})); err != nil {
						if err := failure("the Commit of a problem", fault.Conflict, err); err != nil {
							return err
						}
						continue
					}
					titles[who][id] = p.Title
					raise(&highest, int64(id))
				}
				return nil
			})
			b.view(func(r store.Reader) error {
				for _, acknowledged := range titles {
					for _, id := range slices.Sorted(maps.Keys(acknowledged)) {
						s, err := r.Problem(b.ctx, id, ident.None, 0)
						if err != nil {
							return err
						}
						b.equal("the title", acknowledged[id], s.Title)
					}
				}
				return nil
			})
		},
	}}
}
