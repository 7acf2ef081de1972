package conformance

import (
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/relationship"
	"github.com/problemtracking/problems/domain/store"
)

var seedFlag = flag.Uint64("conformance.seed", 0, "seed of the random conformance case; 0 draws one")

func randomCases() []Case {
	return []Case{{
		ID:   "READ-001/random",
		Rule: "Under random Changes, repetitions and rulings, whether or not it was restored before, the store shows what the plainest of stores shows.",
		run: func(b *bench) {
			seed := *seedFlag
			if seed == 0 {
				seed = rand.Uint64()
			}
			b.Logf("to repeat this, give the flag -conformance.seed=%d", seed)
			r := newRoulette(b, seed)
			if r.IntN(2) == 0 {
				r.restore()
			}
			for range 150 {
				r.turn()
			}
		},
	}}
}

// roulette does the same random things to the store and to the model.
type roulette struct {
	*rand.Rand
	b        *bench
	model    *model
	turns    int
	users    []ident.ID
	objects  []metadata.Content
	sent     []store.Change             // all that was committed, in vain or not
	receipts map[ident.ID]store.Receipt // the store's, of what the model remembers
}

func newRoulette(b *bench, seed uint64) *roulette {
	return &roulette{
		Rand:     rand.New(rand.NewPCG(seed, 0)),
		b:        b,
		model:    newModel(),
		users:    []ident.ID{b.ID(), b.ID(), b.ID()},
		objects:  []metadata.Content{b.objects(), b.objects()},
		receipts: make(map[ident.ID]store.Receipt),
	}
}

// restore fills both with the same.
func (r *roulette) restore() {
	r.b.Helper()
	h := r.b.holdings(2, 3, 7)
	for i := range h.Dossiers {
		h.Dossiers[i].Watchers, h.Dossiers[i].Readers = r.users[:i], r.users[i:]
	}
	r.b.must("restoring into the model", r.model.Restore(r.b.ctx, h.archive()))
	r.b.restore(h)
	r.compare("Restore")
}

// turn does one thing and compares.
func (r *roulette) turn() {
	r.b.Helper()
	r.turns++
	switch n := r.IntN(20); {
	case n == 0 && len(r.sent) > 0: // again, under the same batch
		r.commit(pick(r, r.sent))
	case n == 1 && len(r.sent) > 0:
		r.outcome(pick(r, r.sent).Batch)
	case n == 2 && r.b.h.Caps.Durable == Yes:
		r.b.reopen()
		r.compare(fmt.Sprintf("turn %d, which opened the store again,", r.turns))
	case n == 3:
		change := r.change()
		r.outcome(change.Batch)
		r.commit(change)
	default:
		r.commit(r.change())
	}
}

// commit commits the change to both.
func (r *roulette) commit(change store.Change) {
	r.b.Helper()
	r.sent = append(r.sent, change)
	r.b.seen.add(change)
	first, repeated := r.receipts[change.Batch]
	if _, remembered := r.model.batches[change.Batch]; !remembered {
		repeated = false
	}
	_, expected := r.model.Commit(r.b.ctx, change)
	receipt, err := r.b.store.Commit(r.b.ctx, change)
	what := fmt.Sprintf("turn %d, the Commit of %+v,", r.turns, change)
	if expected == nil {
		r.b.must(what, err)
		if repeated {
			r.b.equal("the Receipt of "+what, first, receipt)
		}
		r.receipts[change.Batch] = receipt
	} else {
		r.b.fails(what, fault.KindOf(expected), err)
	}
	r.compare(what)
}

// outcome asks both for the outcome of a batch.
func (r *roulette) outcome(batch ident.ID) {
	r.b.Helper()
	at := r.b.Now()
	_, expected, _ := r.model.Outcome(r.b.ctx, batch, at)
	receipt, stored, err := r.b.store.Outcome(r.b.ctx, batch, at)
	what := fmt.Sprintf("turn %d, the Outcome of %s,", r.turns, batch)
	r.b.must(what, err)
	r.b.equal(what, expected, stored)
	if stored {
		r.b.equal("the Receipt of "+what, r.receipts[batch], receipt)
	}
	r.compare(what)
}

// compare ends the case unless both show the same.
func (r *roulette) compare(what string) {
	r.b.Helper()
	want, err := read(r.b.ctx, r.model.now, r.b.seen)
	r.b.must("reading the model", err)
	r.b.equal("what is stored after "+what, want, r.b.image())
}

func pick[T any](r *roulette, from []T) T { return from[r.IntN(len(from))] }

