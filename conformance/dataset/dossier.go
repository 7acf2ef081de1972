package dataset

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/relationship"
	"github.com/problemtracking/problems/domain/snapshot"
	"github.com/problemtracking/problems/domain/store"
)

// How many comments a problem has at most, and how many further changes. With
// Zipf's law in its most common form, of exponent 2, a problem has between two and
// three of each on average, while six of ten have none.
const (
	mostComments = 200
	mostChanges  = 100
)

// life is an unfinished problem, made up change by change.
type life struct {
	*Tracker
	*rand.Rand // draws the differences between problems
	store.Dossier
	now time.Time // of the latest change
}

// dossier makes up a problem by its number, with its users and times.
func (t *Tracker) dossier(id problem.ID) store.Dossier {
	r := rand.New(rand.NewPCG(uint64(id), 0))
	author := t.originator(id)
	l := life{Tracker: t, Rand: r, now: created(id), Dossier: store.Dossier{
		Problem:  problem.Problem{ID: id, Fields: t.fields(id, r), Originator: author, Created: created(id), Revision: 1},
		Watchers: []ident.ID{author},
	}}
	l.begin()
	l.Keywords = []problem.Keyword{
		{Name: "build", Value: problem.Text(fmt.Sprintf("1.%d", id%50))},
		{Name: "team", Value: problem.Text(fmt.Sprintf("team %d", id%20))},
	}
	for _, k := range l.Keywords {
		l.change(author, l.soon(), t.ids.Next(), problem.LogEntry{Type: problem.KeywordSet, Field: k.Name, To: problem.LogText(k.Value.String)})
	}
	comments, changes := rand.NewZipf(r, 2, 1, mostComments).Uint64(), rand.NewZipf(r, 2, 1, mostChanges).Uint64()
	for comments+changes > 0 {
		if r.Uint64N(comments+changes) < comments {
			comments--
			l.comment()
		} else {
			changes--
			l.edit()
		}
	}
	switch {
	case id%10 == 9 && id < t.problems:
		t.blocking = t.ids.Next()
		l.relate(relationship.BlockerOf, id+1, id+1)
	case id%10 == 0:
		l.relate(relationship.BlockedBy, id-1, id)
	}
	if !Open(id) {
		l.resolve(author, created(id).Add(2*time.Hour))
	}
	l.Readers = []ident.ID{l.Modifier}
	return l.Dossier
}

// soon returns when the next change is made: after mostComments and mostChanges not
// an hour has passed.
func (l *life) soon() time.Time {
	l.now = l.now.Add(10 * time.Second)
	return l.now
}

// anybody draws an author.
func (l *life) anybody() ident.ID { return l.content.Users[l.IntN(Users)].ID }

// comment adds a comment.
func (l *life) comment() {
	c := problem.Comment{ID: l.ids.Next(), Author: l.anybody(), Created: l.soon(),
		Text: fmt.Sprintf("What was found out about problem %d, in a sentence or two. It goes on for a while, as comments do.", l.ID)}
	l.Comments = append(l.Comments, c)
	l.change(c.Author, c.Created, l.ids.Next(), problem.LogEntry{Type: problem.CommentAdded, Field: "comments", To: problem.LogText(c.ID.String())})
}

// edit changes a keyword or the priority.
func (l *life) edit() {
	if l.IntN(2) == 0 {
		k := &l.Keywords[0]
		from := k.Value.String
		k.Value = problem.Text(fmt.Sprintf("1.%d.%d", l.ID%50, l.Revision))
		l.change(l.anybody(), l.soon(), l.ids.Next(), problem.LogEntry{Type: problem.KeywordSet, Field: k.Name, From: problem.LogText(from), To: problem.LogText(k.Value.String)})
		return
	}
	from := slices.IndexFunc(l.content.Priorities, func(p metadata.Priority) bool { return p.ID == l.Priority })
	to := (from + 1 + l.IntN(len(l.content.Priorities)-1)) % len(l.content.Priorities)
	l.Priority = l.content.Priorities[to].ID
	l.change(l.anybody(), l.soon(), l.ids.Next(), problem.LogEntry{Type: problem.FieldChanged, Field: "priority",
		From: problem.LogRef(l.content.Priorities[from].ID, l.content.Priorities[from].Name), To: problem.LogRef(l.Priority, l.content.Priorities[to].Name)})
	l.save()
}

// Open reports whether the problem is open: one of five.
func Open(id problem.ID) bool {
	h := uint32(id) * 2654435761
	h = (h ^ h>>15) * 2246822519
	return h>>16%5 == 0
}

