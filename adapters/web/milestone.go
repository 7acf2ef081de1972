package web

import (
	"slices"
	"time"

	"github.com/problemtracking/problems/domain/tracker"
)

// milestonePage is a milestone with its open and resolved problems over time, as a chart
// and as a table.
type milestonePage struct {
	layout
	ID         string
	Heading    string
	Start, End time.Time             // zero: not set
	Days       []tracker.BurndownDay // the latest first, of the table: those with a change
	Chart      chart
	Latest     tracker.BurndownDay
	LeftOut    int
	More       bool
	Problems   string // the address of the list of its problems
}

func showMilestone(q *request) (answer, error) {
	id, err := q.objectID()
	if err != nil {
		return answer{}, err
	}
	history, err := q.Service.Burndown(q.context(), q.caller, id)
	if err != nil {
		return answer{}, err
	}
	b := history.Value
	view := milestonePage{
		layout: q.signedIn(b.Milestone.Name, history.Catalogue).in("milestones"), ID: id.String(), Heading: b.Milestone.Name,
		Start: b.Milestone.Start, End: b.Milestone.End, Chart: newChart(b.Days, b.Milestone.Start, b.Milestone.End), LeftOut: b.LeftOut, More: b.More,
		Problems: q.base + "/problems" + suffix(with(nil, "predicate", "milestone.identifier = "+quote(id.String()))),
	}
	for i, d := range b.Days {
		if i == 0 || d.Open != b.Days[i-1].Open || d.Resolved != b.Days[i-1].Resolved {
			view.Days = append(view.Days, d)
		}
		view.Latest = d
	}
	slices.Reverse(view.Days)
	return page("milestone", view), nil
}
