package admin

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/problemtracking/problems/domain/audit"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/patch"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/tracker/internal/kit"
)

// administrator makes random changes of metadata, of which many are refused.
type administrator struct {
	*rand.Rand
	service
	t       *testing.T
	refused int
}

// Whatever is changed: who replays the audit log has all metadata as they are, a
// change that is refused logs nothing, and only what changes has an entry.
func TestAuditLogReplays(t *testing.T) {
	t.Parallel()
	rng := kit.Rand(t)
	for range 10 {
		a := &administrator{Rand: rng, service: newService(t), t: t}
		const changes = 80
		for range changes {
			before := len(a.memory.Current().Audit)
			if a.clock.Forward(time.Second); !a.change() && len(a.memory.Current().Audit) != before {
				t.Fatal("what was refused is logged")
			}
		}
		if a.refused == 0 || a.refused > changes/2 {
			t.Errorf("%d of %d changes refused, which shows little", a.refused, changes)
		}
		c, err := a.Service.core.Catalogue(t.Context())
		kit.NoError(t, err)
		log, err := a.Audit(t.Context(), 0, 1000)
		kit.NoError(t, err)
		got, want := replayed(t, log.Value.Entries), standing(t, c)
		for object, members := range want {
			kit.Equal(t, fmt.Sprint(object), got[object], members)
		}
		for object := range got {
			if _, ok := want[object]; !ok && object.kind != audit.Token {
				t.Errorf("the log has %v, which is not there", object)
			}
		}
	}
}

// change makes one change, and reports whether it was not refused.
func (a *administrator) change() bool {
	content := a.memory.Current().Clone().Content
	name := patch.Set(string(rune('a' + a.IntN(8))))
	if a.IntN(2) == 0 {
		name = patch.Set(fmt.Sprint("name ", a.Uint32()))
	}
	flag := func() patch.Field[bool] { return patch.Field[bool]{Sent: a.IntN(3) == 0, Value: a.IntN(2) == 0} }
	order := patch.Field[int64]{Sent: a.IntN(3) == 0, Value: int64(a.IntN(5))}
	day := func() patch.Field[time.Time] {
		if a.IntN(3) == 0 {
			return patch.Null[time.Time]()
		}
		return patch.Field[time.Time]{Sent: a.IntN(2) == 0, Value: kit.Noon.AddDate(0, 0, a.IntN(4))}
	}
	component := func() patch.Field[metadata.Partial] {
		n := len(content.Components)
		switch i := a.IntN(n + 2); {
		case i < n:
			return kit.Partial(kit.Object{"identifier": content.Components[i].ID.String()})
		case i == n:
			return patch.Null[metadata.Partial]()
		}
		return patch.Field[metadata.Partial]{}
	}
	switch a.IntN(6) {
	case 0:
		p := StatePatch{Name: name, Resolved: flag(), Initial: flag(), Order: order}
		if p.Next.Sent = a.IntN(2) == 0; p.Next.Sent {
			for _, s := range content.States {
				if a.IntN(3) == 0 {
					p.Next.Value = append(p.Next.Value, kit.AsPartial(kit.Object{"identifier": s.ID.String()}))
				}
			}
		}
		return changeOne(a, a.States(), content.States, p)
	case 1:
		return changeOne(a, a.Priorities(), content.Priorities, PriorityPatch{Name: name, Order: order})
	case 2:
		return changeOne(a, a.Classifications(), content.Classifications, ClassificationPatch{Name: name})
	case 3:
		return changeOne(a, a.Milestones(), content.Milestones, MilestonePatch{Name: name, Component: component(), Start: day(), End: day()})
	default:
		return changeOne(a, a.Components(), content.Components, ComponentPatch{Name: name, Closed: flag(), Parent: component(), Successor: component()})
	}
}

