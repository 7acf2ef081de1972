// Package predicatetest has objects, predicates and checks for the tests of the query
// language.
package predicatetest

import (
	"math/rand/v2"
	"time"

	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/predicate"
)

// World holds the entries for the predicates of the tests, with their values. NewWorld
// completes entries with references to each other.
type World struct {
	Env            predicate.Env
	Ann, Bob       *Fake // users; Ann is the caller, and has no e-mail address
	Open, Closed   *Fake // states
	Core, UI, Done *Fake // components: UI is in Core, Done has UI as its successor
	Next           *Fake // a milestone of UI
	First, Second  *Fake // problems: First is blocked by Second
	Bare           *Fake // a problem without any optional value
}

// UserID is the identifier of a user, or of another object.
func UserID(n byte) ident.ID { return ident.ID{0: n, 6: 0x70, 8: 0x80} }

var now = time.Date(2024, 5, 31, 12, 0, 0, 0, time.UTC)

func values(members ...*Fake) []predicate.Value {
	list := make([]predicate.Value, len(members))
	for i, m := range members {
		list[i] = m
	}
	return list
}

// NewWorld returns a world of its own for each test.
func NewWorld() World {
	entry := func(id any, values map[string]predicate.Value) *Fake { return &Fake{id, values} }
	w := World{Env: predicate.Env{Now: now, User: UserID(1)}}
	w.Ann = entry(UserID(1), map[string]predicate.Value{"identifier": UserID(1), "name": "Ann", "email": nil, "inactive": false})
	w.Bob = entry(UserID(2), map[string]predicate.Value{"identifier": UserID(2), "name": "Bob Éclair", "email": "bob@example.org", "inactive": true})
	w.Open = entry("open", map[string]predicate.Value{"identifier": UserID(10), "name": "Open", "resolved": false, "initial": true, "order": int64(1)})
	w.Closed = entry("closed", map[string]predicate.Value{"identifier": UserID(11), "name": "Closed", "resolved": true, "initial": false, "order": int64(2)})
	w.Open.Values["nextStates"], w.Open.Values["previousStates"] = values(w.Closed), values(w.Closed)
	w.Closed.Values["nextStates"], w.Closed.Values["previousStates"] = values(w.Open), values(w.Open)
	w.Core = entry("core", map[string]predicate.Value{"identifier": UserID(20), "name": "Core", "fullName": "Core", "closed": false, "successor": nil, "parent": nil})
	w.UI = entry("ui", map[string]predicate.Value{"identifier": UserID(21), "name": "UI", "fullName": "Core/UI", "closed": false, "successor": nil, "parent": w.Core, "children": values()})
	w.Done = entry("done", map[string]predicate.Value{"identifier": UserID(22), "name": "Old", "fullName": "Old", "closed": true, "successor": w.UI, "parent": nil, "children": values()})
	w.Core.Values["children"] = values(w.UI)
	w.Next = entry("next", map[string]predicate.Value{"identifier": UserID(30), "component": w.UI, "name": "Next", "creationDate": now.AddDate(0, 0, -30), "startDate": nil, "endDate": now.AddDate(0, 0, 30)})

	w.First = entry(int64(1), map[string]predicate.Value{
		"identifier": int64(1), "title": "The API löst nichts", "creationDate": now.AddDate(0, 0, -3), "modificationDate": now.AddDate(0, 0, -1), "resolveDate": nil,
		"originator": w.Bob, "assignee": w.Ann, "modifier": w.Ann, "resolver": nil,
		"component": w.UI, "milestone": w.Next, "priority": nil, "classification": nil, "state": w.Open,
		"watching": true, "read": false, "readByAssignee": false,
		"history": values(
			w.savepoint("h1", "The API", 3, w.Bob, nil, nil),
			w.savepoint("h2", "The API löst nichts", 1, w.Ann, w.Ann, w.UI),
		),
		"logs": values(
			entry("l1", map[string]predicate.Value{"type": "ProblemCreated", "creationDate": now.AddDate(0, 0, -3), "author": w.Bob, "isSignificant": true}),
		),
		"keywords": values(
			entry("k1", map[string]predicate.Value{"name": "Build", "value": "1.2"}),
			entry("k2", map[string]predicate.Value{"name": "flaky", "value": nil}),
		),
		"comments": values(
			entry("c1", map[string]predicate.Value{"author": w.Bob, "creationDate": now.AddDate(0, 0, -2), "text": "Line one\nline TWO"}),
			entry("c2", map[string]predicate.Value{"author": w.Ann, "creationDate": now.AddDate(0, 0, -1), "text": ""}),
		),
		"watchers": values(w.Ann, w.Bob),
	})
	w.Second = entry(int64(2), map[string]predicate.Value{
		"identifier": int64(2), "title": "Zweites", "creationDate": now.AddDate(0, 0, -9), "modificationDate": now.AddDate(0, 0, -9), "resolveDate": nil,
		"originator": w.Ann, "assignee": w.Ann, "modifier": w.Ann, "resolver": nil,
		"component": w.Core, "milestone": nil, "priority": nil, "classification": nil, "state": w.Open,
		"watching": false, "read": true, "readByAssignee": true,
		"history":  values(w.savepoint("h3", "Zweites", 9, w.Ann, w.Ann, w.Core)),
		"logs":     values(),
		"keywords": values(entry("k3", map[string]predicate.Value{"name": "build", "value": "1.3"})),
		"comments": values(),
		"watchers": values(),
	})
	w.Bare = entry(int64(3), map[string]predicate.Value{
		"identifier": int64(3), "title": "", "creationDate": now, "modificationDate": now, "resolveDate": nil,
		"originator": w.Bob, "assignee": nil, "modifier": w.Bob, "resolver": nil,
		"component": nil, "milestone": nil, "priority": nil, "classification": nil, "state": w.Open,
		"watching": false, "read": false, "readByAssignee": false,
		"history": values(), "logs": values(), "keywords": values(), "comments": values(), "relationships": values(), "watchers": values(),
	})
	w.First.Values["relationships"] = values(entry("r1", map[string]predicate.Value{"type": int64(501), "problemIdentifier": int64(2), "child": w.Second, "parentId": int64(1), "parent": w.First}))
	w.Second.Values["relationships"] = values(entry("r2", map[string]predicate.Value{"type": int64(500), "problemIdentifier": int64(1), "child": w.First, "parentId": int64(2), "parent": w.Second}))
	return w
}

