package predicate

import (
	"context"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/problemtracking/problems/domain/ident"
)

// world holds the entries for the predicates of the tests, with their values. newWorld
// completes entries with references to each other.
type world struct {
	env            Env
	ann, bob       *fake // users; ann is the caller, and has no e-mail address
	open, closed   *fake // states
	core, ui, done *fake // components: ui is in core, done has ui as its successor
	next           *fake // a milestone of ui
	first, second  *fake // problems: first is blocked by second
	bare           *fake // a problem without any optional value
}

func userID(n byte) ident.ID { return ident.ID{0: n, 6: 0x70, 8: 0x80} }

var now = time.Date(2024, 5, 31, 12, 0, 0, 0, time.UTC)

func values(members ...*fake) []Value {
	list := make([]Value, len(members))
	for i, m := range members {
		list[i] = m
	}
	return list
}

func newWorld() world {
	entry := func(id any, values map[string]Value) *fake { return &fake{id, values} }
	w := world{env: Env{Now: now, User: userID(1)}}
	w.ann = entry(userID(1), map[string]Value{"identifier": userID(1), "name": "Ann", "email": nil, "inactive": false})
	w.bob = entry(userID(2), map[string]Value{"identifier": userID(2), "name": "Bob Éclair", "email": "bob@example.org", "inactive": true})
	w.open = entry("open", map[string]Value{"identifier": userID(10), "name": "Open", "resolved": false, "initial": true, "order": int64(1)})
	w.closed = entry("closed", map[string]Value{"identifier": userID(11), "name": "Closed", "resolved": true, "initial": false, "order": int64(2)})
	w.open.values["nextStates"], w.open.values["previousStates"] = values(w.closed), values(w.closed)
	w.closed.values["nextStates"], w.closed.values["previousStates"] = values(w.open), values(w.open)
	w.core = entry("core", map[string]Value{"identifier": userID(20), "name": "Core", "fullName": "Core", "closed": false, "successor": nil, "parent": nil})
	w.ui = entry("ui", map[string]Value{"identifier": userID(21), "name": "UI", "fullName": "Core/UI", "closed": false, "successor": nil, "parent": w.core, "children": values()})
	w.done = entry("done", map[string]Value{"identifier": userID(22), "name": "Old", "fullName": "Old", "closed": true, "successor": w.ui, "parent": nil, "children": values()})
	w.core.values["children"] = values(w.ui)
	w.next = entry("next", map[string]Value{"identifier": userID(30), "component": w.ui, "name": "Next", "creationDate": now.AddDate(0, 0, -30), "startDate": nil, "endDate": now.AddDate(0, 0, 30)})

	w.first = entry(int64(1), map[string]Value{
		"identifier": int64(1), "title": "The API löst nichts", "creationDate": now.AddDate(0, 0, -3), "modificationDate": now.AddDate(0, 0, -1), "resolveDate": nil,
		"originator": w.bob, "assignee": w.ann, "modifier": w.ann, "resolver": nil,
		"component": w.ui, "milestone": w.next, "priority": nil, "classification": nil, "state": w.open,
		"watching": true, "read": false, "readByAssignee": false,
		"history": values(
			w.savepoint("h1", "The API", 3, w.bob, nil, nil),
			w.savepoint("h2", "The API löst nichts", 1, w.ann, w.ann, w.ui),
		),
		"logs": values(
			entry("l1", map[string]Value{"type": "ProblemCreated", "creationDate": now.AddDate(0, 0, -3), "author": w.bob, "isSignificant": true}),
		),
		"keywords": values(
			entry("k1", map[string]Value{"name": "Build", "value": "1.2"}),
			entry("k2", map[string]Value{"name": "flaky", "value": nil}),
		),
		"comments": values(
			entry("c1", map[string]Value{"author": w.bob, "creationDate": now.AddDate(0, 0, -2), "text": "Line one\nline TWO"}),
			entry("c2", map[string]Value{"author": w.ann, "creationDate": now.AddDate(0, 0, -1), "text": ""}),
		),
		"watchers": values(w.ann, w.bob),
	})
	w.second = entry(int64(2), map[string]Value{
		"identifier": int64(2), "title": "Zweites", "creationDate": now.AddDate(0, 0, -9), "modificationDate": now.AddDate(0, 0, -9), "resolveDate": nil,
		"originator": w.ann, "assignee": w.ann, "modifier": w.ann, "resolver": nil,
		"component": w.core, "milestone": nil, "priority": nil, "classification": nil, "state": w.open,
		"watching": false, "read": true, "readByAssignee": true,
		"history":  values(w.savepoint("h3", "Zweites", 9, w.ann, w.ann, w.core)),
		"logs":     values(),
		"keywords": values(entry("k3", map[string]Value{"name": "build", "value": "1.3"})),
		"comments": values(),
		"watchers": values(),
	})
	w.bare = entry(int64(3), map[string]Value{
		"identifier": int64(3), "title": "", "creationDate": now, "modificationDate": now, "resolveDate": nil,
		"originator": w.bob, "assignee": nil, "modifier": w.bob, "resolver": nil,
		"component": nil, "milestone": nil, "priority": nil, "classification": nil, "state": w.open,
		"watching": false, "read": false, "readByAssignee": false,
		"history": values(), "logs": values(), "keywords": values(), "comments": values(), "relationships": values(), "watchers": values(),
	})
	w.first.values["relationships"] = values(entry("r1", map[string]Value{"type": int64(501), "problemIdentifier": int64(2), "child": w.second, "parentId": int64(1), "parent": w.first}))
	w.second.values["relationships"] = values(entry("r2", map[string]Value{"type": int64(500), "problemIdentifier": int64(1), "child": w.first, "parentId": int64(2), "parent": w.second}))
	return w
}

