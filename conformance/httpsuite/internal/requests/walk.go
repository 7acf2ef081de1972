package requests

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"

	"github.com/problemtracking/problems/conformance/httpsuite/internal/session"
)

// walkCases are about requests in random order.
func walkCases() []session.Case {
	return []session.Case{
		session.Core("HTTP-WALK-001", "spec sections 2 and 4", "whatever is done in whatever order, what is read is what was written", randomWritesAreReadBack),
	}
}

func randomWritesAreReadBack(s *session.Session) {
	w := newWalk(s)
	for range 60 {
		w.step()
	}
}

// walk is a random sequence of writes, with their expected results.
type walk struct {
	*session.Session
	random   *rand.Rand
	people   []session.Person
	problems []*walked
	// related and parent hold pairs of the places of problems; the first of
	// a related pair is the lower one.
	related, parent map[[2]int]bool
}

// walked is the expected state of a problem.
type walked struct {
	session.Problem
	title              string
	priority, assignee any // the expected name or identifier
	keywords           map[string]any
	comments           []string
	watchers           []string // names
	revision           int64
}

func newWalk(s *session.Session) *walk {
	w := &walk{Session: s, random: rand.New(rand.NewPCG(s.Seed, 0)), related: map[[2]int]bool{}, parent: map[[2]int]bool{}}
	w.people = []session.Person{s.User(), s.User()}
	for range 4 {
		p := s.Problem()
		w.problems = append(w.problems, &walked{Problem: p, title: p.Load(s.Admin).Text("/title"), keywords: map[string]any{}, revision: 1})
	}
	return w
}

// pick returns one of the values.
func pick[V any](w *walk, values ...V) V { return values[w.random.IntN(len(values))] }

// step makes a request, and looks at the result.
func (w *walk) step() {
	w.Helper()
	i := w.random.IntN(len(w.problems))
	p, who := w.problems[i], pick(w, w.people...)
	touched := []*walked{p}
	switch w.random.IntN(6) {
	case 0:
		w.edit(p, who)
	case 1, 2:
		w.tag(p, who)
	case 3:
		text := pick(w, "one", "two\r\nlines", " three ")
		who.Post(p.Path+"/comments", text, session.Plain()).Is(201).Has("/text", text)
		p.comments = append(p.comments, text)
		p.revision++
	case 4:
		j := (i + 1 + w.random.IntN(len(w.problems)-1)) % len(w.problems)
		touched = append(touched, w.problems[j])
		w.link(i, j, who)
	case 5:
		watcher := pick(w, w.people...)
		status := 200
		if !slices.Contains(p.watchers, watcher.Name) {
			status = 201
			p.watchers = append(p.watchers, watcher.Name)
			p.revision++
		}
		who.Put(p.Path+"/watchers", watcher.Part()).Is(status)
	}
	for _, p := range touched {
		w.look(p, who)
	}
}

// edit sets some fields.
func (w *walk) edit(p *walked, who session.Person) {
	w.Helper()
	before := []any{p.title, p.priority, p.assignee}
	fields := map[string]any{}
	if w.random.IntN(2) == 0 {
		p.title = pick(w, "a title", "another title")
		fields["title"] = p.title
	}
	if w.random.IntN(2) == 0 {
		p.priority = pick[any](w, nil, "High", "Low")
		fields["priority"] = p.priority
		if p.priority != nil {
			fields["priority"] = map[string]any{"name": p.priority}
		}
	}
	if w.random.IntN(2) == 0 {
		p.assignee = pick[any](w, nil, w.people[0].Identifier, w.people[1].Identifier)
		fields["assignee"] = p.assignee
		if p.assignee != nil {
			fields["assignee"] = map[string]any{"identifier": p.assignee}
		}
	}
	if !slices.Equal(before, []any{p.title, p.priority, p.assignee}) {
		p.revision++
	}
	who.Patch(p.Path, session.Encode(fields)).Is(200).Has("/title", p.title).Has("/revision", p.revision)
}

