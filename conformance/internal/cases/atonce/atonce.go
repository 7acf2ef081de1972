package atonce

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/problemtracking/problems/conformance/internal/bench"
	"github.com/problemtracking/problems/domain/access"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/lease"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/relationship"
	"github.com/problemtracking/problems/domain/snapshot"
	"github.com/problemtracking/problems/domain/store"
	"github.com/problemtracking/problems/domain/webhook"
)

// Cases are about concurrent writers with expectations, and the positions of their Changes.
func Cases() []bench.Case {
	return []bench.Case{{
		ID:   "COM-004/one-problem",
		Rule: "Concurrent writers with an expectation of the revision they read never overwrite each other: every acknowledged step is there, once, in the order of positions.",
		Run:  oneProblem,
	}, {
		ID:   "COM-004/pairs",
		Rule: "Concurrent additions and removals of relationships never leave half a pair, and no View sees one.",
		Run:  concurrentPairs,
	}, {
		ID:   "COM-004/skew",
		Rule: "Of concurrent Changes that each write one problem, and expect those of the others to be as they were, one is stored, and the others are refused with Conflict.",
		Run:  skewedProblems,
	}, {
		ID:   "COM-004/versions",
		Rule: "Of concurrent Changes with one expected version, all raising it, one is stored, and the others are refused with Conflict.",
		Run:  concurrentVersions,
	}, {
		ID:   "COM-004/crossed",
		Rule: "Concurrent Changes that write or expect the same problems, and tokens, in opposite orders are each stored, or refused with Conflict for an expectation: none fails for another's sake.",
		Run:  crossedProblems,
	}, {
		ID:   "COM-004/keys",
		Rule: "Of concurrent Changes expecting one key to be unused and using it, one is stored.",
		Run:  concurrentKeys,
	}, {
		ID:   "COM-004/lease",
		Rule: "Of concurrent Changes expecting one lease, or none, and taking it, one is stored. It is shown.",
		Run:  concurrentLeases,
	}, {
		ID:   "COM-004/claim",
		Rule: "Of concurrent Changes expecting one claim, or none, and replacing or extending it, one is stored. It is shown.",
		Run:  concurrentClaims,
	}, {
		ID:   "COM-004/webhook",
		Rule: "Of concurrent Changes with one expected version of a webhook, all replacing its settings, one is stored.",
		Run:  concurrentWebhooks,
	}, {
		ID:   "COM-004/empty",
		Rule: "Of concurrent Changes expecting an empty store and filling it, one is stored.",
		Run:  fillEmptyStore,
	}, {
		ID:   "COM-004/relationships",
		Rule: "Of concurrent Changes with the same new relationship, one is stored, with both sides.",
		Run:  concurrentRelationships,
	}, {
		ID:   "COM-004/additions",
		Rule: "Concurrent additions to one problem without expectations are all stored, each writer's in its order.",
		Run:  concurrentAdditions,
	}, {
		ID:   "COM-011/at-once",
		Rule: "Concurrent Changes have different positions. Each is greater than the positions of Commits returned before it began, and of earlier Changes of the same problem.",
		Run:  positionsAtOnce,
	}}
}

func oneProblem(b *bench.Bench) {
	const rounds = 10
	p := b.Create()
	positions := make(map[int64]int64) // by revision
	var mu sync.Mutex
	b.Together(bench.Writers, func(int) error {
		for range rounds {
			revision, receipt, err := b.Step(p.ID)
			if err != nil {
				return err
			}
			mu.Lock()
			positions[revision] = receipt.Position
			mu.Unlock()
		}
		return nil
	})
	s := b.Load(p.ID, snapshot.Log)
	b.Equal("the revision", int64(1+bench.Writers*rounds), s.Revision)
	b.Equal("the number of acknowledged revisions", bench.Writers*rounds, len(positions))
	for i, entry := range s.Log {
		b.Equal("the revision of a log entry", int64(i+2), entry.Revision)
		if positions[entry.Revision] <= positions[entry.Revision-1] {
			b.Failf("revision %d has the position %d after %d", entry.Revision, positions[entry.Revision], positions[entry.Revision-1])
		}
	}
}

