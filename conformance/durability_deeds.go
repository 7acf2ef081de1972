package conformance

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"sync/atomic"
	"time"

	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/relationship"
	"github.com/problemtracking/problems/domain/store"
	"github.com/problemtracking/problems/domain/user"
)

// beginning is when children begin, by their clock.
var beginning = time.Date(2026, time.March, 2, 9, 30, 0, 0, time.UTC)

// newSource returns a source of times and identifiers that a random one begins.
func newSource(random *rand.Rand) *source {
	return &source{now: beginning, ids: newSequence(random)}
}

func newSequence(random *rand.Rand) ident.Sequence {
	var bits [10]byte
	for i := range bits {
		bits[i] = byte(random.Uint32())
	}
	bits[8], bits[9] = 0, 0 // room for identifiers that come after
	return ident.NewSequence(beginning, bits)
}

// archived returns what a child restores.
func archived(env Env, problems int) holdings {
	b := &bench{Env: env}
	b.author = b.ID()
	return b.holdings(upTo(problems)...)
}

// deeds are the Changes of one writer of a child.
type deeds struct {
	random *rand.Rand
	common problem.ID // the problem that every Change comments on
	before problem.ID // the problem of the last Change

	latest atomic.Pointer[[2]Statement] // the last two Changes that were tried
}

func newDeeds(seed uint64, writer int, common problem.ID) *deeds {
	return &deeds{random: rand.New(rand.NewPCG(seed, uint64(writer)+1)), common: common}
}

// batch returns a new batch.
func (d *deeds) batch() ident.ID {
	ids := newSequence(d.random)
	return ids.Next()
}

// next returns the Statement that the writer's next Change is tried, which creates
// problems of two numbers that are reserved.
func (d *deeds) next(numbers [2]problem.ID, doomed bool) Statement {
	tried := Statement{
		Word: Tried, Deed: Committing, Batch: d.batch(), Doomed: doomed,
		Problems: [3]problem.ID{numbers[0], numbers[1], d.before},
	}
	if !doomed {
		d.before = numbers[0]
	}
	return tried
}

// publish lets watchers look for a Change, and for the one before it.
func (d *deeds) publish(tried Statement) {
	latest := [2]Statement{tried, tried}
	if before := d.latest.Load(); before != nil {
		latest[1] = before[0]
	}
	d.latest.Store(&latest)
}

// change returns the Change that is tried. It follows from what is said of it
// alone. There is something of every kind in it, so that half of it would be seen.
func (s Statement) change(common problem.ID) store.Change {
	first, second := s.created(0), s.created(1)
	side := relationship.Relationship{Owner: first.ID, Type: relationship.BlockerOf, Other: second.ID, Created: s.at(), Author: s.id(1)}
	c := store.Change{Batch: s.Batch, At: s.at(), Author: s.id(1), Effects: []store.Effect{
		store.CreateProblem{Problem: first},
		store.AddComment{Problem: common, Comment: s.comment(2)},
		store.PutRelationship{Relationship: side},
		store.PutKeyword{Problem: first.ID, Keyword: problem.Keyword{Name: "batch", Value: problem.Text(s.Batch.String())}},
		store.AddComment{Problem: first.ID, Comment: s.comment(3)},
		store.CreateProblem{Problem: second},
		store.PutRelationship{Relationship: side.Mirror()},
		store.PutSavepoint{Problem: first},
		store.Watch{Problem: first.ID, User: s.id(1)},
		store.MarkRead{Problem: second.ID, User: s.id(1), Read: true},
		store.MoveFamily{Family: relationship.BlockerOf},
		store.KeepReply{Reply: store.Reply{User: s.id(1), Key: s.Batch.String(), Created: s.at(), Body: s.Batch[:]}},
	}}
	c.Log = append(c.Log, s.entry(4, first), s.entry(5, second))
	if s.Batch[13]%4 == 0 {
		c.Effects = append(c.Effects, store.PutUser{User: user.User{ID: s.id(6), Name: "User " + s.Batch.String(), Email: s.Batch.String() + "@example.org"}})
	}
	if s.Problems[2] != 0 {
		updated := s.created(2)
		updated.Revision = 2
		c.Effects = append(c.Effects, store.UpdateProblem{Problem: updated})
		c.Log = append(c.Log, s.entry(7, updated))
	}
	if s.Doomed {
		c.Effects = append(c.Effects, store.CreateProblem{Problem: problem.Problem{ID: common, Fields: first.Fields, Originator: s.id(1), Created: s.at(), Modifier: s.id(1), Modified: s.at(), Revision: 1}})
	}
	return c
}

// id returns one of the identifiers of the Change.
func (s Statement) id(n byte) ident.ID {
	id := s.Batch
	id[15] += n
	return id
}

// at returns the time of the Change.
func (s Statement) at() time.Time {
	return beginning.Add(time.Duration(s.Batch[12]) * time.Millisecond)
}

// created returns one of the problems of the Change.
func (s Statement) created(n int) problem.Problem {
	return problem.Problem{
		ID: s.Problems[n],
		Fields: problem.Fields{
			Title: fmt.Sprintf("Problem %d of %s", n, s.Batch), State: s.id(byte(10 + n)), Assignee: s.id(byte(20 + n)),
		},
		Originator: s.id(1), Created: s.at(), Modifier: s.id(1), Modified: s.at(), Revision: 1,
	}
}

// comment returns a comment of a length that differs from Change to Change, up to
// that of a page of a database.
func (s Statement) comment(n byte) problem.Comment {
	return problem.Comment{ID: s.id(n), Author: s.id(1), Created: s.at(), Text: strings.Repeat("What was acknowledged stays. ", 1+int(s.Batch[11]))}
}

func (s Statement) entry(n byte, p problem.Problem) problem.LogEntry {
	return problem.LogEntry{
		ID: s.id(n), Problem: p.ID, Type: problem.ProblemCreated, Created: s.at(), Author: s.id(1),
		Batch: s.Batch, Revision: p.Revision,
	}
}
