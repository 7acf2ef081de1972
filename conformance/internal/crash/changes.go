package crash

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"sync/atomic"
	"time"

	"github.com/problemtracking/problems/conformance/harness"
	"github.com/problemtracking/problems/conformance/internal/bench"
	"github.com/problemtracking/problems/domain/event"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/relationship"
	"github.com/problemtracking/problems/domain/store"
	"github.com/problemtracking/problems/domain/user"
)

// beginning is when children begin, by their clock.
var beginning = time.Date(2026, time.March, 2, 9, 30, 0, 0, time.UTC)

// newSequence returns a sequence of identifiers with a random beginning.
func newSequence(random *rand.Rand) ident.Sequence {
	var bits [10]byte
	for i := range bits {
		bits[i] = byte(random.Uint32())
	}
	bits[8], bits[9] = 0, 0 // leave bits for later identifiers
	return ident.NewSequence(beginning, bits)
}

// archived returns the Archive of a child.
func archived(env harness.Env, problems int) bench.Holdings {
	b := &bench.Bench{Env: env}
	b.Author = b.ID()
	return b.Holdings(bench.UpTo(problems)...)
}

// source makes the Changes of one writer of a child.
type source struct {
	random *rand.Rand
	common problem.ID // the problem commented on by every Change
	before problem.ID // the problem of the last Change

	latest atomic.Pointer[[2]harness.Statement] // the last two tried Changes
}

func newSource(seed uint64, writer int, common problem.ID) *source {
	return &source{random: rand.New(rand.NewPCG(seed, uint64(writer)+1)), common: common}
}

// batch returns a new batch.
func (d *source) batch() ident.ID {
	ids := newSequence(d.random)
	return ids.Next()
}

// next returns the Statement for the trial of the writer's next Change. The Change
// creates problems with two reserved numbers.
func (d *source) next(numbers [2]problem.ID, doomed bool) harness.Statement {
	tried := harness.Statement{
		Phase: harness.Tried, Action: harness.Committing, Batch: d.batch(), Doomed: doomed,
		Problems: [3]problem.ID{numbers[0], numbers[1], d.before},
	}
	if !doomed {
		d.before = numbers[0]
	}
	return tried
}

// publish lets watchers look for a Change, and for the one before it.
func (d *source) publish(tried harness.Statement) {
	latest := [2]harness.Statement{tried, tried}
	if before := d.latest.Load(); before != nil {
		latest[1] = before[0]
	}
	d.latest.Store(&latest)
}

// eventOf returns an event about a problem.
func eventOf(s harness.Statement, p problem.Problem) event.Event {
	return event.Event{
		Type: event.ProblemCreated, Problem: p.ID, Title: p.Title, Revision: p.Revision,
		Lines: []event.Line{{ID: idOf(s, 8), Type: string(problem.ProblemCreated), To: problem.LogText(s.Batch.String())}},
	}
}

// changeOf returns the Change of a Statement. It depends on the Statement alone. It has
// something of every kind in it, so half of it would be seen.
func changeOf(s harness.Statement, common problem.ID) store.Change {
	if s.Only != "" {
		return changeOfOne(s)
	}
	first, second := createdBy(s, 0), createdBy(s, 1)
	side := relationship.Relationship{Owner: first.ID, Type: relationship.BlockerOf, Other: second.ID, Created: timeOf(s), Author: idOf(s, 1)}
	c := store.Change{Batch: s.Batch, At: timeOf(s), Author: idOf(s, 1), Effects: []store.Effect{
		store.CreateProblem{Problem: first},
		store.AddComment{Problem: common, Comment: commentOf(s, 2)},
		store.PutRelationship{Relationship: side},
		store.PutKeyword{Problem: first.ID, Keyword: problem.Keyword{Name: "batch", Value: problem.Text(s.Batch.String())}},
		store.AddComment{Problem: first.ID, Comment: commentOf(s, 3)},
		store.CreateProblem{Problem: second},
		store.PutRelationship{Relationship: side.Mirror()},
		store.PutSavepoint{Problem: first},
		store.Watch{Problem: first.ID, User: idOf(s, 1)},
		store.MarkRead{Problem: second.ID, User: idOf(s, 1), Read: true},
		store.KeepReply{Reply: store.Reply{User: idOf(s, 1), Key: s.Batch.String(), Created: timeOf(s), Body: s.Batch[:]}},
	}}
	c.Effects = append(c.Effects, store.Publish{Event: eventOf(s, first)}, store.Publish{Event: eventOf(s, second)})
	c.Log = append(c.Log, entryOf(s, 4, first), entryOf(s, 5, second))
	if s.Batch[13]%4 == 0 {
		c.Effects = append(c.Effects, store.PutUser{User: user.User{ID: idOf(s, 6), Name: "User " + s.Batch.String(), Email: s.Batch.String() + "@example.org"}})
	}
	if s.Problems[2] != 0 {
		updated := createdBy(s, 2)
		updated.Revision = 2
		c.Effects = append(c.Effects, store.UpdateProblem{Problem: updated})
		c.Log = append(c.Log, entryOf(s, 7, updated))
	}
	for i := range s.Bulk {
		c.Effects = append(c.Effects, store.AddComment{Problem: first.ID, Comment: bulkComment(s, i)})
	}
	if s.Doomed {
		c.Effects = append(c.Effects, store.CreateProblem{Problem: problem.Problem{ID: common, Fields: first.Fields, Originator: idOf(s, 1), Created: timeOf(s), Modifier: idOf(s, 1), Modified: timeOf(s), Revision: 1}})
	}
	return c
}

// idOf returns one of the identifiers of the Change.
func idOf(s harness.Statement, n byte) ident.ID {
	id := s.Batch
	id[15] += n
	return id
}

// timeOf returns the time of the Change.
func timeOf(s harness.Statement) time.Time {
	return beginning.Add(time.Duration(s.Batch[12]) * time.Millisecond)
}

// createdBy returns one of the problems of the Change.
func createdBy(s harness.Statement, n int) problem.Problem {
	return problem.Problem{
		ID: s.Problems[n],
		Fields: problem.Fields{
			Title: fmt.Sprintf("Problem %d of %s", n, s.Batch), State: idOf(s, byte(10+n)), Assignee: idOf(s, byte(20+n)),
		},
		Originator: idOf(s, 1), Created: timeOf(s), Modifier: idOf(s, 1), Modified: timeOf(s), Revision: 1,
	}
}

// commentOf returns a comment. Its length differs from Change to Change, up to the size
// of a page of a database.
func commentOf(s harness.Statement, n byte) problem.Comment {
	return problem.Comment{ID: idOf(s, n), Author: idOf(s, 1), Created: timeOf(s), Text: strings.Repeat("What was acknowledged stays. ", 1+int(s.Batch[11]))}
}

// bulkComment returns one of the further comments of the Change.
func bulkComment(s harness.Statement, n int) problem.Comment {
	id := s.Batch
	id[14] += byte(1 + n>>8) // the others of the Change differ in the last byte alone
	id[15] += byte(n)
	return problem.Comment{ID: id, Author: idOf(s, 1), Created: timeOf(s), Text: strings.Repeat("One of many. ", 1+int(s.Batch[11])/16)}
}

func entryOf(s harness.Statement, n byte, p problem.Problem) problem.LogEntry {
	return problem.LogEntry{
		ID: idOf(s, n), Problem: p.ID, Type: problem.ProblemCreated, Created: timeOf(s), Author: idOf(s, 1),
		Batch: s.Batch, Revision: p.Revision,
	}
}
