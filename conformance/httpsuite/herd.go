package httpsuite

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// lookup is a path with the given parameters: a name and a value in turn.
func lookup(path string, parameters ...string) string {
	values := url.Values{}
	for i := 0; i+1 < len(parameters); i += 2 {
		values.Set(parameters[i], parameters[i+1])
	}
	return path + "?" + values.Encode()
}

// offered demands the endpoint itself, with a clear message for servers without it.
func (a *answer) offered(source string) *answer {
	a.t.Helper()
	if a.status == http.StatusNotFound || a.status == http.StatusMethodNotAllowed {
		a.t.Fatalf("%v\nthe server lacks this endpoint (%s)", a, see(source))
	}
	return a
}

// herd is a set of problems of a case. A search can tell it from all others of the
// server: its titles begin alike.
type herd struct {
	*session
	mark string
}

func newHerd(s *session) *herd { return &herd{s, s.unique("herd")} }

// title returns a title as the problems of the herd have it.
func (h *herd) title(rest string) string { return h.mark + " " + rest }

// add makes a problem of the herd with the given JSON members beside its title.
func (h *herd) add(c *client, rest string, members ...string) problem {
	h.Helper()
	body := "{" + strings.Join(append([]string{`"title":` + encode(h.title(rest))}, members...), ",") + "}"
	return made(c.post("/problems", body))
}

// made is the problem of an answer to W1.
func made(a *answer) problem {
	a.t.Helper()
	id := a.is(201).number("/identifier")
	return problem{id, "/problems/" + a.part("/identifier")}
}

// where is the predicate for the herd's problems with a true condition.
func (h *herd) where(condition string) string {
	return "title BEGINSWITH '" + h.mark + "' AND (" + condition + ")"
}

// find searches the herd. More parameters than the predicate may be given.
func (h *herd) find(c *client, condition string, parameters ...string) *answer {
	h.Helper()
	return c.get(lookup("/problems/search", append([]string{"predicate", h.where(condition)}, parameters...)...)).offered("D31").is(200).json()
}

// finds demands exactly these problems from a search of the herd, in the order of their
// identifiers.
func (h *herd) finds(c *client, condition string, want ...problem) {
	h.Helper()
	h.find(c, condition).problems(want...)
}

// problems demands exactly these problems in the body's array, in this order.
func (a *answer) problems(want ...problem) *answer {
	a.t.Helper()
	ids := []int64{}
	for _, p := range want {
		ids = append(ids, p.id)
	}
	if got := a.identifiers(""); !slices.Equal(got, ids) {
		a.t.Fatalf("%v\nis of the problems %v, want %v", a, got, ids)
	}
	return a
}

// identifiers are the identifiers of the problems, or of the named ones, in the array at
// the pointer.
func (a *answer) identifiers(pointer string) []int64 {
	a.t.Helper()
	ids := []int64{}
	for i := range a.list(pointer) {
		ids = append(ids, a.number(item(pointer, i, "/identifier")))
	}
	return ids
}

// names are the names of the objects in the array at the pointer.
func (a *answer) names(pointer string) []string {
	a.t.Helper()
	names := []string{}
	for i := range a.list(pointer) {
		names = append(names, a.text(item(pointer, i, "/name")))
	}
	return names
}

// named returns the object of this name in the array at the pointer, or nil.
func (a *answer) named(pointer, name string) any {
	a.t.Helper()
	if i := slices.Index(a.names(pointer), name); i >= 0 {
		return a.list(pointer)[i]
	}
	return nil
}
