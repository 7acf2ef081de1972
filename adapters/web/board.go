package web

import (
	"cmp"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/problemtracking/problems/adapters/web/internal/forms"
	"github.com/problemtracking/problems/adapters/web/internal/links"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/patch"
	"github.com/problemtracking/problems/domain/predicate/check"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/tracker"
)

// boardPath is the path of the board.
const boardPath = "/problems/board"

// boardPage is a list of problems with a column for each state.
type boardPage struct {
	listPage
	Lanes []lane
	// Refused is the problem whose move was refused, and Wrong says why; 0 and empty: none was.
	Refused problem.ID
	Wrong   string
}

// lane is a column of the board: a state, or what was resolved in the last two weeks.
type lane struct {
	State      string // where a card goes that is dropped here
	Name       string
	Resolved   bool
	Open       bool // whether a resolved one is unfolded
	Cards      []card
	Count      int // of all problems, or with CountedAll false a lower bound
	CountedAll bool
	More       string // the list of all problems of the column; empty: all are here
}

// card is a problem on the board.
type card struct {
	ID     problem.ID
	Title  string
	Unread bool
	priorityMark
	Assignee string
	Revision int64
	Next     []forms.Option
	Wrong    string // why its move was refused
}

const (
	cardsInLane = 25
	// mostLanes is how many columns a board has: each one is a search.
	mostLanes = 12
	// lately is the condition of what was resolved in the last two weeks. It was modified then, too. Stores
	// have an index of modifications, and none of resolutions: so they look at no older problem.
	lately      = "state.resolved = YES AND resolveDate > " + twoWeeksAgo + " AND modificationDate > " + twoWeeksAgo
	twoWeeksAgo = "FUNCTION(NOW(), 'dateByAddingDays:', -14)"
)

func showBoard(q *request) (answer, error) {
	asked := q.r.URL.Query()
	if found, ok, err := q.numbered(asked.Get("title")); ok || err != nil {
		return q.redirect("/problems/" + formatID(found.ID)), err
	}
	return q.board(asked, 0, "")
}

// board returns the board of a query. refused is a problem that stays where it is, and why says
// the reason.
func (q *request) board(asked url.Values, refused problem.ID, why string) (answer, error) {
	position, err := q.position()
	if err != nil {
		return answer{}, err
	}
	c, err := q.catalogue()
	if err != nil {
		return answer{}, err
	}
	asked.Del("after")
	list, sort, err := q.narrowedPage(asked, boardPath)
	if err != nil {
		return answer{}, err
	}
	view := boardPage{listPage: list, Refused: refused, Wrong: why}
	view.Title = q.say("board.title") + " · " + view.Heading
	text, wrapped := withWords(view.Predicate, view.Words)
	view.Here = q.base + view.To
	view.Live = q.base + "/live?" + url.Values{"predicate": {text}, "after": {position}}.Encode()
	for _, l := range lanesOf(c) {
		err := view.fillLane(q, &l, c, text, sort)
		if refusedPredicate(err) {
			view.Fault, view.Lanes, view.Live = locate(err, view.Predicate, wrapped), nil, ""
			return answer{status: http.StatusBadRequest, name: "board", view: view}, nil
		}
		if err != nil {
			return answer{}, err
		}
		view.Lanes = append(view.Lanes, l)
	}
	return page("board", view), nil
}

// lanesOf returns the columns: the states that resolve nothing, and one for all others.
func lanesOf(c *metadata.Catalogue) (lanes []lane) {
	last := lane{Resolved: true}
	for _, s := range c.Content().States {
		switch {
		case s.Resolved:
			last.State = cmp.Or(last.State, s.ID.String())
		case len(lanes) < mostLanes:
			lanes = append(lanes, lane{State: s.ID.String(), Name: s.Name})
		}
	}
	return append(lanes, last)
}

// fillLane adds the first problems of a column.
func (v *boardPage) fillLane(q *request, l *lane, c *metadata.Catalogue, text, sort string) error {
	wanted := lately
	if l.Resolved {
		l.Name, sort = q.say("board.lately"), "-modificationDate"
	} else {
		id, _ := ident.Parse(l.State)
		wanted = links.NewFilters(q.base, c).Condition("state", id)
	}
	if conjuncts, err := check.Conjuncts(text); err == nil {
		text = check.Join(append(conjuncts, check.Conjunct{Text: wanted})...)
	} // the search says what is wrong with any other
	cmd := tracker.SearchProblems{Search: searchFor(text, sort), CountTo: countTo}
	cmd.Limit = patch.Set(int64(cardsInLane))
	found, err := q.as().Search(q.context(), cmd)
	if err != nil {
		return err
	}
	l.Count, l.CountedAll = found.Count, found.CountedAll
	for s, err := range problemsOf(found) {
		if err != nil {
			return err
		}
		one := card{ID: s.ID, Title: s.Title, Unread: !s.Read, Revision: s.Revision, Next: forms.Next(s.State, s.catalogue), priorityMark: markOf(s.Priority, s.catalogue), Assignee: s.catalogue.Name(metadata.Users, s.Assignee)}
		if s.ID == v.Refused {
			one.Wrong, l.Open = v.Wrong, true
		}
		l.Cards = append(l.Cards, one)
	}
	if found.Next != nil {
		l.More = q.base + "/problems" + links.Suffix(links.With(nil, "predicate", text, "sort", sort))
	}
	return nil
}

// moveCard moves a problem to a state, and leads back to the board. A refused move leaves the
// problem where it is, and says why.
func moveCard(q *request) (answer, error) {
	id, ok := problem.ParseID(q.form.Get("problem"))
	if !ok {
		return nowhere(q)
	}
	base, err := q.revision("revision")
	if err != nil {
		return answer{}, err
	}
	to, err := url.Parse(q.form.Get("to"))
	if err != nil || to.Path != boardPath || !ownPath(q.form.Get("to")) {
		to = &url.URL{Path: boardPath}
	}
	_, err = q.Service.UpdateProblem(q.context(), q.caller, id, tracker.UpdateProblem{ProblemPatch: forms.Patch(url.Values{"state": q.form["state"]}), Base: base})
	if err == nil {
		to.Fragment = "card-" + formatID(id)
		return q.redirect(to.String()), nil
	}
	why, status := q.say("board.moved"), http.StatusPreconditionFailed
	if !slices.Contains(clashes(err), "state") {
		wrong := q.refused(err)
		if wrong == nil {
			return answer{}, err
		}
		why, status = strings.TrimSpace(cmp.Or(wrong.faults["state"], wrong.wrong)), wrong.status
	}
	a, err := q.board(to.Query(), id, why)
	if a.status == http.StatusOK {
		a.status = status
	}
	return a, err
}
