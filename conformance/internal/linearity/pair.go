package linearity

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"time"

	"github.com/problemtracking/problems/conformance/internal/bench"
	"github.com/problemtracking/problems/conformance/internal/linear"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/relationship"
	"github.com/problemtracking/problems/domain/snapshot"
	"github.com/problemtracking/problems/domain/store"
)

func linearPairCases() []bench.Case {
	return []bench.Case{{
		ID:     "COM-004/linear-pair",
		Rule:   "Clients relating, parting, renaming and reading two problems at once get the answers of some sequential order: both sides of a relationship are there or none is.",
		Seeded: true,
		Run:    func(b *bench.Bench) { checkPair(b) },
	}}
}

// pairState is the state of two problems. The first may be the cause of the second.
type pairState struct {
	revision [2]int64
	batch    [2]ident.ID // of each revision
	title    [2]string   // the number of a write
	related  int64       // the number of the relating write; 0: there is none
	position [2]int64    // of the last Change of each
}

func (c pairState) String() string {
	return fmt.Sprintf("revisions %d and %d, the titles %q and %q, %s", c.revision[0], c.revision[1], c.title[0], c.title[1], linked(c.related))
}

func linked(related int64) string {
	if related == 0 {
		return "no relationship"
	}
	return fmt.Sprintf("the relationship of number %d", related)
}

// pairView is the state in one View.
type pairView struct {
	revision   [2]int64
	batch      [2]ident.ID
	title      [2]string
	sides      [2]int64  // the number of the relationship, as each problem shows it
	others     [2]string // the title of the other problem in it
	neighbours [2]int64  // the number of the relationship, as Neighbours shows it
}

// View returns the expected View.
func (c pairState) View() pairView {
	v := pairView{revision: c.revision, batch: c.batch, title: c.title}
	if c.related > 0 {
		v.sides, v.neighbours = [2]int64{c.related, c.related}, [2]int64{c.related, c.related}
		v.others = [2]string{c.title[1], c.title[0]}
	}
	return v
}

func (v pairView) String() string {
	var parts []string
	for i := range 2 {
		text := fmt.Sprintf("problem %d has revision %d, the title %q and %s", i, v.revision[i], v.title[i], linked(v.sides[i]))
		if v.sides[i] > 0 {
			text += fmt.Sprintf(" to a problem with the title %q", v.others[i])
		}
		if v.neighbours[i] != v.sides[i] {
			text += fmt.Sprintf(", where Neighbours shows %s", linked(v.neighbours[i]))
		}
		parts = append(parts, text)
	}
	return strings.Join(parts, "; ")
}

// action is a client's intention.
type action int

const (
	looking action = iota
	relating
	parting
	renaming
)

// pairRequest is a client's request.
type pairRequest struct {
	action action
	number int64
	batch  ident.ID
	// first is the problem to rename, and the first one named.
	first int
	// from is the client's last View. The client expects its revisions, if any.
	expects bool
	from    pairView
}

func (c pairRequest) String() string {
	text := ""
	switch c.action {
	case looking:
		return "to be shown both"
	case relating:
		text = fmt.Sprintf("to relate them by number %d, beginning with problem %d", c.number, c.first)
	case parting:
		text = fmt.Sprintf("to part them by number %d, beginning with problem %d", c.number, c.first)
	default:
		return fmt.Sprintf("to rename problem %d to %d where revision %d is expected", c.first, c.number, c.from.revision[c.first])
	}
	if c.expects {
		text += fmt.Sprintf(", where the revisions %d and %d are expected", c.from.revision[0], c.from.revision[1])
	}
	return text
}

// meets reports whether the problems are as the client expects it.
func (c pairRequest) meets(now pairState) bool {
	switch {
	case c.action == renaming:
		return c.from.revision[c.first] == now.revision[c.first] && c.from.batch[c.first] == now.batch[c.first]
	case c.action == relating && now.related > 0:
		return false
	}
	return !c.expects || c.from.revision == now.revision && c.from.batch == now.batch
}

// on returns the state after the Change.
func (c pairRequest) on(now pairState, position int64) pairState {
	switch c.action {
	case renaming:
		now.revision[c.first]++
		now.batch[c.first] = c.batch
		now.title[c.first] = fmt.Sprint(c.number)
		now.position[c.first] = position
		return now
	case relating:
		now.related = c.number
	default:
		now.related = 0
	}
	if now.position = [2]int64{position, position}; c.expects {
		now.revision[0]++
		now.revision[1]++
		now.batch = [2]ident.ID{c.batch, c.batch}
	}
	return now
}

// later reports whether the position is greater than the positions of the earlier Changes
// of the same problems.
func (c pairRequest) later(now pairState, position int64) bool {
	return position > now.position[c.first] && (c.action == renaming || position > now.position[1-c.first])
}

// pairAnswer is a client's answer.
type pairAnswer struct {
	result
	shown pairView
}

