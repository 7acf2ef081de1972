package web

import (
	"net/url"
	"strings"

	"github.com/problemtracking/problems/adapters/web/internal/forms"
	"github.com/problemtracking/problems/adapters/web/internal/links"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/patch"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/tracker"
)

const (
	// mostFound is how many problems the way to anything offers.
	mostFound = 8
	// mostObjects is the number of ways from which on people, components and milestones add none.
	mostObjects = 20
)

// findPage leads to a problem, a query or a page by its words.
type findPage struct {
	layout
	Words string
	Found []way
}

// way is the way to a problem, a query or a page. Kind is the key of a text that says what it is.
type way struct{ Text, To, Kind string }

// showFind finds what has the words of the address. With the parameter go, it leads to the first.
func showFind(q *request) (answer, error) {
	asked := q.r.URL.Query()
	words := strings.TrimSpace(asked.Get("words"))
	list, c, _, err := q.newListPage(url.Values{}, "/problems")
	if err != nil {
		return answer{}, err
	}
	view := findPage{layout: list.in("find"), Words: words}
	view.Title = q.say("find.title")
	named, ok, err := q.numbered("#" + strings.TrimPrefix(words, "#"))
	if err != nil {
		return answer{}, err
	}
	if ok {
		view.Found = append(view.Found, q.wayTo(named.ID, named.Title))
	}
	offer := func(kind, text, to string) {
		if hasWords(text, words) {
			view.Found = append(view.Found, way{text, to, kind})
		}
	}
	for _, p := range ways(view.layout) {
		offer("find.page", q.say(p.Text), q.base+p.To)
	}
	for _, all := range [][]queryLink{list.Team, list.Saved, list.Classics} {
		for _, l := range all {
			offer("find.query", l.Name, l.To)
		}
	}
	if words != "" {
		f := links.NewFilters(q.base, c)
		for _, kind := range []struct {
			metadata.Kind
			field, text string
		}{{metadata.Users, "assignee", "find.person"}, {metadata.Components, "component", "field.component"}, {metadata.Milestones, "milestone", "field.milestone"}} {
			for o := range forms.Objects(kind.Kind, c) {
				if !o.Retired && len(view.Found) < mostObjects {
					offer(kind.text, o.Name, f.Of(kind.field, o.ID))
				}
			}
		}
		all, err := view.findProblems(q)
		if err != nil {
			return answer{}, err
		}
		if !all {
			to := q.base + "/problems" + links.Suffix(url.Values{"query": {"all"}, "title": {words}})
			view.Found = append(view.Found, way{words, to, "find.all"})
		}
	}
	if asked.Has("go") && len(view.Found) > 0 {
		return answer{to: view.Found[0].To}, nil
	}
	return page("find", view), nil
}

// ways are those to the pages. Their Text is a key.
func ways(l layout) []way {
	all := []way{{Text: "list.title", To: "/problems"}, {Text: "board.title", To: boardPath}, {Text: "changes.title", To: "/changes"}, {Text: "people.title", To: "/people"}, {Text: "kind.milestones", To: "/milestones"}}
	if l.Writer {
		all = append(all, way{Text: "new.title", To: "/problems/new"})
	}
	return append(all, way{Text: "settings.title", To: "/settings"}, way{Text: "administration.title", To: "/administration"}, way{Text: "keys.title", To: "/keys"})
}

// wayTo returns the way to a problem.
func (q *request) wayTo(id problem.ID, title string) way {
	return way{"#" + formatID(id) + " " + title, q.base + "/problems/" + formatID(id), "find.problem"}
}

// findProblems adds the problems with the words, those that changed last first. all is false when
// there can be more.
func (v *findPage) findProblems(q *request) (all bool, err error) {
	cmd := tracker.SearchProblems{Search: searchFor(wordsCondition(v.Words), "-modificationDate")}
	cmd.Limit = patch.Set(int64(mostFound))
	found, err := q.as().Search(q.context(), cmd)
	if refusedPredicate(err) || fault.Is(err, fault.QueryTooExpensive) {
		return false, nil // the list says why
	}
	if err != nil {
		return false, err
	}
	for s, err := range problemsOf(found) {
		if err != nil {
			return false, err
		}
		v.Found = append(v.Found, q.wayTo(s.ID, s.Title))
	}
	return found.Next == nil, nil
}
