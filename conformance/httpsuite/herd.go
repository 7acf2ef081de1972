package httpsuite

import (
	"strings"
)

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