// savepoint is an element of the history, from so many days ago.
func (w World) savepoint(id, title string, days int, modifier *Fake, assignee, component predicate.Value) *Fake {
	return &Fake{id, map[string]predicate.Value{
		"title": title, "creationDate": now.AddDate(0, 0, -9), "modificationDate": now.AddDate(0, 0, -days), "resolveDate": nil,
		"originator": w.Bob, "assignee": assignee, "modifier": modifier, "resolver": nil,
		"component": component, "milestone": nil, "priority": nil, "classification": nil, "state": w.Open,
	}}
}

// Problems returns a few problems with all kinds of values of the world, related to
// each other.
func (w World) Problems(random *rand.Rand, count int) []*Fake {
	pick := func(from ...*Fake) predicate.Value {
		if f := from[random.IntN(len(from))]; f != nil {
			return f
		}
		return nil
	}
	word := func() predicate.Value {
		return []string{"", "The API", "the api", "löst", "lost", "Build", "build", "flaky", "x"}[random.IntN(9)]
	}
	maybe := func(v predicate.Value) predicate.Value {
		if random.IntN(3) == 0 {
			return nil
		}
		return v
	}
	day := func() predicate.Value { return now.AddDate(0, 0, random.IntN(14)-12) }
	some := func(make func() *Fake) []predicate.Value {
		var list []predicate.Value
		for range random.IntN(4) {
			list = append(list, make())
		}
		return list
	}
	entry := func(values map[string]predicate.Value) *Fake { return &Fake{new(int), values} }
	fields := func() map[string]predicate.Value {
		return map[string]predicate.Value{
			"title": word(), "creationDate": day(), "modificationDate": day(), "resolveDate": maybe(day()),
			"originator": pick(w.Ann, w.Bob), "assignee": pick(w.Ann, w.Bob, nil), "modifier": pick(w.Ann, w.Bob), "resolver": pick(w.Ann, w.Bob, nil),
			"component": pick(w.Core, w.UI, w.Done, nil), "milestone": pick(w.Next, nil), "priority": nil, "classification": nil, "state": pick(w.Open, w.Closed),
		}
	}
	problems := make([]*Fake, count)
	for i := range problems {
		problems[i] = &Fake{int64(i + 1), fields()}
	}
	for i, p := range problems {
		p.Values["identifier"] = int64(i + 1)
		for _, flag := range []string{"watching", "read", "readByAssignee"} {
			p.Values[flag] = random.IntN(2) == 0
		}
		p.Values["history"] = some(func() *Fake { return entry(fields()) })
		p.Values["logs"] = some(func() *Fake {
			return entry(map[string]predicate.Value{"type": word(), "creationDate": day(), "author": pick(w.Ann, w.Bob), "isSignificant": random.IntN(2) == 0})
		})
		p.Values["keywords"] = some(func() *Fake { return entry(map[string]predicate.Value{"name": word(), "value": maybe(word())}) })
		p.Values["comments"] = some(func() *Fake {
			return entry(map[string]predicate.Value{"author": pick(w.Ann, w.Bob), "creationDate": day(), "text": word()})
		})
		p.Values["watchers"] = [][]predicate.Value{{}, {w.Ann}, {w.Bob}, {w.Ann, w.Bob}}[random.IntN(4)]
		p.Values["relationships"] = some(func() *Fake {
			child := problems[random.IntN(count)]
			return entry(map[string]predicate.Value{"type": int64([]int{100, 500, 501}[random.IntN(3)]), "problemIdentifier": child.ID, "child": child, "parentId": p.ID, "parent": p})
		})
	}
	return problems
}