func created(id problem.ID) time.Time { return start.Add(time.Duration(id) * time.Second) }

func (t *Tracker) originator(id problem.ID) ident.ID {
	return t.content.Users[int(id)%len(t.content.Users)].ID
}

// fields are the fields of a new problem.
func (t *Tracker) fields(id problem.ID, r *rand.Rand) problem.Fields {
	f := problem.Fields{
		Title:     title(id),
		State:     t.content.States[0].ID,
		Priority:  t.content.Priorities[int(id)%len(t.content.Priorities)].ID,
		Component: t.content.Components[int(id/3)%len(t.content.Components)].ID,
		Assignee:  t.content.Users[Owner(r)].ID,
	}
	if id%5 == 0 {
		f.Milestone = t.content.Milestones[int(id/5)%len(t.content.Milestones)].ID
	}
	return f
}

func title(id problem.ID) string {
	format := "Problem %d, as somebody would describe it in a line"
	switch {
	case id%1000 == 3:
		format = "Problem %d: the API answers slowly"
	case id%60 == 0:
		format = "Störung %d: der Zähler läuft über"
	case id%60 == 20:
		format = "Проблема %d: счётчик переполняется"
	case id%60 == 40:
		format = "障害 %d: カウンターがあふれる"
	}
	return fmt.Sprintf(format, id)
}

// begin creates the problem.
func (l *life) begin() {
	c := l.Tracker.content
	name := func(id ident.ID) (name string) {
		for _, o := range c.Components {
			if o.ID == id {
				name = o.Name
			}
		}
		for _, o := range c.Milestones {
			if o.ID == id {
				name = o.Name
			}
		}
		for _, o := range c.Users {
			if o.ID == id {
				name = o.Name
			}
		}
		return name
	}
	l.Modifier, l.Modified = l.Originator, l.Created
	l.log(l.Originator, l.Created, l.ids.Next(), problem.LogEntry{Type: problem.ProblemCreated, To: problem.LogObject(
		problem.LogMember{Name: "title", Value: problem.LogText(l.Title)},
		problem.LogMember{Name: "state", Value: problem.LogRef(l.State, c.States[0].Name)},
		problem.LogMember{Name: "priority", Value: problem.LogRef(l.Priority, c.Priorities[int(l.ID)%len(c.Priorities)].Name)},
		problem.LogMember{Name: "component", Value: problem.LogRef(l.Component, name(l.Component))},
		problem.LogMember{Name: "milestone", Value: problem.LogRef(l.Milestone, name(l.Milestone))},
		problem.LogMember{Name: "assignee", Value: problem.LogRef(l.Assignee, name(l.Assignee))},
	)})
	l.save()
}

// change brings the problem to its next revision.
func (l *life) change(author ident.ID, at time.Time, batch ident.ID, entry problem.LogEntry) {
	l.Revision++
	l.Modifier, l.Modified = author, at
	l.log(author, at, batch, entry)
}

func (l *life) log(author ident.ID, at time.Time, batch ident.ID, entry problem.LogEntry) {
	entry.ID, entry.Batch, entry.Problem, entry.Author, entry.Created, entry.Revision = l.ids.Next(), batch, l.ID, author, at, l.Revision
	l.Log = append(l.Log, entry)
}

// save keeps the problem as the latest change has left it.
func (l *life) save() {
	l.Savepoints = append(l.Savepoints, snapshot.Savepoint{Batch: l.Log[len(l.Log)-1].Batch, Problem: l.Problem})
}

// relate makes one side of the relationship of two problems, made when the later one was
// an hour old, by its originator.
func (l *life) relate(t relationship.Type, other, later problem.ID) {
	author, at := l.originator(later), created(later).Add(time.Hour)
	l.Relationships = append(l.Relationships, relationship.Relationship{Owner: l.ID, Type: t, Other: other, Created: at, Author: author})
	l.change(author, at, l.blocking, problem.LogEntry{Type: problem.RelationshipAdded, Field: string(t), To: problem.LogLink(other)})
}

// resolve closes the problem.
func (l *life) resolve(author ident.ID, at time.Time) {
	from, to := l.content.States[0], l.content.States[1]
	l.State, l.Resolver, l.Resolved = to.ID, author, at
	l.change(author, at, l.ids.Next(), problem.LogEntry{Type: problem.FieldChanged, Field: "state",
		From: problem.LogRef(from.ID, from.Name), To: problem.LogRef(to.ID, to.Name)})
	l.save()
}
