package finding

import (
	"math/rand/v2"
	"slices"

	"github.com/problemtracking/problems/conformance/internal/bench"
	"github.com/problemtracking/problems/conformance/internal/model"
	"github.com/problemtracking/problems/conformance/internal/querygen"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/predicate"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/store"
)

// The number of queries for one Archive: in a short run, and in one with rounds.
const (
	fewQueries  = 100
	manyQueries = 500
)

// Random returns the case of FIND with random queries. A model answers them, too.
func Random() []bench.Case {
	return []bench.Case{{
		ID:     "FIND-001/random",
		Rule:   "Search agrees with the plainest of stores on random problems, predicates, orders, positions and limits.",
		Seeded: true,
		Run: func(b *bench.Bench) {
			random := b.Random()
			h := Findable(b, random, 20+random.IntN(30))
			b.Restore(h)
			model := model.NewModel()
			b.Must("restoring into the model", model.Restore(b.Ctx, h.Archive()))
			queries := fewQueries
			if b.Long {
				queries = manyQueries
			}
			g := querygen.New(random, ValuesOf(model.Now))
			users := []ident.ID{b.ID()} // an unknown user
			for _, u := range h.Metadata.Users {
				users = append(users, u.ID)
			}
			here := Seeker{b.Ctx, model.Now, nil}
			seeks(b, func(there Seeker) error {
				for range queries {
					p := g.Predicate()
					a := Asked{Predicate: p.Text, Sort: g.Order(), As: users[random.IntN(len(users))]}
					a, err := drawPart(random, here, a)
					if err != nil {
						return err
					}
					if text := unlike(here, there, a); text != "" {
						b.Failf("%s", Smaller(b, here, p, a, text))
					}
				}
				return nil
			})
		},
	}}
}

// drawPart draws the part of the result to ask for.
func drawPart(random *rand.Rand, model Seeker, a Asked) (Asked, error) {
	hits, err := model.Search(a)
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

// unlike describes the difference between the results of the store and of the model;
// empty if there is none.
func unlike(model, other Seeker, a Asked) string {
	want, err := model.Search(a)
	if err != nil {
		return "the model: " + err.Error()
	}
	got, err := other.Search(a)
	if err != nil {
		return err.Error()
	}
	return bench.Difference(want, got)
}

// Smaller returns the complaint about a query, and about the smallest part of its
// predicate with a wrong answer.
func Smaller(b *bench.Bench, model Seeker, p querygen.Cond, a Asked, text string) string {
	// A View may be of no use any more once a query in it has failed.
	again := func(a Asked) (text string) {
		err := b.Store.View(b.Ctx, func(r store.Reader) error {
			s, err := Seek(b.Ctx, r)
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
			plain := Asked{Predicate: part.Text, As: a.As}
			if unlike := again(plain); unlike != "" {
				p, shrunk = part, true
				text += "\nSo does that of " + plain.String() + "\n" + unlike
				break
			}
		}
	}
	return text
}

// ValuesOf returns the values of the model's objects, by key.
func ValuesOf(w *model.World) map[*predicate.Key][]predicate.Value {
	found := make(map[*predicate.Key][]predicate.Value)
	for id := range w.AllProblems {
		gather(w, found, predicate.Problem, w.ProblemEntry(id, ident.None))
	}
	for id := range w.Users {
		gather(w, found, predicate.User, w.UserEntry(id))
	}
	for id := range w.States {
		gather(w, found, predicate.State, w.StateEntry(id))
	}
	for id := range w.Priorities {
		gather(w, found, predicate.Priority, w.PriorityEntry(id))
	}
	for id := range w.Classifications {
		gather(w, found, predicate.Classification, w.ClassificationEntry(id))
	}
	for id := range w.Components {
		gather(w, found, predicate.Component, w.ComponentEntry(id))
	}
	for id := range w.Milestones {
		gather(w, found, predicate.Milestone, w.MilestoneEntry(id))
	}
	for key, values := range found { // maps are gone through in any order
		slices.SortFunc(values, predicate.CompareValues)
		found[key] = slices.CompactFunc(values, func(a, b predicate.Value) bool { return predicate.CompareValues(a, b) == 0 })
	}
	return found
}

// gather adds the values of an object and of its parts.
func gather(w *model.World, found map[*predicate.Key][]predicate.Value, of predicate.Entity, object predicate.Value) {
	e := object.(model.Entry)
	for _, key := range predicate.Keys(of) {
		switch t := key.Type; {
		case t.Kind != predicate.Object:
			if value := e.Values[key.Name]; value != nil {
				found[key] = append(found[key], value)
			}
		case t.Many && !t.Entity.IsMetadata():
			for _, member := range e.Objects[key.Name]().([]predicate.Value) {
				gather(w, found, t.Entity, member)
			}
		}
	}
}
