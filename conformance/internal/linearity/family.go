package linearity

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"

	"github.com/problemtracking/problems/conformance/internal/bench"
	"github.com/problemtracking/problems/conformance/internal/linear"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/relationship"
	"github.com/problemtracking/problems/domain/store"
)

func linearFamilyCases() []bench.Case {
	return []bench.Case{{
		ID:     "COM-004/linear-family",
		Rule:   "Clients look for a cycle before each new relationship, and expect the problems that they have seen as they were when they add it. They close no cycle, and get the answers of some sequential order.",
		Seeded: true,
		Run:    func(b *bench.Bench) { checkFamily(b) },
	}}
}

// members is how many problems the family has.
const members = 5

// Edges are the relationships of a family: the children of each problem, one bit each.
type Edges [members]uint8

func (e Edges) has(from, to int) bool { return e[from]&(1<<to) != 0 }

// Set adds a relationship between two members, by their indices below 5.
func (e *Edges) Set(from, to int) { e[from] |= 1 << to }

// Turned returns the relationships in the other direction.
func (e Edges) Turned() (turned Edges) {
	for from := range e {
		for to := range e {
			if e.has(from, to) {
				turned.Set(to, from)
			}
		}
	}
	return turned
}

// Cyclic reports whether the relationships lead from a problem back to itself.
func (e Edges) Cyclic() bool {
	for range members {
		for from := range e {
			for to := range e {
				if e.has(from, to) {
					e[from] |= e[to]
				}
			}
		}
	}
	return e.looped()
}

// shows reports whether these are the edges from the problems of a set.
func (e Edges) shows(now Edges, from uint8) bool {
	for i := range now {
		if from&(1<<i) == 0 {
			now[i] = 0
		}
	}
	return e == now
}

// looped reports whether a relationship leads from a problem to itself.
func (e Edges) looped() bool {
	for i := range e {
		if e.has(i, i) {
			return true
		}
	}
	return false
}

func (e Edges) String() string {
	var list []string
	for from := range e {
		for to := range e {
			if e.has(from, to) {
				list = append(list, fmt.Sprintf("%d→%d", from, to))
			}
		}
	}
	return cmp.Or(strings.Join(list, " "), "none")
}

// versions are the revisions of the problems of a family with their batches.
type versions [members]ident.Version

func (v versions) String() string {
	var all []string
	for i, revision := range v {
		if revision.Number != 0 {
			all = append(all, fmt.Sprintf("%d@%d", i, revision.Number))
		}
	}
	return strings.Join(all, " ")
}

// agree reports whether all that are given are the present ones.
func (v versions) agree(now versions) bool {
	for i := range v {
		if v[i].Number != 0 && v[i] != now[i] {
			return false
		}
	}
	return true
}

// familyState is the state of a family.
type familyState struct {
	at       versions
	edges    Edges
	position [members]int64 // of the last Change of each problem
}

func (c familyState) String() string {
	return fmt.Sprintf("%s with the edges %s", c.at, c.edges)
}

// familyRequest is a client's request.
type familyRequest struct {
	action   action   // looking at all, searching, relating or parting
	from, to int      // the edge, unless for a look at all
	at       versions // expected by a relating or parting client
	batch    ident.ID // of such a client
}

// searching looks for the cycle of an edge.
const searching action = renaming + 1

func (k familyRequest) String() string {
	switch k.action {
	case looking:
		return "to be shown the family"
	case searching:
		return fmt.Sprintf("what leads from %d to %d", k.to, k.from)
	case relating:
		return fmt.Sprintf("to add %d→%d where %s are expected", k.from, k.to, k.at)
	default:
		return fmt.Sprintf("to drop %d→%d where %s are expected", k.from, k.to, k.at)
	}
}

// familyAnswer is a client's answer.
type familyAnswer struct {
	result
	at     versions // of the problems to expect
	looked uint8    // the problems with children in question, one bit each
	edges  Edges    // from these problems
	back   uint8    // the problems with parents in question
	turned Edges    // from these problems to their parents
	closes bool     // whether they lead on to the edge in question
}

