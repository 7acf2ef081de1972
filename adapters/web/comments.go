package web

import (
	"html/template"
	"strconv"
	"strings"

	"github.com/problemtracking/problems/adapters/web/internal/markdown"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/patch"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/tracker"
)

// mostReferences is how many problems the comments of one page may refer to. Further
// references stay text.
const mostReferences = 200

// bodies returns the safe HTML of comments. One search resolves the references of all.
func (q *request) bodies(comments []problem.Comment) (map[ident.ID]template.HTML, error) {
	var texts []string
	for _, c := range comments {
		if !c.HTML.Valid {
			texts = append(texts, c.Text)
		}
	}
	known, err := q.linked(markdown.Numbers(mostReferences, texts...))
	if err != nil {
		return nil, err
	}
	resolve := func(n int64) (markdown.Link, bool) {
		l, ok := known[n]
		return l, ok
	}
	bodies := make(map[ident.ID]template.HTML, len(comments))
	for _, c := range comments {
		if c.HTML.Valid && strings.TrimSpace(c.HTML.String) != "" {
			bodies[c.ID] = q.markdown.RenderHTML(c.HTML.String)
		} else {
			bodies[c.ID] = q.markdown.Render(c.Text, resolve)
		}
	}
	return bodies, nil
}

// linked returns the links to the problems with these numbers.
func (q *request) linked(numbers []int64) (map[int64]markdown.Link, error) {
	if len(numbers) == 0 {
		return nil, nil
	}
	var list []string
	for _, n := range numbers {
		list = append(list, strconv.FormatInt(n, 10))
	}
	found, err := q.Service.SearchProblems(q.context(), q.caller, tracker.SearchProblems{Search: tracker.Search{
		Predicate: patch.Set("identifier IN {" + strings.Join(list, ", ") + "}"), Limit: patch.Set(int64(mostReferences)),
	}})
	if err != nil {
		return nil, err
	}
	known := map[int64]markdown.Link{}
	for s, err := range problemsOf(found) {
		if err != nil {
			return nil, err
		}
		state, _ := s.catalogue.State(s.State)
		known[int64(s.ID)] = markdown.Link{URL: q.base + "/problems/" + formatID(s.ID), Title: s.Title, Done: state.Resolved}
	}
	return known, nil
}

// commentItem returns a comment as an item.
func commentItem(comment problem.Comment, body template.HTML, c *metadata.Catalogue) item {
	return item{Anchor: "comment-" + comment.ID.String(), Author: c.Name(metadata.Users, comment.Author), At: comment.Created, Comment: true, Body: body}
}
