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
	"github.com/problemtracking/problems/domain/store"
)

func linearPairCases() []bench.Case {
	return []bench.Case{{
		ID:     "COM-004/linear-pair",
		Rule:   "Clients relating, parting, renaming and reading two problems at once get the answers of some sequential order: both sides of a relationship are there or none is.",
		Seeded: true,
		Run:    func(b *bench.Bench) { tellOfPair(b) },
	}}
}

// couple is the state of two problems. The first may be the cause of the second.
type couple struct {
	revision [2]int64
	batch    [2]ident.ID // of each revision
	title    [2]string   // the number of a writing
	related  int64       // the number of the relating writing; 0: there is none
	position [2]int64    // of the last Change of each
}

func (c couple) String() string {
	return fmt.Sprintf("revisions %d and %d, the titles %q and %q, %s", c.revision[0], c.revision[1], c.title[0], c.title[1], linked(c.related))
}

func linked(related int64) string {
	if related == 0 {
		return "no relationship"
	}
	return fmt.Sprintf("the relationship of number %d", related)
}

// coupleView is a couple in one View.
type coupleView struct {
	revision   [2]int64
	batch      [2]ident.ID
	title      [2]string
	sides      [2]int64  // the number of the relationship, as each problem shows it
	others     [2]string // the title of the other problem in it
	neighbours [2]int64  // the number of the relationship, as Neighbours shows it
}

// View returns the expected View.
func (c couple) View() coupleView {
	v := coupleView{revision: c.revision, batch: c.batch, title: c.title}
	if c.related > 0 {
		v.sides, v.neighbours = [2]int64{c.related, c.related}, [2]int64{c.related, c.related}
		v.others = [2]string{c.title[1], c.title[0]}
	}
	return v
}

func (v coupleView) String() string {
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

// act is a client's intention.
type act int

const (
	looking act = iota
	relating
	parting
	renaming
)

// coupling is a client's request.
type coupling struct {
	act    act
	number int64
	batch  ident.ID
	// first is the problem to rename, and the first one named.
	first int
	// from is the client's last View. The client expects its revisions, if any.
	expects bool
	from    coupleView
}

func (c coupling) String() string {
	text := ""
	switch c.act {
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

// meets reports whether the couple is as the client expects it.
func (c coupling) meets(now couple) bool {
	switch {
	case c.act == renaming:
		return c.from.revision[c.first] == now.revision[c.first] && c.from.batch[c.first] == now.batch[c.first]
	case c.act == relating && now.related > 0:
		return false
	}
	return !c.expects || c.from.revision == now.revision && c.from.batch == now.batch
}

// on returns the couple after the Change.
func (c coupling) on(now couple, position int64) couple {
	switch c.act {
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
func (c coupling) later(now couple, position int64) bool {
	return position > now.position[c.first] && (c.act == renaming || position > now.position[1-c.first])
}

// coupled is a client's answer.
type coupled struct {
	upshot
	shown coupleView
}

// Step is the model of a couple.
func (c coupling) Step(before couple, out coupled) (couple, bool) {
	if c.act == looking {
		return before, out.shown == before.View()
	}
	switch out.fate {
	case isStored:
		return c.on(before, out.position), c.meets(before) && c.later(before, out.position)
	case isRefused:
		return before, !c.meets(before)
	default:
		return before, true
	}
}

// pairs is where the two problems are.
type pairs struct {
	*bench.Bench
	problems [2]problem.Problem
	began    time.Time // base of the numbers of writings, in milliseconds
}

// Change returns the requested Change.
func (p *pairs) Change(c coupling) store.Change {
	change := p.Bench.Change()
	change.Batch = c.batch
	put := func(effect store.Effect) { change.Effects = append(change.Effects, effect) }
	types := [2]relationship.Type{relationship.CauseOf, relationship.CausedBy}
	for _, i := range [2]int{c.first, 1 - c.first} {
		id, other := p.problems[i].ID, p.problems[1-i].ID
		switch c.act {
		case relating:
			put(store.PutRelationship{Relationship: relationship.Relationship{
				Owner: id, Type: types[i], Other: other, Created: p.began.Add(time.Duration(c.number) * time.Millisecond), Author: p.Author,
			}})
		case parting:
			put(store.DropRelationship{Owner: id, Type: types[i], Other: other})
		}
		if c.act == renaming && i == c.first || c.act != renaming && c.expects {
			next := p.problems[i]
			next.Revision, next.Title = c.from.revision[i]+1, c.from.title[i]
			if c.act == renaming {
				next.Title = fmt.Sprint(c.number)
			}
			change.Expect = append(change.Expect, store.ProblemAt{ID: id, Revision: c.from.revision[i], Batch: c.from.batch[i]})
			put(store.UpdateProblem{Problem: next})
		}
	}
	return change
}

// numberOf returns the number of a relationship.
func (p *pairs) numberOf(r relationship.Relationship) int64 {
	return r.Created.Sub(p.began).Milliseconds()
}

// look returns one View.
func (p *pairs) look() (v coupleView, err error) {
	err = p.Store.View(p.Ctx, func(r store.Reader) error {
		for i := range v.title {
			s, err := r.Problem(p.Ctx, p.problems[i].ID, ident.None, store.Relationships)
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
func (p *pairs) Do(c coupling) (out coupled, err error) {
	if c.act == looking {
		out.shown, err = p.look()
	} else {
		out.upshot, err = send(p.Bench, p.Change(c))
	}
	return out, err
}

// tellOfPair lets clients look at two problems, and change both or one.
func tellOfPair(b *bench.Bench) {
	b.Helper()
	p := &pairs{Bench: b, began: b.Now()}
	var batch [2]ident.ID
	for i := range p.problems {
		p.problems[i] = b.Problem(b.Reserve())
		p.problems[i].Title = "0"
		batch[i] = b.Do(store.CreateProblem{Problem: p.problems[i]}).Batch
	}
	t := &story[couple, coupling, coupled]{Bench: b, ask: p.Do, Model: linear.Model[couple, coupling, coupled]{
		Start: couple{revision: [2]int64{1, 1}, batch: batch, title: [2]string{"0", "0"}},
		Step:  func(before couple, c coupling, out coupled) (couple, bool) { return c.Step(before, out) },
		Asked: coupling.String,
		Told: func(c coupling, out coupled) string {
			if c.act == looking {
				return out.shown.String()
			}
			return out.upshot.String()
		},
		Shown: couple.String,
	}}
	t.tell(func(round int, ask func(coupling) (coupled, error), random *rand.Rand) error {
		out, err := ask(coupling{act: looking})
		if err != nil {
			return err
		}
		c := coupling{act: relating, first: random.IntN(2), expects: random.IntN(4) > 0, from: out.shown}
		switch random.IntN(8) {
		case 0:
			c = coupling{act: looking}
		case 1, 2, 3:
			// In most rounds one of them alone: the expectation of the other still holds.
			if c.act = renaming; round%4 > 0 {
				c.first = round % 2
			}
		case 4, 5, 6: // a request with a chance
			if out.shown.sides[0] > 0 {
				c.act = parting
			}
		}
		if c.act != looking {
			c.number, c.batch = t.number(), b.ID()
		}
		_, err = ask(c)
		return err
	}, coupling{})
}