func concurrentPairs(b *bench.Bench) {
	const rounds = 12
	var ids []problem.ID
	for range 4 {
		ids = append(ids, b.Create().ID)
	}
	var done sync.WaitGroup
	done.Add(bench.Writers)
	ended := make(chan struct{})
	go func() { done.Wait(); close(ended) }()
	b.Together(bench.Writers+2, func(who int) error {
		if who >= bench.Writers {
			for {
				if err := cmp.Or(b.Going(), b.Whole(ids)); err != nil {
					return err
				}
				select {
				case <-ended:
					return b.Whole(ids)
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
			if err := b.Toggle(ids[i], ids[j]); err != nil {
				return err
			}
		}
		return nil
	})
}

func skewedProblems(b *bench.Bench) {
	problems := make([]problem.Problem, bench.Writers)
	for i := range problems {
		problems[i] = b.Create()
	}
	for range 10 {
		var at []store.Expectation
		for _, p := range problems {
			at = append(at, b.At(p.ID))
		}
		won := b.Race(func(writer int) store.Change {
			next := problems[writer]
			next.Revision++
			change := b.Change(store.UpdateProblem{Problem: next})
			change.Expect = slices.Concat(at[writer:], at[:writer])
			return change
		})
		b.Equal("the number of Changes stored", 1, len(won))
		problems[won[0]].Revision++
	}
}

func concurrentLeases(b *bench.Bench) {
	for round := range 10 {
		name := fmt.Sprint("work ", round)
		expected := ident.None
		for range 3 {
			leases := make([]lease.Lease, bench.Writers)
			won := b.Race(func(i int) store.Change {
				leases[i] = b.Lease(name)
				change := b.Change(store.PutLease{Lease: leases[i]})
				change.Expect = []store.Expectation{store.LeaseAt{Name: name, Version: expected}}
				return change
			})
			b.Equal("the number of Changes stored", 1, len(won))
			b.View(func(r store.Reader) error {
				got, _, err := r.Lease(b.Ctx, name)
				b.Equal("the lease", leases[won[0]], got)
				expected = got.Version
				return err
			})
		}
	}
}

func concurrentClaims(b *bench.Bench) {
	p := b.Furnished().ID
	for range 10 {
		now := b.Load(p, 0).Claim
		claims := make([]problem.Claim, bench.Writers)
		won := b.Race(func(i int) store.Change {
			claims[i] = b.Claim()
			if i > 0 && !now.ID.IsNone() { // the first one takes it over
				claims[i] = now
				claims[i].Expires = now.Expires.Add(time.Duration(i) * time.Second)
			}
			change := b.Change(store.PutClaim{Problem: p, Claim: claims[i]})
			change.Expect = []store.Expectation{store.ClaimAt{Problem: p, Claim: now.ID, Expires: now.Expires}}
			return change
		})
		b.Equal("the number of Changes stored", 1, len(won))
		b.Equal("the claim", claims[won[0]], b.Load(p, 0).Claim)
	}
}

func concurrentWebhooks(b *bench.Bench) {
	e := b.Endpoint()
	b.Do(store.PutWebhook{Endpoint: e})
	for range 10 {
		settings := make([]webhook.Endpoint, bench.Writers)
		won := b.Race(func(i int) store.Change {
			settings[i] = b.Endpoint()
			settings[i].ID = e.ID
			change := b.Change(store.PutProgress{Webhook: e.ID, Progress: b.Progress()}, store.PutWebhook{Endpoint: settings[i]})
			change.Expect = []store.Expectation{store.WebhookAt{ID: e.ID, Version: e.Version}}
			return change
		})
		b.Equal("the number of Changes stored", 1, len(won))
		e = settings[won[0]]
		b.Equal("the settings", e, b.Image().Webhooks[0].Endpoint)
	}
}

func concurrentVersions(b *bench.Bench) {
	for number := range int64(10) {
		now := b.Versions()
		won := b.Race(func(int) store.Change {
			change := b.Change(store.PutUser{User: b.Objects().Users[0]})
			change.Expect = []store.Expectation{store.CatalogueAt{Version: now.Catalogue}}
			return change
		})
		b.Equal("the number of Changes of the catalogue", 1, len(won))
		won = b.Race(func(int) store.Change {
			change := b.Change(store.PutToken{Token: b.Token()})
			change.Expect = []store.Expectation{store.AccessAt{Version: now.Access}}
			return change
		})
		b.Equal("the number of Changes of tokens", 1, len(won))
		b.Equal("Versions", bench.Counting(number+1, number+1), bench.Counts(b.Versions()))
	}
}

func crossedProblems(b *bench.Bench) {
	const rounds = 10
	ids := []problem.ID{b.Create().ID, b.Create().ID, b.Create().ID}
	at := []store.ProblemAt{b.At(ids[0]), b.At(ids[1]), b.At(ids[2])}
	tokens := []access.Token{b.Token(), b.Token(), b.Token()}
	comments := make([]atomic.Int64, len(ids))
	var stored atomic.Int64
	b.Together(bench.Writers, func(who int) error {
		for round := range rounds {
			change := b.Change()
			var written []int
			for i := range ids {
				if who%2 == 1 {
					i = len(ids) - 1 - i
				}
				change.Effects = append(change.Effects, store.PutToken{Token: tokens[i]})
				if round%2 == 1 {
					change.Expect = append(change.Expect, at[i])
				}
				if round%4 == 1 && i == who%len(ids) { // it is only expected
					continue
				}
				written = append(written, i)
				change.Effects = append(change.Effects, store.AddComment{Problem: ids[i], Comment: b.Comment("crossed")})
				change.Log = append(change.Log, b.Entry(ids[i]))
			}
			if _, err := b.Store.Commit(b.Ctx, change); err != nil {
				return fmt.Errorf("Commit: %w", err)
			}
			stored.Add(1)
			for _, i := range written {
				comments[i].Add(1)
			}
		}
		return nil
	})
	for i, id := range ids {
		s := b.Load(id, bench.Everything)
		b.Equal("the number of comments", int(comments[i].Load()), len(s.Comments))
		b.Equal("the number of log entries", int(comments[i].Load()), len(s.Log))
	}
	b.Equal("the access version", stored.Load(), b.Versions().Access.Number)
}

func concurrentKeys(b *bench.Bench) {
	who := b.ID()
	for round := range 10 {
		key := fmt.Sprint("key", round)
		won := b.Race(func(writer int) store.Change {
			change := b.Change(
				store.KeepReply{Reply: store.Reply{User: who, Key: key, Created: b.Now(), Body: []byte{byte(writer)}}},
				store.CreateProblem{Problem: b.Problem(problem.ID(1 + round*bench.Writers + writer))},
			)
			change.Expect = []store.Expectation{store.KeyUnused{User: who, Key: key}}
			return change
		})
		b.Equal("the number of Changes stored", 1, len(won))
		b.Seen.Keys[bench.ReplyKey{User: who, Key: key}] = true
		reply := b.Image().Replies[bench.ReplyKey{User: who, Key: key}]
		b.Equal("the body of the reply", []byte{byte(won[0])}, reply.Body)
	}
	b.Equal("the number of problems", 10, len(b.Image().Problems))
}

func fillEmptyStore(b *bench.Bench) {
	won := b.Race(func(int) store.Change {
		change := b.Change(append(bench.PutAll(b.Objects()), store.PutToken{Token: b.Token()})...)
		change.Expect = []store.Expectation{store.StoreEmpty{}}
		return change
	})
	b.Equal("the number of Changes stored", 1, len(won))
	b.Equal("the number of states", 1, len(b.Image().Content.States))
	b.Equal("Versions", bench.Counting(1, 1), bench.Counts(b.Versions()))
}

func concurrentRelationships(b *bench.Bench) {
	for range 5 {
		p, q := b.Create().ID, b.Create().ID
		won := b.Race(func(writer int) store.Change {
			if writer%2 == 0 {
				return b.Change(b.Pair(p, relationship.ParentOf, q)...)
			}
			return b.Change(b.Pair(q, relationship.ChildOf, p)...)
		})
		b.Equal("the number of Changes stored", 1, len(won))
		b.Must("a look at the pair", b.Whole([]problem.ID{p, q}))
	}
}

func concurrentAdditions(b *bench.Bench) {
	const rounds = 10
	p := b.Create()
	b.Together(bench.Writers, func(who int) error {
		for round := range rounds {
			change := b.Change(
				store.AddComment{Problem: p.ID, Comment: b.Comment(fmt.Sprint(who, " ", round))},
				store.PutKeyword{Problem: p.ID, Keyword: problem.Keyword{Name: fmt.Sprint(who, " ", round)}},
				store.Watch{Problem: p.ID, User: b.ID()},
			)
			if _, err := b.Store.Commit(b.Ctx, change); err != nil {
				return fmt.Errorf("Commit: %w", err)
			}
		}
		return nil
	})
	s := b.Load(p.ID, bench.Everything)
	next := make([]int, bench.Writers)
	for _, c := range s.Comments {
		var who, round int
		if _, err := fmt.Sscan(c.Text, &who, &round); err != nil || round != next[who] {
			b.Failf("the comment %q came where the writer's number %d was expected", c.Text, next[who])
		}
		next[who]++
	}
	b.Equal("the number of comments", bench.Writers*rounds, len(s.Comments))
	b.Equal("the number of keywords", bench.Writers*rounds, len(s.Keywords))
	b.Equal("the number of watchers", bench.Writers*rounds, len(s.Watchers))
}

func positionsAtOnce(b *bench.Bench) {
	const rounds = 10
	ids := []problem.ID{b.Create().ID, b.Create().ID}
	var clock atomic.Int64
	made := make([][]placed, bench.Writers)
	b.Together(bench.Writers, func(who int) error {
		for range rounds {
			comment := b.Comment("one of many")
			change := b.Change(store.AddComment{Problem: ids[who%len(ids)], Comment: comment})
			began := clock.Add(1)
			receipt, err := b.Store.Commit(b.Ctx, change)
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
				b.Failf("a Change has the position %d, and one that was committed before it began has %d", other.position, one.position)
			}
		}
	}
	b.Equal("the number of different positions", bench.Writers*rounds, len(different))
	for _, id := range ids {
		last := int64(0)
		for _, c := range b.Load(id, snapshot.Comments).Comments {
			if positions[c.ID] <= last {
				b.Failf("the positions of successive Changes of problem %d are %d and %d", id, last, positions[c.ID])
			}
			last = positions[c.ID]
		}
	}
}

// placed is a committed Change: its comment, its position, and a clock's readings before
// and after the Commit.
type placed struct {
	comment      ident.ID
	position     int64
	began, ended int64
}
