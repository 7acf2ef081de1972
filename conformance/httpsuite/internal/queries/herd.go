package queries

import (
	"strings"

	"github.com/problemtracking/problems/conformance/httpsuite/internal/session"
)

// herd is a set of problems of a case. A search can tell it from all others of the
// server: its titles begin alike.
type herd struct {
	*session.Session
	mark string
}

func newHerd(s *session.Session) *herd { return &herd{s, s.Unique("herd")} }

// title returns a title as the problems of the herd have it.
func (h *herd) title(rest string) string { return h.mark + " " + rest }

// add makes a problem of the herd with the given JSON members beside its title.
func (h *herd) add(c *session.Client, rest string, members ...string) session.Problem {
	h.Helper()
	body := "{" + strings.Join(append([]string{`"title":` + session.Encode(h.title(rest))}, members...), ",") + "}"
	return made(c.Post("/problems", body))
}

// made is the problem of an answer to W1.
func made(a *session.Answer) session.Problem {
	a.T.Helper()
	id := a.Is(201).Number("/identifier")
	return session.Problem{ID: id, Path: "/problems/" + a.Part("/identifier")}
}

// where is the predicate for the herd's problems with a true condition.
func (h *herd) where(condition string) string {
	return "title BEGINSWITH '" + h.mark + "' AND (" + condition + ")"
}

// find searches the herd. More parameters than the predicate may be given.
func (h *herd) find(c *session.Client, condition string, parameters ...string) *session.Answer {
	h.Helper()
	return c.Get(session.Lookup("/problems/search", append([]string{"predicate", h.where(condition)}, parameters...)...)).Offered("D31").Is(200).JSON()
}

// finds demands exactly these problems from a search of the herd, in the order of their
// identifiers.
func (h *herd) finds(c *session.Client, condition string, want ...session.Problem) {
	h.Helper()
	h.find(c, condition).Problems(want...)
}