// change draws a Change that can be committed or refused, but is never without
// meaning: all but CreateProblem is about problems that exist.
func (r *roulette) change() store.Change {
	r.b.Helper()
	ids := slices.Sorted(maps.Keys(r.model.now.problems))
	change := r.b.change()
	for len(ids) < 2 {
		id := r.b.reserve()
		ids = append(ids, id)
		change.Effects = append(change.Effects, store.CreateProblem{Problem: r.b.problem(id)})
	}
	for range 1 + r.IntN(5) {
		change.Effects = append(change.Effects, r.effect(change.At, pick(r, ids), pick(r, ids)))
	}
	for range r.IntN(3) {
		change.Log = append(change.Log, r.b.entry(pick(r, ids)))
	}
	if r.IntN(3) == 0 {
		change.Expect = append(change.Expect, r.expectation(pick(r, ids)))
	}
	return change
}

func (r *roulette) effect(at time.Time, id, other problem.ID) store.Effect {
	b, who, o := r.b, pick(r, r.users), pick(r, r.objects)
	key, family := pick(r, []string{"one", "two"}), pick(r, relationship.Families())
	t := pick(r, []relationship.Type{family.Forward, family.Backward})
	switch r.IntN(24) {
	case 0:
		return store.CreateProblem{Problem: b.problem(b.reserve())}
	case 1:
		return store.CreateProblem{Problem: b.problem(id)}
	case 2, 3, 4:
		p := b.problem(id)
		p.Title, p.Assignee, p.Revision = fmt.Sprint("Title ", r.turns), who, int64(r.IntN(4))
		return store.UpdateProblem{Problem: p}
	case 5:
		return store.PutSavepoint{Problem: b.problem(id)}
	case 6:
		return store.AddComment{Problem: id, Comment: b.comment(fmt.Sprint("turn ", r.turns))}
	case 7:
		return store.PutKeyword{Problem: id, Keyword: problem.Keyword{Name: key, Value: problem.Text("value")}}
	case 8:
		return store.PutKeyword{Problem: id, Keyword: problem.Keyword{Name: key}}
	case 9:
		return store.DropKeyword{Problem: id, Name: key}
	case 10, 11:
		if id == other {
			return store.DropKeyword{Problem: id, Name: "none"}
		}
		return b.pair(id, t, other)[0]
	case 12:
		return store.DropRelationship{Owner: id, Type: t, Other: other}
	case 13:
		return store.MoveFamily{Family: family.Forward}
	case 14:
		return store.Watch{Problem: id, User: who}
	case 15:
		return store.Unwatch{Problem: id, User: who}
	case 16:
		return store.MarkRead{Problem: id, User: who, Read: r.IntN(3) > 0}
	case 17:
		return store.ForgetReads{Problem: id, But: who}
	case 18:
		o.States[0].Order = r.turns
		return store.PutState{State: o.States[0]}
	case 19:
		return pick(r, putAll(o))
	case 20:
		o.Users[0].Inactive = r.IntN(2) == 0
		return store.PutUser{User: o.Users[0]}
	case 21:
		token := b.token()
		if tokens := r.model.now.tokens; len(tokens) > 0 && r.IntN(2) == 0 {
			token.ID, token.Digest = tokens[0].ID, tokens[0].Digest
		}
		return store.PutToken{Token: token}
	case 22:
		return store.KeepReply{Reply: store.Reply{User: who, Key: key, Created: b.Now(), Body: []byte{byte(r.turns)}}}
	default:
		// Not later than the Change: whether it forgets itself is nobody's
		// business.
		if len(r.sent) > 0 {
			at = pick(r, r.sent).At
		}
		return store.Expire{Before: at}
	}
}

func (r *roulette) expectation(id problem.ID) store.Expectation {
	now, off := r.model.now, int64(r.IntN(3)/2) // one in three does not hold
	switch r.IntN(6) {
	case 0:
		return store.ProblemAt{ID: id, Revision: now.problems[id].Revision + off}
	case 1:
		return store.CatalogueAt{Version: now.versions.Catalogue + off}
	case 2:
		return store.FamilyAt{Family: relationship.ParentOf, Epoch: now.epochs[relationship.ParentOf] + off}
	case 3:
		return store.AccessAt{Version: now.versions.Access + off}
	case 4:
		return store.KeyUnused{User: pick(r, r.users), Key: "one", Since: pick(r, append(r.sent, r.b.change())).At}
	default:
		return store.StoreEmpty{}
	}
}
