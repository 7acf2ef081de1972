package web

import (
	"cmp"
	"slices"
	"time"

	"github.com/problemtracking/problems/adapters/web/internal/chart"
	"github.com/problemtracking/problems/adapters/web/internal/links"
	"github.com/problemtracking/problems/domain/tracker"
)

// milestonePage is a milestone with its open and resolved problems over time, as a chart
// and as a table.
type milestonePage struct {
	layout
	ID         string
	Heading    string
	Start, End time.Time             // the beginnings of days in UTC; zero: not set
	Days       []tracker.BurndownDay // the latest first, of the table: those with a change
	Chart      chart.Chart
	Latest     tracker.BurndownDay
	LeftOut    int
	More       bool
	Problems   string // the address of the list of its problems
}

// milestonesPage lists all milestones.
type milestonesPage struct {
	layout
	Milestones []milestoneRow
}

type milestoneRow struct {
	ID, Name, Component string
	Start, End          time.Time // the beginnings of days in UTC; zero: not set
	Problems            string    // the address of the list of its problems
}

// showMilestones lists the milestones, those that end first before those that end later.
func showMilestones(q *request) (answer, error) {
	states, err := q.Service.States().List(q.context())
	if err != nil {
		return answer{}, err
	}
	c := states.Catalogue
	f, days := links.NewFilters(q.base, c), calendar{q.Service.Zone()}
	view := milestonesPage{layout: q.signedIn(q.say("kind.milestones"), c).in("milestones")}
	for _, m := range c.Content().Milestones {
		view.Milestones = append(view.Milestones, milestoneRow{m.ID.String(), m.Name, c.FullName(m.Component), days.inPage(m.Start), days.inPage(m.End), f.Of("milestone", m.ID)})
	}
	slices.SortStableFunc(view.Milestones, func(a, b milestoneRow) int {
		if a.End.IsZero() != b.End.IsZero() { // those without an end come last
			return cmp.Compare(b.End.Unix(), a.End.Unix())
		}
		return a.End.Compare(b.End)
	})
	return page("milestones", view), nil
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
	b, days := history.Value, calendar{q.Service.Zone()}
	start, end := days.inPage(b.Milestone.Start), days.inPage(b.Milestone.End)
	view := milestonePage{
		layout: q.signedIn(b.Milestone.Name, history.Catalogue).in("milestones"), ID: id.String(), Heading: b.Milestone.Name,
		Start: start, End: end, Chart: chart.New(b.Days, start, end), LeftOut: b.LeftOut, More: b.More,
		Problems: links.NewFilters(q.base, history.Catalogue).Of("milestone", id),
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