// savepoint is an element of the history, from so many days ago.
func (w world) savepoint(id, title string, days int, modifier *fake, assignee, component Value) *fake {
	return &fake{id, map[string]Value{
		"title": title, "creationDate": now.AddDate(0, 0, -9), "modificationDate": now.AddDate(0, 0, -days), "resolveDate": nil,
		"originator": w.bob, "assignee": assignee, "modifier": modifier, "resolver": nil,
		"component": component, "milestone": nil, "priority": nil, "classification": nil, "state": w.open,
	}}
}

func (w world) compile(t testing.TB, text string, root Entity) *Plan {
	t.Helper()
	p, err := Compile(text, root, w.env)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return p
}

// holds evaluates a predicate about an entry.
func (w world) holds(t *testing.T, text string, root Entity, about *fake) bool {
	t.Helper()
	ok, err := w.compile(t, text, root).Holds(context.Background(), about)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return ok
}

// problems returns a few problems with all kinds of values of the world, related to
// each other.
func (w world) problems(random *rand.Rand, count int) []*fake {
	pick := func(from ...*fake) Value {
		if f := from[random.IntN(len(from))]; f != nil {
			return f
		}
		return nil
	}
	word := func() Value {
		return []string{"", "The API", "the api", "löst", "lost", "Build", "build", "flaky", "x"}[random.IntN(9)]
	}
	maybe := func(v Value) Value {
		if random.IntN(3) == 0 {
			return nil
		}
		return v
	}
	day := func() Value { return now.AddDate(0, 0, random.IntN(14)-12) }
	some := func(make func() *fake) []Value {
		var list []Value
		for range random.IntN(4) {
			list = append(list, make())
		}
		return list
	}
	entry := func(values map[string]Value) *fake { return &fake{new(int), values} }
	fields := func() map[string]Value {
		return map[string]Value{
			"title": word(), "creationDate": day(), "modificationDate": day(), "resolveDate": maybe(day()),
			"originator": pick(w.ann, w.bob), "assignee": pick(w.ann, w.bob, nil), "modifier": pick(w.ann, w.bob), "resolver": pick(w.ann, w.bob, nil),
			"component": pick(w.core, w.ui, w.done, nil), "milestone": pick(w.next, nil), "priority": nil, "classification": nil, "state": pick(w.open, w.closed),
		}
	}
	problems := make([]*fake, count)
	for i := range problems {
		problems[i] = &fake{int64(i + 1), fields()}
	}
	for i, p := range problems {
		p.values["identifier"] = int64(i + 1)
		for _, flag := range []string{"watching", "read", "readByAssignee"} {
			p.values[flag] = random.IntN(2) == 0
		}
		p.values["history"] = some(func() *fake { return entry(fields()) })
		p.values["logs"] = some(func() *fake {
			return entry(map[string]Value{"type": word(), "creationDate": day(), "author": pick(w.ann, w.bob), "isSignificant": random.IntN(2) == 0})
		})
		p.values["keywords"] = some(func() *fake { return entry(map[string]Value{"name": word(), "value": maybe(word())}) })
		p.values["comments"] = some(func() *fake {
			return entry(map[string]Value{"author": pick(w.ann, w.bob), "creationDate": day(), "text": word()})
		})
		p.values["watchers"] = [][]Value{{}, {w.ann}, {w.bob}, {w.ann, w.bob}}[random.IntN(4)]
		p.values["relationships"] = some(func() *fake {
			child := problems[random.IntN(count)]
			return entry(map[string]Value{"type": int64([]int{100, 500, 501}[random.IntN(3)]), "problemIdentifier": child.id, "child": child, "parentId": p.id, "parent": p})
		})
	}
	return problems
}
