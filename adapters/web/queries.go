package web

import (
	"net/url"

	"github.com/problemtracking/problems/domain/access"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/patch"
	"github.com/problemtracking/problems/domain/query"
	"github.com/problemtracking/problems/domain/tracker"
)

// classic is a query for everybody. The clients of this API family have always shown
// these, without those of what is ready and of what is overdue.
type classic struct {
	Name      string // in the address, and a part of the key of its text
	Predicate string
	Sort      string
	// Counted is whether its number is worth a search beside each list.
	Counted bool
}

const aWeekAgo = "FUNCTION(NOW(), 'dateByAddingDays:', -7)"

var classics = []classic{
	{"unread-assigned", "read = NO AND state.resolved = NO AND assignee.identifier = $ApiUser", "-modificationDate", true},
	{"unread-watching", "watching = YES AND read = NO", "-modificationDate", true},
	{"created", "creationDate > " + aWeekAgo, "-creationDate", false},
	{"created-by-me", "originator.identifier = $ApiUser AND creationDate > " + aWeekAgo, "-creationDate", false},
	{"modified", "SUBQUERY(history, $h, $h.modificationDate > " + aWeekAgo + ").@count > 0", "-modificationDate", false},
	{"modified-by-me", "SUBQUERY(history, $h, $h.modifier.identifier = $ApiUser AND $h.modificationDate > " + aWeekAgo + ").@count > 0", "-modificationDate", false},
	{"mine", "state.resolved = NO AND assignee.identifier = $ApiUser", "priority.order,-modificationDate", true},
	{"ready", tracker.Claimable, "priority.order,creationDate", true},
	{"overdue", "due < NOW() AND state.resolved = NO", "due", true},
	{"open", "state.resolved = NO", "-modificationDate", true},
	{"all", "TRUEPREDICATE", "-identifier", false},
}

// usualOf are the queries of the list and of its board when nothing is selected: the board has a
// column for what was resolved.
var usualOf = map[string]string{"/problems": "open", boardPath: "all"}

// classicNamed returns the classic query of this name.
func classicNamed(name string) (classic, bool) {
	for _, c := range classics {
		if c.Name == name {
			return c, true
		}
	}
	return classic{}, false
}

// queriesPage lists the saved queries of the caller and the shared ones, with a form for a new one.
type queriesPage struct {
	layout
	Kinds []kindLink
	Rows  []queryRow
}

// queryRow is a saved query. By is the name of its owner, if that is somebody else.
type queryRow struct {
	query.Saved
	By        string
	MayChange bool
}

// mayChange reports whether the caller may change a saved query that the caller sees (D57).
func (q *request) mayChange(s query.Saved) bool {
	return s.Owner == q.caller.User || s.Shared && q.caller.Scope.Covers(access.Admin)
}

// showQueries lists the queries in the order in which they were saved, as the list of
// problems does.
func showQueries(q *request) (answer, error) {
	saved, err := q.as().SavedQueries(q.context())
	if err != nil {
		return answer{}, err
	}
	l := q.signedIn(q.say("kind.queries"), saved.Catalogue).in("administration")
	view := queriesPage{layout: l, Kinds: q.kindLinks("queries")}
	for _, s := range saved.Value {
		row := queryRow{Saved: s, MayChange: l.Writer && q.mayChange(s)}
		if s.Owner != q.caller.User {
			row.By = saved.Catalogue.Name(metadata.Users, s.Owner)
		}
		view.Rows = append(view.Rows, row)
	}
	return page("queries", view), nil
}

// saveQuery saves the predicate of a list under a name.
func saveQuery(q *request) (answer, error) {
	cmd := tracker.SaveQuery{Name: patch.Set(q.form.Get("name")), Predicate: patch.Set(q.form.Get("predicate"))}
	if sort := q.form.Get("sort"); sort != "" {
		cmd.Sort = patch.Set(sort)
	}
	if columns := storedColumns(q.form["columns"]); columns != "" {
		cmd.Columns = patch.Set(columns)
	}
	saved, err := q.Service.SaveQuery(q.context(), q.caller, cmd)
	if err != nil {
		return answer{}, err
	}
	return q.redirect("/problems?" + url.Values{"query": {saved.Value.ID.String()}}.Encode()), nil
}

// changeQuery changes the name, predicate and order of a saved query.
func changeQuery(q *request) (answer, error) {
	id, err := q.objectID()
	if err != nil {
		return answer{}, err
	}
	cmd := tracker.SaveQuery{Name: sent(q.form, "name"), Predicate: sent(q.form, "predicate"), Sort: sent(q.form, "sort")}
	if cmd.Sort.Value == "" {
		cmd.Sort = patch.Null[string]()
	}
	_, err = q.Service.UpdateQuery(q.context(), q.caller, id, cmd)
	return q.redirect("/administration/queries"), err
}

// shareQuery shares a saved query with everybody, or ends that.
func shareQuery(q *request) (answer, error) {
	id, err := q.objectID()
	if err == nil {
		_, err = q.Service.UpdateQuery(q.context(), q.caller, id, tracker.SaveQuery{Shared: patch.Set(q.form.Get("shared") == "yes")})
	}
	if err != nil || q.form.Get("from") == "queries" {
		return q.redirect("/administration/queries"), err
	}
	return q.redirect("/problems?" + url.Values{"query": {id.String()}}.Encode()), nil
}

// deleteQuery deletes a saved query that the caller may change. It leads back to the page of the
// form: the list of problems, or that of saved queries.
func deleteQuery(q *request) (answer, error) {
	id, err := q.objectID()
	if err == nil {
		_, err = q.Service.DeleteQuery(q.context(), q.caller, id, tracker.Write{})
	}
	if err != nil {
		return answer{}, err
	}
	if q.form.Get("from") == "queries" {
		return q.redirect("/administration/queries"), nil
	}
	return q.redirect("/problems"), nil
}

// refusedPredicate reports whether an error is about a predicate or a sort.
func refusedPredicate(err error) bool { return fault.Is(err, fault.InvalidPredicate) }