// changeOne creates an object, or changes one of those that are there.
func changeOne[T, P any](a *administrator, o Objects[T, P], all []T, p P) bool {
	var err error
	if i := a.IntN(len(all) + 1); i < len(all) && a.IntN(4) > 0 {
		_, err = o.Update(a.t.Context(), a.admin, *o.rules.ID(&all[i]), UpdateObject[P]{Patch: p})
	} else {
		_, err = o.Create(a.t.Context(), a.admin, CreateObject[P]{Patch: p})
	}
	if err == nil {
		return true
	}
	switch fault.KindOf(err) {
	case fault.AlreadyExists, fault.InUse, fault.MetadataCycle, fault.InvalidValue:
		a.refused++
		return false
	}
	a.t.Fatalf("a random change fails with %v", err)
	return false
}

// loggedObject is an object of the audit log.
type loggedObject struct {
	kind audit.Kind
	id   ident.ID
}

// replayed returns the members of all objects as the log leaves them.
func replayed(t *testing.T, log []audit.Entry) map[loggedObject]map[string]any {
	t.Helper()
	objects := map[loggedObject]map[string]any{}
	for _, e := range log {
		o := loggedObject{e.Kind, e.Object}
		if e.Type == audit.Created {
			if objects[o] != nil || e.From != "" || e.Field != "" {
				t.Errorf("%+v is created twice, or from something", e)
			}
			objects[o] = plain(t, e.To).(map[string]any)
			continue
		}
		if e.From == e.To || objects[o] == nil {
			t.Errorf("%+v changes nothing", e)
		}
		if before := objects[o][e.Field]; fmt.Sprint(before) != fmt.Sprint(plain(t, e.From)) {
			t.Errorf("%+v changes it from something else than %v", e, before)
		}
		if objects[o][e.Field] = plain(t, e.To); e.To == "" {
			delete(objects[o], e.Field)
		}
	}
	return objects
}

// plain decodes a value of the log. References lose their names, which stay as they
// were at that moment.
func plain(t *testing.T, v problem.LogValue) any {
	t.Helper()
	var value any
	if err := json.Unmarshal([]byte(v.JSON()), &value); err != nil {
		t.Fatal(err)
	}
	var strip func(any) any
	strip = func(v any) any {
		switch v := v.(type) {
		case []any:
			for i := range v {
				v[i] = strip(v[i])
			}
		case map[string]any:
			if id, ok := v["identifier"]; ok {
				return id
			}
			for name, member := range v {
				v[name] = strip(member)
			}
		}
		return v
	}
	return strip(value)
}

// standing returns the members of all metadata of a catalogue but for those that are
// null, written down from D2.
func standing(t *testing.T, c *metadata.Catalogue) map[loggedObject]map[string]any {
	t.Helper()
	all := map[loggedObject]map[string]any{}
	put := func(kind audit.Kind, id ident.ID, members map[string]any) {
		for name, value := range members {
			switch v := value.(type) {
			case ident.ID:
				if members[name] = v.String(); v.IsNone() {
					delete(members, name)
				}
			case time.Time:
				if members[name] = v.Format("2006-01-02T15:04:05.000Z"); v.IsZero() {
					delete(members, name)
				}
			case int:
				members[name] = float64(v)
			case []ident.ID:
				list := []any{}
				for _, id := range v {
					list = append(list, id.String())
				}
				members[name] = list
			}
		}
		all[loggedObject{kind, id}] = members
	}
	content := c.Content()
	for _, o := range content.States {
		put(audit.State, o.ID, map[string]any{"name": o.Name, "resolved": o.Resolved, "initial": o.Initial, "order": o.Order, "nextStates": o.Next})
	}
	for _, o := range content.Priorities {
		put(audit.Priority, o.ID, map[string]any{"name": o.Name, "order": o.Order})
	}
	for _, o := range content.Classifications {
		put(audit.Classification, o.ID, map[string]any{"name": o.Name})
	}
	for _, o := range content.Components {
		put(audit.Component, o.ID, map[string]any{"name": o.Name, "closed": o.Closed, "successor": o.Successor, "parent": o.Parent})
	}
	for _, o := range content.Milestones {
		put(audit.Milestone, o.ID, map[string]any{"name": o.Name, "component": o.Component, "creationDate": o.Created, "startDate": o.Start, "endDate": o.End})
	}
	for _, o := range content.Users {
		put(audit.User, o.ID, map[string]any{"name": o.Name, "email": o.Email, "inactive": o.Inactive})
	}
	return all
}
