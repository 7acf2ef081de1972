package conformance

import (
	"math/rand/v2"
	"slices"

	"github.com/problemtracking/problems/conformance/internal/querygen"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/predicate"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/store"
)

// How much is asked of one Archive: in a run that is to be short, and in one with
// rounds.
const (
	fewQueries  = 100
	manyQueries = 500
)

func findRandomCases() []Case {
	return []Case{{
		ID:     "FIND-001/random",
		Rule:   "Of random problems, Search finds for random predicates, orders, places and limits what the plainest of stores finds.",
		Seeded: true,
		run: func(b *bench) {
			random := b.random()
			h := findable(b, random, 20+random.IntN(30))
			b.restore(h)
			model := newModel()
			b.must("restoring into the model", model.Restore(b.ctx, h.archive()))
			queries := fewQueries
			if b.long {
				queries = manyQueries
			}
			g := querygen.New(random, valuesOf(model.now))
			users := []ident.ID{b.ID()} // one who is not there
			for _, u := range h.Metadata.Users {
				users = append(users, u.ID)
			}
			here := seeker{b.ctx, model.now, nil}
			seeks(b, func(there seeker) error {
				for range queries {
					p := g.Predicate()
					a := asked{predicate: p.Text, sort: g.Order(), as: users[random.IntN(len(users))]}
					a, err := drawPart(random, here, a)
					if err != nil {
						return err
					}
					if text := unlike(here, there, a); text != "" {
						b.failf("%s", smaller(b, here, p, a, text))
					}
				}
				return nil
			})
		},
	}}
}

// drawPart draws which part of what is found is asked for.
func drawPart(random *rand.Rand, model seeker, a asked) (asked, error) {
	hits, err := model.search(a)
	if err != nil || random.IntN(3) == 0 {
		return a, err
	}
	if random.IntN(2) == 0 {
		a.limit = 1 + random.IntN(len(hits)+2)
	}
	if len(hits) > 0 && random.IntN(2) == 0 {
		after := hits[random.IntN(len(hits))]
		if random.IntN(3) == 0 { // its problem is gone from there
			after.ID += problem.ID(random.IntN(3) - 1)
		}
		a.after = &after
	}
	return a, nil
}

// unlike says how what the store finds differs from what the model finds; it is empty
// when it does not.
func unlike(model, other seeker, a asked) string {
	want, err := model.search(a)
	if err != nil {
		return "the model: " + err.Error()
	}
	got, err := other.search(a)
	if err != nil {
		return err.Error()
	}
	return difference(want, got)
}

// smaller returns the complaint about a query, and about the smallest part of its
// predicate that was found to be answered wrongly.
func smaller(b *bench, model seeker, p querygen.Cond, a asked, text string) string {
	// A View may be of no use any more once a query in it has failed.
	again := func(a asked) (text string) {
		err := b.store.View(b.ctx, func(r store.Reader) error {
			s, err := seek(b.ctx, r)
			if err == nil {
				text = unlike(model, s, a)
			}
			return err
		})
		if err != nil && text == "" {
			text = err.Error()
		}
		return text
	}
	text = "Search of " + a.String() + "\ndiffers: " + text
	for shrunk := true; shrunk; {
		shrunk = false
		for _, part := range p.Parts {
			plain := asked{predicate: part.Text, as: a.as}
			if unlike := again(plain); unlike != "" {
				p, shrunk = part, true
				text += "\nSo does that of " + plain.String() + "\n" + unlike
				break
			}
		}
	}
	return text
}

// valuesOf returns the values that objects of the model have under each key.
func valuesOf(w *world) map[*predicate.Key][]predicate.Value {
	found := make(map[*predicate.Key][]predicate.Value)
	for id := range w.problems {
		gather(w, found, predicate.Problem, w.problemEntry(id, ident.None))
	}
	for id := range w.users {
		gather(w, found, predicate.User, w.userEntry(id))
	}
	for id := range w.states {
		gather(w, found, predicate.State, w.stateEntry(id))
	}
	for id := range w.priorities {
		gather(w, found, predicate.Priority, w.priorityEntry(id))
	}
	for id := range w.classifications {
		gather(w, found, predicate.Classification, w.classificationEntry(id))
	}
	for id := range w.components {
		gather(w, found, predicate.Component, w.componentEntry(id))
	}
	for id := range w.milestones {
		gather(w, found, predicate.Milestone, w.milestoneEntry(id))
	}
	for key, values := range found { // maps are gone through in any order
		slices.SortFunc(values, predicate.CompareValues)
		found[key] = slices.CompactFunc(values, func(a, b predicate.Value) bool { return predicate.CompareValues(a, b) == 0 })
	}
	return found
}

// gather adds the values that an object has, and those of what is part of it.
func gather(w *world, found map[*predicate.Key][]predicate.Value, of predicate.Entity, object predicate.Value) {
	e := object.(entry)
	for _, key := range predicate.Keys(of) {
		switch t := key.Type; {
		case t.Kind != predicate.Object:
			if value := e.values[key.Name]; value != nil {
				found[key] = append(found[key], value)
			}
		case t.Many && !t.Entity.IsMetadata():
			for _, member := range e.objects[key.Name]().([]predicate.Value) {
				gather(w, found, t.Entity, member)
			}
		}
	}
}