func (k familyAnswer) String() string {
	return fmt.Sprintf("%s with the edges %s from %s, and turned %s from %s", k.at, k.edges, namesOf(k.looked), k.turned, namesOf(k.back))
}

// namesOf returns the problems of a set.
func namesOf(set uint8) string {
	var all []string
	for i := range members {
		if set&(1<<i) != 0 {
			all = append(all, fmt.Sprint(i))
		}
	}
	return strings.Join(all, " ")
}

// Shows reports whether the family is as it was shown.
func (k familyAnswer) Shows(now familyState) bool {
	return k.at.agree(now.at) && k.edges.shows(now.edges, k.looked) && k.turned.shows(now.edges.Turned(), k.back)
}

// Step is the model of a family.
func (k familyRequest) Step(before familyState, out familyAnswer) (familyState, bool) {
	if k.action == looking || k.action == searching {
		return before, out.Shows(before)
	}
	meets := k.at.agree(before.at) && (k.action == parting || !before.edges.has(k.from, k.to))
	switch out.outcome {
	case isStored:
		later := out.position > max(before.position[k.from], before.position[k.to])
		return k.on(before, out.position), meets && later
	case isRefused:
		return before, !meets
	default:
		return before, true
	}
}

// on returns the family after the Change.
func (k familyRequest) on(now familyState, position int64) familyState {
	for _, i := range []int{k.from, k.to} {
		now.position[i], now.at[i] = position, now.at[i].Next(k.batch)
	}
	if k.action == parting {
		now.edges[k.from] &^= 1 << k.to
		return now
	}
	now.edges.Set(k.from, k.to)
	return now
}

// familyClient has the family in the store.
type familyClient struct {
	*bench.Bench
	problems []problem.Problem
	ids      []problem.ID
}

// index returns the index of a problem in the family.
func (h *familyClient) index(id problem.ID) int { return slices.Index(h.ids, id) }

// look returns the whole family in one View. It fails on a cycle or half a pair.
func (h *familyClient) look() (out familyAnswer, err error) {
	err = h.Store.View(h.Ctx, func(r store.Reader) (err error) {
		if out.edges, err = h.neighbours(r, relationship.ParentOf, h.ids); err != nil {
			return err
		}
		runtime.Gosched()
		if out.turned, err = h.neighbours(r, relationship.ChildOf, h.ids); err != nil {
			return err
		}
		out.at, err = h.versions(r, h.ids)
		return err
	})
	out.looked, out.back = 1<<members-1, 1<<members-1
	switch {
	case err != nil:
		return out, fmt.Errorf("View: %w", err)
	case out.turned.Turned() != out.edges:
		return out, fmt.Errorf("one View showed the edges %s from the parents' side, and %s from the children's", out.edges, out.turned.Turned())
	case out.edges.Cyclic():
		return out, fmt.Errorf("the edges %s have a cycle, which nobody may close", out.edges)
	}
	return out, nil
}

// neighbours returns the edges of a type from some problems.
func (h *familyClient) neighbours(r store.Reader, t relationship.Type, of []problem.ID) (found Edges, err error) {
	sides, err := r.Neighbours(h.Ctx, t, of)
	if err != nil {
		return found, err
	}
	return found, h.Add(&found, sides)
}

// Add adds the edges from Neighbours. It fails if one of them leads out of the family.
func (h *familyClient) Add(to *Edges, sides []relationship.Relationship) error {
	for _, side := range sides {
		owner, other := h.index(side.Owner), h.index(side.Other)
		if owner < 0 || other < 0 {
			return fmt.Errorf("Neighbours of the problems %v showed that problem %d is %s problem %d, which nobody stored", h.ids, side.Owner, side.Type, side.Other)
		}
		to.Set(owner, other)
	}
	return nil
}

// versions returns those of some problems.
func (h *familyClient) versions(r store.Reader, of []problem.ID) (at versions, err error) {
	problems, err := r.Problems(h.Ctx, of, ident.None, 0)
	for _, p := range problems {
		at[h.index(p.ID)] = ident.Version{Number: p.Revision, Batch: p.Batch}
	}
	return at, err
}

