package finding

import (
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/problemtracking/problems/conformance/internal/bench"
	"github.com/problemtracking/problems/conformance/internal/querygen"
	"github.com/problemtracking/problems/domain/date"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/relationship"
	"github.com/problemtracking/problems/domain/snapshot"
	"github.com/problemtracking/problems/domain/store"
	"github.com/problemtracking/problems/domain/user"
)

// filler draws an Archive with references of all kinds between its objects.
type filler struct {
	*rand.Rand
	b     *bench.Bench
	h     bench.Holdings
	texts []string
}

// words make titles with differences in case and marks alone.
var words = []string{
	"API", "api", "error", "R\u00e9sum\u00e9", "resume", "STRASSE", "stra\u00dfe", "\u0130stanbul", "ISTANBUL", "\u03a3\u03af\u03c3\u03c5\u03c6\u03bf\u03c2", "\u03c3\u03af\u03c3\u03c5\u03c6\u03bf\u03a3",
	"\u041e\u0448\u0438\u0431\u043a\u0430", "\u043e\u0448\u0438\u0431\u043a\u0430", "\u554f\u984c", "\ud55c\uae00", "v1.2", "100%", "a_b",
}

// Findable draws an Archive of so many problems.
func Findable(b *bench.Bench, random *rand.Rand, problems int) bench.Holdings {
	f := &filler{Rand: random, b: b, texts: slices.DeleteFunc(querygen.Hostile(), func(s string) bool { return s == "" })}
	f.metadata()
	id := problem.ID(0)
	for range problems {
		id += problem.ID(1 + f.IntN(3))
		f.h.Dossiers = append(f.h.Dossiers, f.Dossier(id))
	}
	for range problems {
		one, other := f.IntN(problems), f.IntN(problems)
		if one != other {
			b.Relate(&f.h.Dossiers[one], choose(f, relationship.Types()), &f.h.Dossiers[other])
		}
	}
	return f.h
}

func choose[T any](f *filler, from []T) T { return from[f.IntN(len(from))] }

// chance is true once in n times.
func (f *filler) chance(n int) bool { return f.IntN(n) == 0 }

// some draws one of the objects, or none.
func some[T any](f *filler, from []T, id func(T) ident.ID) ident.ID {
	if f.chance(3) {
		return ident.None
	}
	return id(choose(f, from))
}

// text draws a text of at least one character.
func (f *filler) text() string {
	if f.chance(4) {
		return choose(f, f.texts)
	}
	parts := make([]string, 1+f.IntN(3))
	for i := range parts {
		parts[i] = choose(f, words)
		if f.chance(8) {
			parts[i] = choose(f, f.texts)
		}
	}
	return strings.Join(parts, " ")
}

// moment draws a time around findings.
func (f *filler) moment() time.Time {
	switch f.IntN(10) {
	case 0:
		return choose(f, bench.Times())
	case 1:
		return findings
	}
	return findings.AddDate(0, 0, f.IntN(60)-55).Add(time.Duration(f.IntN(3)-1) * time.Millisecond)
}

func (f *filler) metadata() {
	b, m := f.b, &f.h.Metadata
	for i := range 5 {
		unique := string(rune('A'+i)) + " "
		m.States = append(m.States, metadata.State{ID: b.ID(), Name: unique + f.text(), Resolved: i > 2, Initial: f.chance(2), Order: f.IntN(5) - 1})
		m.Priorities = append(m.Priorities, metadata.Priority{ID: b.ID(), Name: unique + f.text(), Order: f.IntN(4) - 1})
		m.Classifications = append(m.Classifications, metadata.Classification{ID: b.ID(), Name: unique + f.text()})
		component := metadata.Component{ID: b.ID(), Name: unique + strings.ReplaceAll(f.text(), "/", ""), Closed: f.chance(3)}
		if i > 0 {
			component.Parent = some(f, m.Components, func(o metadata.Component) ident.ID { return o.ID })
			component.Successor = some(f, m.Components, func(o metadata.Component) ident.ID { return o.ID })
		}
		m.Components = append(m.Components, component)
		milestone := metadata.Milestone{ID: b.ID(), Name: unique + f.text(), Created: f.moment()}
		milestone.Component = some(f, m.Components, func(o metadata.Component) ident.ID { return o.ID })
		if f.chance(2) {
			milestone.Start, milestone.End = f.moment(), f.moment()
		}
		m.Milestones = append(m.Milestones, milestone)
		m.Users = append(m.Users, user.User{ID: b.ID(), Name: f.text(), Email: unique[:1] + "@Example.org", Inactive: f.chance(4), Mail: user.MailNone})
	}
	for i := range m.States {
		for _, next := range f.Perm(len(m.States))[:f.IntN(4)] {
			m.States[i].Next = append(m.States[i].Next, m.States[next].ID)
		}
	}
}

