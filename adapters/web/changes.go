package web

import (
	"net/url"
	"slices"
	"time"

	"github.com/problemtracking/problems/adapters/httpframe/cursor"
	"github.com/problemtracking/problems/adapters/web/internal/history"
	"github.com/problemtracking/problems/domain/date"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/patch"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/snapshot"
	"github.com/problemtracking/problems/domain/tracker"
)

const (
	// changedOnPage is how many problems a page of a day has, and mostLooked how many the service
	// looks at for it: those that changed later, too, may have no change of the day.
	changedOnPage, mostLooked = 25, 200
	// lastEntries is how many of the last entries a large problem shows.
	lastEntries = 100
)

// changesPage has what changed on a day: the problems that changed last come first.
type changesPage struct {
	layout
	Day, Before, After pageDay // After is None today
	Problems           []changedProblem
	More               string // the address of the rest of the day; empty: this is all
	Live, Here         string
}

// pageDay is a day on the page.
type pageDay struct{ date.Date }

// At is the day as pages write dates: its beginning in UTC.
func (d pageDay) At() time.Time { return d.Start(time.UTC) }

// changedProblem is a problem with its changes of a day.
type changedProblem struct {
	relatedLink
	Items []history.Item
}

// showChanges shows what changed on the day of the address, and without one today. Days are those of
// the preferred time zone, or else of the zone of the service.
func showChanges(q *request) (answer, error) {
	position, err := q.position()
	if err != nil {
		return answer{}, err
	}
	c, err := q.catalogue()
	if err != nil {
		return answer{}, err
	}
	zone := q.zone()
	if zone == nil {
		zone = q.Service.Zone()
	}
	asked := q.r.URL.Query()
	today := date.Of(q.Now().In(zone))
	view := changesPage{layout: q.signedIn(q.say("changes.title"), c).in("changes"), Day: pageDay{today}}
	if asked.Has("day") {
		if view.Day.Date, err = date.Parse(asked.Get("day")); err != nil {
			return answer{}, fault.New(fault.MalformedRequest, "the day %s", err)
		}
	}
	from, to := view.Day.Start(zone), view.Day.End(zone)
	view.Before.Date = date.Of(from.Add(-time.Hour).In(zone))
	if to.Before(q.Now()) {
		view.After.Date = date.Of(to.Add(time.Hour).In(zone))
	}
	view.Here = q.base + "/changes?day=" + view.Day.String()
	condition := "modificationDate >= CAST('" + from.UTC().Format(time.RFC3339) + "', 'NSDate')"
	view.Live = q.base + "/live?" + url.Values{"predicate": {condition}, "after": {position}}.Encode()
	cmd := tracker.SearchProblems{Search: searchFor(condition, "-modificationDate"), Parts: snapshot.Log | snapshot.Comments}
	cmd.Limit = patch.Set(int64(changedOnPage))
	if asked.Has("after") {
		if cmd.After, err = cursor.Read(asked.Get("after")); err != nil {
			return answer{}, fault.New(fault.MalformedRequest, "this is no address of a page of a day: begin again with its first page")
		}
	}
	for looked := 0; looked < mostLooked && len(view.Problems) < changedOnPage; looked += changedOnPage {
		found, err := q.as().Search(q.context(), cmd)
		if err != nil {
			return answer{}, err
		}
		for s, err := range problemsOf(found) {
			if err != nil {
				return answer{}, err
			}
			one, err := q.changedBetween(s, from, to)
			if err != nil {
				return answer{}, err
			}
			if len(one.Items) > 0 {
				view.Problems = append(view.Problems, one)
			}
		}
		if view.More, cmd.After = "", found.Next; found.Next == nil {
			break
		}
		at, err := cursor.Write(*found.Next)
		if err != nil {
			return answer{}, err
		}
		view.More = view.Here + "&" + url.Values{"after": {at}}.Encode()
	}
	return page("changes", view), nil
}

// changedBetween returns what changed at a problem in this time.
func (q *request) changedBetween(s foundProblem, from, to time.Time) (one changedProblem, err error) {
	state, _ := s.catalogue.State(s.State)
	one.relatedLink = relatedLink{s.ID, s.Title, state}
	log := s.Log
	if s.Size > snapshot.Small {
		entries, _, err := q.as().Lengths(q.context(), s.Snapshot)
		if err != nil {
			return one, err
		}
		if log, err = q.entries(s.Snapshot, max(0, entries-lastEntries), lastEntries); err != nil {
			return one, err
		}
	}
	outside := func(at time.Time) bool { return at.Before(from) || at.After(to) }
	log = slices.DeleteFunc(slices.Clone(log), func(e problem.LogEntry) bool { return outside(e.Created) })
	if len(log) == 0 {
		return one, nil
	}
	comments := slices.DeleteFunc(slices.Clone(s.Comments), func(c problem.Comment) bool { return outside(c.Created) })
	r := q.reader()
	r.Writer = false // nothing is undone here
	one.Items, err = r.Items(log, comments, s.catalogue)
	return one, err
}