// Search looks for the cycle of an edge, as the domain does.
func (h *familyClient) Search(from, to int) (out familyAnswer, err error) {
	err = h.Store.View(h.Ctx, func(r store.Reader) (err error) {
		s := relationship.NewSearch(h.ids[from], h.ids[to], relationship.ParentOf)
		for !s.Done() {
			by, frontier := s.Frontier()
			looked, edges := &out.looked, &out.edges
			if by == relationship.ChildOf {
				looked, edges = &out.back, &out.turned
			}
			for _, id := range frontier {
				*looked |= 1 << h.index(id)
			}
			sides, err := r.Neighbours(h.Ctx, by, frontier)
			if err != nil {
				return err
			}
			if err := h.Add(edges, sides); err != nil {
				return err
			}
			s.Expand(sides)
			runtime.Gosched()
		}
		expected := []problem.ID{h.ids[from], h.ids[to]}
		if out.closes = s.Path() != nil; !out.closes {
			expected = append(expected, s.Seen()...)
		}
		out.at, err = h.versions(r, expected)
		return err
	})
	return out, err
}

// Do makes the request.
func (h *familyClient) Do(k familyRequest) (out familyAnswer, err error) {
	switch k.action {
	case looking:
		return h.look()
	case searching:
		return h.Search(k.from, k.to)
	}
	one, other := h.ids[k.from], h.ids[k.to]
	change := h.Change(
		store.DropRelationship{Owner: one, Type: relationship.ParentOf, Other: other},
		store.DropRelationship{Owner: other, Type: relationship.ChildOf, Other: one})
	if k.action == relating {
		change.Effects = h.Pair(one, relationship.ParentOf, other)
	}
	for _, i := range []int{k.from, k.to} {
		raised := h.problems[i]
		raised.Revision = k.at[i].Number + 1
		change.Effects = append(change.Effects, store.UpdateProblem{Problem: raised})
	}
	for i, at := range k.at {
		if at.Number != 0 {
			change.Expect = append(change.Expect, store.ProblemAt{ID: h.ids[i], Revision: at.Number, Batch: at.Batch})
		}
	}
	change.Batch = k.batch
	out.result, err = send(h.Bench, change)
	return out, err
}

// checkFamily lets clients add relationships without cycles, and drop some.
func checkFamily(b *bench.Bench) {
	b.Helper()
	h := &familyClient{Bench: b}
	var first familyState
	for i := range members {
		p := b.Create()
		h.problems, h.ids = append(h.problems, p), append(h.ids, p.ID)
		first.at[i] = ident.Version{Number: p.Revision, Batch: b.At(p.ID).Batch}
	}
	t := &recording[familyState, familyRequest, familyAnswer]{Bench: b, ask: h.Do, Model: linear.Model[familyState, familyRequest, familyAnswer]{
		Start: first,
		Step: func(before familyState, k familyRequest, out familyAnswer) (familyState, bool) {
			return k.Step(before, out)
		},
		Asked: familyRequest.String,
		Told: func(k familyRequest, out familyAnswer) string {
			if k.action == looking || k.action == searching {
				return out.String()
			}
			return out.result.String()
		},
		Shown: familyState.String,
	}}
	t.record(func(_ int, ask func(familyRequest) (familyAnswer, error), random *rand.Rand) error {
		k := familyRequest{action: searching, from: random.IntN(members)}
		k.to = (k.from + 1 + random.IntN(members-1)) % members
		out, err := ask(k)
		if err != nil {
			return err
		}
		k.action, k.at, k.batch = relating, out.at, b.ID()
		switch n := random.IntN(6); {
		case n == 0:
			k = familyRequest{action: looking}
		case out.closes: // an edge has to go, perhaps the one in the way
			k.action, k.from, k.to = parting, k.to, k.from
		case n == 1:
			k.action = parting
		}
		_, err = ask(k)
		return err
	}, familyRequest{action: looking})
}
