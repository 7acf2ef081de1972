package web

import (
	"cmp"
	"slices"
	"time"

	"github.com/problemtracking/problems/adapters/web/internal/chart"
	"github.com/problemtracking/problems/adapters/web/internal/links"
	"github.com/problemtracking/problems/domain/patch"
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
	// Unresolved are the first of its unresolved problems, the most urgent first.
	Unresolved []relatedLink
}

// mostUnresolved is how many unresolved problems the page of a milestone has.
const mostUnresolved = 25

// milestonesPage lists all milestones.
type milestonesPage struct {
	layout
	Milestones []milestoneRow
}

type milestoneRow struct {
	ID, Name, Component string
	Start, End          time.Time // the beginnings of days in UTC; zero: not set
	Problems            string    // the address of the list of its problems
	// Open and Resolved are its problems, and Counted is whether they are known: a search counts
	// so far, and only for the last milestones.
	Open, Resolved int
	Counted        bool
	// Overdue is whether it has ended with open problems.
	Overdue   bool
	condition string // of the predicate for its problems
}

// mostMilestones is how many milestones of the list have their progress.
const mostMilestones = 50

// All returns the number of its problems.
func (r milestoneRow) All() int { return r.Open + r.Resolved }

// progress counts the problems of the milestone.
func (r *milestoneRow) progress(q *request, today time.Time) error {
	var all [2]bool
	var err error
	if r.Open, all[0], err = q.countTo(r.condition+" AND state.resolved = NO", countTo); err != nil {
		return err
	}
	if r.Resolved, all[1], err = q.countTo(r.condition+" AND state.resolved = YES", countTo); err != nil {
		return err
	}
	r.Counted = all[0] && all[1]
	r.Overdue = r.Open > 0 && !r.End.IsZero() && r.End.Before(today)
	return nil
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
		view.Milestones = append(view.Milestones, milestoneRow{ID: m.ID.String(), Name: m.Name, Component: c.FullName(m.Component), Start: days.inPage(m.Start), End: days.inPage(m.End), Problems: f.Of("milestone", m.ID), condition: f.Condition("milestone", m.ID)})
	}
	slices.SortStableFunc(view.Milestones, func(a, b milestoneRow) int {
		if a.End.IsZero() != b.End.IsZero() { // those without an end come last
			return cmp.Compare(b.End.Unix(), a.End.Unix())
		}
		return a.End.Compare(b.End)
	})
	today := days.inPage(q.Now())
	for i := max(0, len(view.Milestones)-mostMilestones); i < len(view.Milestones); i++ {
		if err := view.Milestones[i].progress(q, today); err != nil {
			return answer{}, err
		}
	}
	return page("milestones", view), nil
}

func showMilestone(q *request) (answer, error) {
	id, err := q.objectID()
	if err != nil {
		return answer{}, err
	}
	history, err := q.as().Burndown(q.context(), id)
	if err != nil {
		return answer{}, err
	}
	b, days := history.Value, calendar{q.Service.Zone()}
	filters := links.NewFilters(q.base, history.Catalogue)
	start, end := days.inPage(b.Milestone.Start), days.inPage(b.Milestone.End)
	view := milestonePage{
		layout: q.signedIn(b.Milestone.Name, history.Catalogue).in("milestones"), ID: id.String(), Heading: b.Milestone.Name,
		Start: start, End: end, Chart: chart.New(b.Days, start, end), LeftOut: b.LeftOut, More: b.More,
		Problems: filters.Of("milestone", id),
	}
	for i, d := range b.Days {
		if i == 0 || d.Open != b.Days[i-1].Open || d.Resolved != b.Days[i-1].Resolved {
			view.Days = append(view.Days, d)
		}
		view.Latest = d
	}
	slices.Reverse(view.Days)
	if err := view.findUnresolved(q, filters.Condition("milestone", id)); err != nil {
		return answer{}, err
	}
	return page("milestone", view), nil
}

// findUnresolved adds unresolved problems that meet the condition.
func (v *milestonePage) findUnresolved(q *request, condition string) error {
	cmd := tracker.SearchProblems{Search: searchFor(condition+" AND state.resolved = NO", "priority.order,-modificationDate")}
	cmd.Limit = patch.Set(int64(mostUnresolved))
	found, err := q.as().Search(q.context(), cmd)
	if err != nil {
		return err
	}
	v.Unresolved, err = linksTo(found)
	return err
}
