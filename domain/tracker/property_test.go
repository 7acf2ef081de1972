package tracker

import (
	"encoding/json"
	"math/rand/v2"
	"strconv"
	"testing"
	"time"

	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/patch"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/snapshot"
	"github.com/problemtracking/problems/domain/tracker/internal/kit"
)

func pick[T any](rng *rand.Rand, from ...T) T { return from[rng.IntN(len(from))] }

// newStocked returns a service on a store with the catalogue of the tests.
func newStocked() service {
	s := service{memory: kit.NewMemory(), clock: kit.NewClock(), admin: by(kit.Ann)}
	s.memory.State.Content = kit.NewContent()
	s.memory.State.Versions.Catalogue = kit.CatalogueVersion
	s.use(newServer(s.memory, s.clock))
	return s
}

// D11: patching a problem with all that was read of it changes nothing, whatever
// it holds: also users who are inactive by now, closed components, terminal states.
func TestPatchWithWhatWasRead(t *testing.T) {
	t.Parallel()
	rng := kit.Rand(t)
	for range 500 {
		l := newLoaded(func(l *loaded) {
			l.Fields = problem.Fields{
				Title:          pick(rng, "T", "é", `"<&>"`),
				State:          pick(rng, kit.Open, kit.Triage, kit.InProgress, kit.Closed, kit.Archived),
				Priority:       pick(rng, ident.None, kit.Urgent, kit.Low),
				Classification: pick(rng, ident.None, kit.Bug, kit.Task),
				Component:      pick(rng, ident.None, kit.CoreID, kit.Network, kit.Legacy),
				Milestone:      pick(rng, ident.None, kit.First, kit.CoreFirst),
				Assignee:       pick(rng, ident.None, kit.Ann, kit.Bob, kit.Cat, kit.Eve1),
			}
			l.Originator = pick(rng, kit.Ann, kit.Cat, kit.Eve2)
			if s, _ := l.catalogue.State(l.State); s.Resolved {
				l.Resolver, l.Resolved = pick(rng, kit.Ann, kit.Cat, kit.Eve2), kit.Noon.Add(time.Duration(rng.IntN(5))*time.Millisecond)
			}
			l.Read = pick(rng, true, false)
			l.ReadByAssignee = l.Assignee == kit.Bob && l.Read || l.Assignee == kit.Ann && pick(rng, true, false)
			l.Watching = pick(rng, true, false)
			l.Keywords = l.Keywords[:rng.IntN(3)]
		})
		change, a, err := decideUpdate(by(kit.Bob), echo(l), l, kit.At(kit.Now.Add(time.Duration(rng.IntN(3)-1)*time.Hour)))
		if err != nil {
			t.Fatalf("%+v: %v", l.Problem, err)
		}
		kit.Nothing(t, change)
		kit.Equal(t, "answer", a, Answer[snapshot.Snapshot]{Value: l.Snapshot, Catalogue: l.catalogue, Revision: l.Revision})
	}
}

// echo is the request that sends all members of a problem back as R1 shows them.
func echo(l loaded) UpdateProblem {
	c := l.catalogue
	ref := func(kind metadata.Kind, id ident.ID) any {
		if id.IsNone() {
			return nil
		}
		o := kit.Object{"identifier": id.String(), "name": c.Name(kind, id)}
		if kind == metadata.Components {
			o["fullName"] = c.FullName(id)
		}
		return o
	}
	instant := func(t time.Time) any {
		if t.IsZero() {
			return nil
		}
		return t.Format("2006-01-02T15:04:05.000Z")
	}
	person := func(id ident.ID) any {
		u, ok := c.User(id)
		if !ok {
			return nil
		}
		return userObject(u.ID, u.Name, u.Email, u.Inactive)
	}
	field := func(o any) patch.Field[metadata.Partial] {
		if o == nil {
			return patch.Null[metadata.Partial]()
		}
		return patch.Set(kit.AsPartial(o))
	}
	full := func(kind metadata.Kind, id ident.ID) patch.Field[metadata.Partial] {
		switch o, _ := ref(kind, id).(kit.Object); {
		case o == nil:
			return field(nil)
		case kind == metadata.States:
			s, _ := c.State(id)
			next := []any{}
			for _, id := range s.Next {
				next = append(next, ref(metadata.States, id))
			}
			o["resolved"], o["initial"], o["order"], o["nextStates"] = s.Resolved, s.Initial, number(s.Order), next
			return field(o)
		case kind == metadata.Priorities:
			p, _ := c.Priority(id)
			o["order"] = number(p.Order)
			return field(o)
		case kind == metadata.Components:
			p, _ := c.Component(id)
			o["closed"], o["successor"], o["parent"] = p.Closed, ref(kind, p.Successor), ref(kind, p.Parent)
			return field(o)
		case kind == metadata.Milestones:
			m, _ := c.Milestone(id)
			o["component"], o["creationDate"], o["startDate"], o["endDate"] = ref(metadata.Components, m.Component), instant(m.Created), instant(m.Start), instant(m.End)
			return field(o)
		default:
			return field(o)
		}
	}
	keywords := []any{}
	for _, k := range l.Keywords {
		var value any
		if k.Value.Valid {
			value = k.Value.String
		}
		keywords = append(keywords, kit.Object{"name": k.Name, "value": value})
	}
	return UpdateProblem{
		ProblemPatch: ProblemPatch{
			Title:          patch.Set(l.Title),
			State:          full(metadata.States, l.State),
			Priority:       full(metadata.Priorities, l.Priority),
			Classification: full(metadata.Classifications, l.Classification),
			Component:      full(metadata.Components, l.Component),
			Milestone:      full(metadata.Milestones, l.Milestone),
			Assignee:       field(person(l.Assignee)),
			Read:           patch.Set(l.Read),
		},
		Revision: patch.Set(l.Revision),
		Service: kit.SentBack(kit.Object{
			"identifier":       number(int(l.ID)),
			"originator":       person(l.Originator),
			"resolver":         person(l.Resolver),
			"resolveDate":      instant(l.Resolved),
			"creationDate":     instant(l.Created),
			"keywords":         keywords,
			"modifier":         person(l.Modifier),
			"modificationDate": instant(l.Modified),
			"watching":         l.Watching,
			"readByAssignee":   l.ReadByAssignee,
			"logs":             []any{},
		}),
	}
}

func number(n int) json.Number { return json.Number(strconv.Itoa(n)) }
