package web

import (
	"slices"
	"strings"

	"github.com/problemtracking/problems/adapters/web/internal/links"
	"github.com/problemtracking/problems/domain/mention"
	"github.com/problemtracking/problems/domain/predicate"
)

// mostPeople is how many people the page of them shows.
const mostPeople = 100

// peoplePage has the active users, and how a comment names them.
type peoplePage struct {
	layout
	Words  string
	People []colleague
	More   bool // there are others
}

// colleague is an active user. Mention is the name behind "@" (D54), and To the list of the problems
// that are assigned to the user.
type colleague struct{ Name, Mention, To string }

// showPeople shows the people whose name, or a word of it, begins as the words of the address do. The
// script offers them to authors of comments.
func showPeople(q *request) (answer, error) {
	c, err := q.catalogue()
	if err != nil {
		return answer{}, err
	}
	view := peoplePage{layout: q.signedIn(q.say("people.title"), c).in("people"), Words: strings.TrimSpace(q.r.URL.Query().Get("words"))}
	all := c.Content().Users
	names, assigned := mention.ShortNames(all), links.NewFilters(q.base, c)
	words := predicate.Fold(view.Words, predicate.Both)
	begins := func(text string) bool {
		folded := predicate.Fold(text, predicate.Both)
		return strings.HasPrefix(folded, words) || strings.Contains(folded, " "+words)
	}
	for _, u := range all {
		if u.Inactive || !begins(u.Name) && !begins(names[u.ID]) {
			continue
		}
		if view.More = len(view.People) == mostPeople; view.More {
			break
		}
		view.People = append(view.People, colleague{u.Name, names[u.ID], assigned.Of("assignee", u.ID)})
	}
	slices.SortStableFunc(view.People, func(a, b colleague) int { return strings.Compare(a.Name, b.Name) })
	return page("people", view), nil
}