// Step is the model of the two problems.
func (c pairRequest) Step(before pairState, out pairAnswer) (pairState, bool) {
	if c.action == looking {
		return before, out.shown == before.View()
	}
	switch out.outcome {
	case isStored:
		return c.on(before, out.position), c.meets(before) && c.later(before, out.position)
	case isRefused:
		return before, !c.meets(before)
	default:
		return before, true
	}
}

// pairClient has the two problems in the store.
type pairClient struct {
	*bench.Bench
	problems [2]problem.Problem
	began    time.Time // base of the numbers of writes, in milliseconds
}

// Change returns the requested Change.
func (p *pairClient) Change(c pairRequest) store.Change {
	change := p.Bench.Change()
	change.Batch = c.batch
	put := func(effect store.Effect) { change.Effects = append(change.Effects, effect) }
	types := [2]relationship.Type{relationship.CauseOf, relationship.CausedBy}
	for _, i := range [2]int{c.first, 1 - c.first} {
		id, other := p.problems[i].ID, p.problems[1-i].ID
		switch c.action {
		case relating:
			put(store.PutRelationship{Relationship: relationship.Relationship{
				Owner: id, Type: types[i], Other: other, Created: p.began.Add(time.Duration(c.number) * time.Millisecond), Author: p.Author,
			}})
		case parting:
			put(store.DropRelationship{Owner: id, Type: types[i], Other: other})
		}
		if c.action == renaming && i == c.first || c.action != renaming && c.expects {
			next := p.problems[i]
			next.Revision, next.Title = c.from.revision[i]+1, c.from.title[i]
			if c.action == renaming {
				next.Title = fmt.Sprint(c.number)
			}
			change.Expect = append(change.Expect, store.ProblemAt{ID: id, Revision: c.from.revision[i], Batch: c.from.batch[i]})
			put(store.UpdateProblem{Problem: next})
		}
	}
	return change
}

// numberOf returns the number of a relationship.
func (p *pairClient) numberOf(r relationship.Relationship) int64 {
	return r.Created.Sub(p.began).Milliseconds()
}

// look returns one View.
func (p *pairClient) look() (v pairView, err error) {
	err = p.Store.View(p.Ctx, func(r store.Reader) error {
		for i := range v.title {
			s, err := r.Problem(p.Ctx, p.problems[i].ID, ident.None, snapshot.Relationships)
			if err != nil {
				return err
			}
			v.revision[i], v.batch[i], v.title[i] = s.Revision, s.Batch, s.Title
			for _, side := range s.Relationships {
				v.sides[i], v.others[i] = p.numberOf(side.Relationship), side.OtherTitle
			}
			runtime.Gosched()
		}
		for i, t := range [2]relationship.Type{relationship.CauseOf, relationship.CausedBy} {
			sides, err := r.Neighbours(p.Ctx, t, []problem.ID{p.problems[0].ID, p.problems[1].ID})
			if err != nil {
				return err
			}
			for _, side := range sides {
				v.neighbours[i] = p.numberOf(side)
			}
		}
		return nil
	})
	return v, err
}

// Do makes the request.
func (p *pairClient) Do(c pairRequest) (out pairAnswer, err error) {
	if c.action == looking {
		out.shown, err = p.look()
	} else {
		out.result, err = send(p.Bench, p.Change(c))
	}
	return out, err
}

// checkPair lets clients look at two problems, and change both or one.
func checkPair(b *bench.Bench) {
	b.Helper()
	p := &pairClient{Bench: b, began: b.Now()}
	var batch [2]ident.ID
	for i := range p.problems {
		p.problems[i] = b.Problem(b.Reserve())
		p.problems[i].Title = "0"
		batch[i] = b.Do(store.CreateProblem{Problem: p.problems[i]}).Batch
	}
	t := &recording[pairState, pairRequest, pairAnswer]{Bench: b, ask: p.Do, Model: linear.Model[pairState, pairRequest, pairAnswer]{
		Start: pairState{revision: [2]int64{1, 1}, batch: batch, title: [2]string{"0", "0"}},
		Step:  func(before pairState, c pairRequest, out pairAnswer) (pairState, bool) { return c.Step(before, out) },
		Asked: pairRequest.String,
		Told: func(c pairRequest, out pairAnswer) string {
			if c.action == looking {
				return out.shown.String()
			}
			return out.result.String()
		},
		Shown: pairState.String,
	}}
	t.record(func(round int, ask func(pairRequest) (pairAnswer, error), random *rand.Rand) error {
		out, err := ask(pairRequest{action: looking})
		if err != nil {
			return err
		}
		c := pairRequest{action: relating, first: random.IntN(2), expects: random.IntN(4) > 0, from: out.shown}
		switch random.IntN(8) {
		case 0:
			c = pairRequest{action: looking}
		case 1, 2, 3:
			// In most rounds one of them alone: the expectation of the other still holds.
			if c.action = renaming; round%4 > 0 {
				c.first = round % 2
			}
		case 4, 5, 6: // a request with a chance
			if out.shown.sides[0] > 0 {
				c.action = parting
			}
		}
		if c.action != looking {
			c.number, c.batch = t.number(), b.ID()
		}
		_, err = ask(c)
		return err
	}, pairRequest{})
}
