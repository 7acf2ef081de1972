package conformance

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/problemtracking/problems/domain/access"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/relationship"
	"github.com/problemtracking/problems/domain/store"
)

func concurrentCases() []Case {
	return []Case{{
		ID:   "COM-004/one-problem",
		Rule: "Of concurrent writers that expect the revision they read, none overwrites another: every acknowledged step is there, once, in the order of positions.",
		run: func(b *bench) {
			const rounds = 10
			p := b.create()
			positions := make(map[int64]int64) // by revision
			var mu sync.Mutex
			b.together(writers, func(int) error {
				for range rounds {
					revision, receipt, err := b.step(p.ID)
					if err != nil {
						return err
					}
					mu.Lock()
					positions[revision] = receipt.Position
					mu.Unlock()
				}
				return nil
			})
			s := b.load(p.ID, store.Log)
			b.equal("the revision", int64(1+writers*rounds), s.Revision)
			b.equal("the number of acknowledged revisions", writers*rounds, len(positions))
			for i, entry := range s.Log {
				b.equal("the revision of a log entry", int64(i+2), entry.Revision)
				if positions[entry.Revision] <= positions[entry.Revision-1] {
					b.failf("revision %d has the position %d after %d", entry.Revision, positions[entry.Revision], positions[entry.Revision-1])
				}
			}
		},
	}, {
		ID:   "COM-004/pairs",
		Rule: "Concurrent writers that relate and part problems never leave half a pair, and no View sees one.",
		run: func(b *bench) {
			const rounds = 12
			var ids []problem.ID
			for range 4 {
				ids = append(ids, b.create().ID)
			}
			var done sync.WaitGroup
			done.Add(writers)
			ended := make(chan struct{})
			go func() { done.Wait(); close(ended) }()
			b.together(writers+2, func(who int) error {
				if who >= writers {
					for {
						if err := cmp.Or(b.going(), b.whole(ids)); err != nil {
							return err
						}
						select {
						case <-ended:
							return b.whole(ids)
						default:
						}
					}
				}
				defer done.Done()
				random := rand.New(rand.NewPCG(uint64(who), 1))
				for range rounds {
					i, j := random.IntN(len(ids)), random.IntN(len(ids)-1)
					if j >= i {
						j++
					}
					if err := b.toggle(ids[i], ids[j]); err != nil {
						return err
					}
				}
				return nil
			})
		},
	}, {
		ID:   "COM-004/families",
		Rule: "Of concurrent Changes that expect one epoch of a family, one is stored, and the others are refused with Conflict.",
		run: func(b *bench) {
			for number := range int64(10) {
				epoch := b.image().Epochs[relationship.BlockerOf]
				won := b.race(func(int) store.Change {
					change := b.change(store.MoveFamily{Family: relationship.BlockerOf})
					change.Expect = []store.Expectation{store.FamilyAt{Family: relationship.BlockerOf, Epoch: epoch}}
					return change
				})
				b.equal("the number of Changes stored", 1, len(won))
				b.equal("the epoch", number+1, b.image().Epochs[relationship.BlockerOf].Number)
			}
		},
	}, {
		ID:   "COM-004/versions",
		Rule: "Of concurrent Changes that expect one version and raise it, one is stored, and the others are refused with Conflict.",
		run: func(b *bench) {
			for number := range int64(10) {
				now := b.versions()
				won := b.race(func(int) store.Change {
					change := b.change(store.PutUser{User: b.objects().Users[0]})
					change.Expect = []store.Expectation{store.CatalogueAt{Version: now.Catalogue}}
					return change
				})
				b.equal("the number of Changes of the catalogue", 1, len(won))
				won = b.race(func(int) store.Change {
					change := b.change(store.PutToken{Token: b.token()})
					change.Expect = []store.Expectation{store.AccessAt{Version: now.Access}}
					return change
				})
				b.equal("the number of Changes of tokens", 1, len(won))
				b.equal("Versions", counting(number+1, number+1), counts(b.versions()))
			}
		},
	}, {
		ID:   "COM-004/crossed",
		Rule: "Concurrent Changes of the same problems, families and tokens in opposite orders are each stored, or refused with Conflict for an expectation: none fails for another's sake.",
		run: func(b *bench) {
			const rounds = 10
			ids := []problem.ID{b.create().ID, b.create().ID, b.create().ID}
			at := []store.ProblemAt{b.at(ids[0]), b.at(ids[1]), b.at(ids[2])}
			families := []store.FamilyName{relationship.ParentOf, relationship.CauseOf, relationship.BlockerOf}
			tokens := []access.Token{b.token(), b.token(), b.token()}
			var stored atomic.Int64
			b.together(writers, func(who int) error {
				for round := range rounds {
					change := b.change()
					for i := range ids {
						if who%2 == 1 {
							i = len(ids) - 1 - i
						}
						change.Effects = append(change.Effects,
							store.AddComment{Problem: ids[i], Comment: b.comment("crossed")},
							store.MoveFamily{Family: families[i]}, store.PutToken{Token: tokens[i]})
						change.Log = append(change.Log, b.entry(ids[i]))
						if round%2 == 1 {
							epoch, err := b.epoch(families[i])
							if err != nil {
								return fmt.Errorf("View: %w", err)
							}
							change.Expect = append(change.Expect, at[i], store.FamilyAt{Family: families[i], Epoch: epoch})
						}
					}
					if _, err := b.store.Commit(b.ctx, change); err != nil {
						if err := failure("Commit", fault.Conflict, err); err != nil || round%2 == 0 {
							return cmp.Or(err, fmt.Errorf("a Change that expects nothing was refused"))
						}
						continue
					}
					stored.Add(1)
				}
				return nil
			})
			for _, id := range ids {
				s := b.load(id, everything)
				b.equal("the number of comments", int(stored.Load()), len(s.Comments))
				b.equal("the number of log entries", int(stored.Load()), len(s.Log))
			}
			epochs := b.image().Epochs
			for _, family := range families {
				b.equal("the epoch", stored.Load(), epochs[family].Number)
			}
			b.equal("the access version", stored.Load(), b.versions().Access.Number)
		},
	}, {
		ID:   "COM-004/keys",
		Rule: "Of concurrent Changes that expect one key to be unused and use it, one is stored.",
		run: func(b *bench) {
			who := b.ID()
			for round := range 10 {
				key := fmt.Sprint("key", round)
				won := b.race(func(writer int) store.Change {
					change := b.change(
						store.KeepReply{Reply: store.Reply{User: who, Key: key, Created: b.Now(), Body: []byte{byte(writer)}}},
						store.CreateProblem{Problem: b.problem(problem.ID(1 + round*writers + writer))},
					)
					change.Expect = []store.Expectation{store.KeyUnused{User: who, Key: key}}
					return change
				})
				b.equal("the number of Changes stored", 1, len(won))
				b.seen.keys[replyKey{who, key}] = true
				reply := b.image().Replies[replyKey{who, key}]
				b.equal("the body of the reply", []byte{byte(won[0])}, reply.Body)
			}
			b.equal("the number of problems", 10, len(b.image().Problems))
		},
	}, {
		ID:   "COM-004/empty",
		Rule: "Of concurrent Changes that expect an empty store and fill it, one is stored.",
		run: func(b *bench) {
			won := b.race(func(int) store.Change {
				change := b.change(append(putAll(b.objects()), store.PutToken{Token: b.token()})...)
				change.Expect = []store.Expectation{store.StoreEmpty{}}
				return change
			})
			b.equal("the number of Changes stored", 1, len(won))
			b.equal("the number of states", 1, len(b.image().Content.States))
			b.equal("Versions", counting(1, 1), counts(b.versions()))
		},
	}, {
		ID:   "COM-004/relationships",
		Rule: "Of concurrent Changes that put the same relationship, one is stored, with both sides.",
		run: func(b *bench) {
			for range 5 {
				p, q := b.create().ID, b.create().ID
				won := b.race(func(writer int) store.Change {
					if writer%2 == 0 {
						return b.change(b.pair(p, relationship.ParentOf, q)...)
					}
					return b.change(b.pair(q, relationship.ChildOf, p)...)
				})
				b.equal("the number of Changes stored", 1, len(won))
				b.must("a look at the pair", b.whole([]problem.ID{p, q}))
			}
		},
	}, {
		ID:   "COM-004/additions",
		Rule: "Concurrent additions to one problem that expect nothing are all stored, each writer's in his order.",
		run: func(b *bench) {
			const rounds = 10
			p := b.create()
			b.together(writers, func(who int) error {
				for round := range rounds {
					change := b.change(
						store.AddComment{Problem: p.ID, Comment: b.comment(fmt.Sprint(who, " ", round))},
						store.PutKeyword{Problem: p.ID, Keyword: problem.Keyword{Name: fmt.Sprint(who, " ", round)}},
						store.Watch{Problem: p.ID, User: b.ID()},
					)
					if _, err := b.store.Commit(b.ctx, change); err != nil {
						return fmt.Errorf("Commit: %w", err)
					}
				}
				return nil
			})
			s := b.load(p.ID, everything)
			next := make([]int, writers)
			for _, c := range s.Comments {
				var who, round int
				if _, err := fmt.Sscan(c.Text, &who, &round); err != nil || round != next[who] {
					b.failf("the comment %q came where the writer's number %d was expected", c.Text, next[who])
				}
				next[who]++
			}
			b.equal("the number of comments", writers*rounds, len(s.Comments))
			b.equal("the number of keywords", writers*rounds, len(s.Keywords))
			b.equal("the number of watchers", writers*rounds, len(s.Watchers))
		},
	}, {
		ID:   "COM-011/at-once",
		Rule: "Concurrent Changes have different positions: each a greater one than those whose Commit had returned before it began, and than those before it that name the same problem.",
		run: func(b *bench) {
			const rounds = 10
			ids := []problem.ID{b.create().ID, b.create().ID}
			var clock atomic.Int64
			made := make([][]placed, writers)
			b.together(writers, func(who int) error {
				for range rounds {
					comment := b.comment("one of many")
					change := b.change(store.AddComment{Problem: ids[who%len(ids)], Comment: comment})
					began := clock.Add(1)
					receipt, err := b.store.Commit(b.ctx, change)
					if err != nil {
						return fmt.Errorf("Commit: %w", err)
					}
					made[who] = append(made[who], placed{comment.ID, receipt.Position, began, clock.Add(1)})
				}
				return nil
			})
			all := slices.Concat(made...)
			positions := make(map[ident.ID]int64) // by comment
			different := make(map[int64]bool)
			for _, one := range all {
				positions[one.comment], different[one.position] = one.position, true
				for _, other := range all {
					if one.ended < other.began && one.position >= other.position {
						b.failf("a Change has the position %d, and one that was committed before it began has %d", other.position, one.position)
					}
				}
			}
			b.equal("the number of different positions", writers*rounds, len(different))
			for _, id := range ids {
				last := int64(0)
				for _, c := range b.load(id, store.Comments).Comments {
					if positions[c.ID] <= last {
						b.failf("the positions of successive Changes of problem %d are %d and %d", id, last, positions[c.ID])
					}
					last = positions[c.ID]
				}
			}
		},
	}}
}

// placed is a Change that was committed: its comment, its position, and a clock's
// readings before and after the Commit.
type placed struct {
	comment      ident.ID
	position     int64
	began, ended int64
}