// tag sets or deletes a keyword.
func (w *walk) tag(p *walked, who session.Person) {
	w.Helper()
	name := pick(w, "a", "b", "Ä")
	old, there := p.keywords[name]
	if w.random.IntN(3) == 0 {
		if !there {
			who.Delete(p.Keyword(name), "").Refused()
			return
		}
		who.Delete(p.Keyword(name), "").Is(204)
		delete(p.keywords, name)
		p.revision++
		return
	}
	value := pick[any](w, nil, "", "x", "a\tb")
	status := 201
	if there {
		status = 200
	}
	who.Put(p.Keyword(name), session.Encode(value)).Is(status).Has("/value", value)
	if !there || old != value {
		p.revision++
	}
	p.keywords[name] = value
}

// link adds or deletes a relationship.
func (w *walk) link(i, j int, who session.Person) {
	w.Helper()
	kind, pair, there := "RelatedTo", [2]int{min(i, j), max(i, j)}, w.related
	if w.random.IntN(2) == 0 {
		kind, pair, there = "ParentOf", [2]int{i, j}, w.parent
	}
	a, b := w.problems[i], w.problems[j]
	path, body := a.Path+"/relationships", session.Link(kind, b.Problem)
	switch add := w.random.IntN(3) > 0; {
	case !add && !there[pair]:
		who.Delete(path, body).Refused()
		return
	case !add:
		who.Delete(path, body).Is(204)
		delete(there, pair)
	case there[pair]:
		who.Put(path, body).Is(200)
		return
	case kind == "ParentOf" && w.above(j, i):
		who.Put(path, body).Refused()
		return
	default:
		who.Put(path, body).Is(201)
		there[pair] = true
	}
	a.revision++
	b.revision++
}

// above reports whether a is a parent of b, or of one of its parents.
func (w *walk) above(a, b int) bool {
	for pair := range w.parent {
		if pair[0] == a && (pair[1] == b || w.above(pair[1], b)) {
			return true
		}
	}
	return false
}

// look demands the expected problem.
func (w *walk) look(p *walked, who session.Person) {
	w.Helper()
	keywords := []any{}
	for _, name := range slices.Sorted(maps.Keys(p.keywords)) {
		keywords = append(keywords, map[string]any{"name": name, "value": p.keywords[name]})
	}
	loaded := p.Load(who.Client).Has("/title", p.title).Has("/keywords", keywords).Has("/revision", p.revision)
	for pointer, want := range map[string]any{"/priority/name": p.priority, "/assignee/identifier": p.assignee} {
		if loaded.At(pointer) != want {
			w.Fatalf("%v\nhas %v at %s, want %v", loaded, loaded.At(pointer), pointer, want)
		}
	}
	comments := who.Get(p.Path + "/comments").Is(200)
	if n := len(comments.List("")); n != len(p.comments) {
		w.Fatalf("%v\nhas %d comments, want %d", comments, n, len(p.comments))
	}
	for i, text := range p.comments {
		comments.Has(fmt.Sprintf("/%d/text", i), text)
	}
	watchers := who.Get(p.Path + "/watchers").Is(200)
	names := slices.Sorted(slices.Values(p.watchers))
	if n := len(watchers.List("")); n != len(names) {
		w.Fatalf("%v\nhas %d watchers, want %d", watchers, n, len(names))
	}
	for i, name := range names {
		watchers.Has(fmt.Sprintf("/%d/name", i), name)
	}
	w.Linked(p.Problem, w.relationships(p)...)
}

// relationships are the expected relationships in R3, in its order.
func (w *walk) relationships(p *walked) []string {
	var related, children, parents []int64
	for pair := range w.related {
		switch p {
		case w.problems[pair[0]]:
			related = append(related, w.problems[pair[1]].ID)
		case w.problems[pair[1]]:
			related = append(related, w.problems[pair[0]].ID)
		}
	}
	for pair := range w.parent {
		switch p {
		case w.problems[pair[0]]:
			children = append(children, w.problems[pair[1]].ID)
		case w.problems[pair[1]]:
			parents = append(parents, w.problems[pair[0]].ID)
		}
	}
	list := []string{}
	for _, kind := range []struct {
		name   string
		others []int64
	}{{"RelatedTo", related}, {"ParentOf", children}, {"ChildOf", parents}} {
		for _, id := range slices.Sorted(slices.Values(kind.others)) {
			list = append(list, session.Problem{ID: id}.As(kind.name))
		}
	}
	return list
}