func (f *filler) user() ident.ID { return choose(f, f.h.Metadata.Users).ID }

// users draws some users, in ascending order.
func (f *filler) users() (ids []ident.ID) {
	for _, u := range f.h.Metadata.Users {
		if f.chance(3) {
			ids = append(ids, u.ID)
		}
	}
	return ids
}

// object draws an object of a kind.
func (f *filler) object(kind metadata.Kind) ident.ID {
	switch m := f.h.Metadata; kind {
	case metadata.States:
		return choose(f, m.States).ID
	case metadata.Priorities:
		return choose(f, m.Priorities).ID
	case metadata.Classifications:
		return choose(f, m.Classifications).ID
	case metadata.Components:
		return choose(f, m.Components).ID
	case metadata.Milestones:
		return choose(f, m.Milestones).ID
	default:
		return f.user()
	}
}

// choosing gives a field a value, or null.
type choosing struct {
	*filler
	given bool
}

// Text implements problem.ClientKinds, as do the methods below.
func (c choosing) Text(_ *problem.Field, text *string) (none struct{}) {
	*text = ""
	if c.given {
		*text = c.text()
	}
	return none
}

// Reference chooses an object of the catalogue.
func (c choosing) Reference(f *problem.Field, id *ident.ID) (none struct{}) {
	*id = ident.None
	if c.given {
		*id = c.object(f.To)
	}
	return none
}

// Date chooses a day among those of the times.
func (c choosing) Date(_ *problem.Field, d *date.Date) (none struct{}) {
	*d = date.None
	if c.given {
		*d = date.Of(c.moment())
	}
	return none
}

// fields gives the problem other fields.
func (f *filler) fields(p *problem.Problem) {
	for _, field := range problem.ClientFields() {
		problem.ClientValue(field, &p.Fields, choosing{f, field.Required || !f.chance(3)})
	}
	p.Modifier, p.Modified = f.user(), f.moment()
	p.Resolver, p.Resolved = ident.None, time.Time{}
	if f.chance(3) {
		p.Resolver, p.Resolved = f.user(), f.moment()
	}
}

func (f *filler) Dossier(id problem.ID) store.Dossier {
	b := f.b
	p := problem.Problem{ID: id, Originator: f.user(), Created: f.moment()}
	var d store.Dossier
	for range 1 + f.IntN(3) {
		f.fields(&p)
		p.Revision++
		d.Savepoints = append(d.Savepoints, snapshot.Savepoint{Batch: b.ID(), Problem: p})
	}
	d.Problem = p
	for range f.IntN(4) {
		types := []problem.LogType{problem.ProblemCreated, problem.FieldChanged, problem.CommentAdded, problem.CommentEdited, problem.CommentDeleted, problem.Redacted, problem.WatcherAdded, problem.WatcherRemoved}
		d.Log = append(d.Log, problem.LogEntry{ID: b.ID(), Problem: id, Type: choose(f, types), Created: f.moment(), Author: f.user(),
			Batch: b.ID(), Field: "title", To: problem.LogText("after"), Revision: p.Revision})
	}
	for range f.IntN(3) {
		d.Comments = append(d.Comments, problem.Comment{ID: b.ID(), Author: f.user(), Created: f.moment(), Text: f.text()})
	}
	for range f.IntN(3) {
		a := problem.Attachment{ID: b.ID(), Name: f.text(), MediaType: f.text(), Bytes: int64(f.IntN(3)), Author: f.user(), Created: f.moment()}
		if f.IntN(4) == 0 {
			a.Deleted = a.Created
		}
		d.Attachments = append(d.Attachments, a)
	}
	names := make(map[string]bool)
	for range f.IntN(4) {
		names[f.text()] = true
	}
	for name := range names {
		k := problem.Keyword{Name: name}
		d.Keywords = append(d.Keywords, k)
	}
	slices.SortFunc(d.Keywords, func(a, b problem.Keyword) int { return strings.Compare(a.Name, b.Name) })
	for i := range d.Keywords {
		switch f.IntN(4) {
		case 0:
		case 1:
			d.Keywords[i].Value = problem.Text("")
		default:
			d.Keywords[i].Value = problem.Text(f.text())
		}
	}
	d.Watchers, d.Readers = f.users(), f.users()
	return d
}
