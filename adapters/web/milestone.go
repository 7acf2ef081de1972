package web

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/problemtracking/problems/domain/tracker"
)

// milestonePage is a milestone with its open and resolved problems over time, as a chart
// and as a table.
type milestonePage struct {
	layout
	ID       string
	Heading  string
	Days     []tracker.BurndownDay // the latest first, of the table: those with a change
	Chart    chart
	Latest   tracker.BurndownDay
	LeftOut  int
	More     bool
	Problems string // the address of the list of its problems
}

// chart is a stacked area: resolved problems below, open ones above.
type chart struct {
	Width, Height, Left, Base int
	Resolved, Open            string // paths of SVG
	Marks                     []chartMark
	Lines                     []chartLine
}

// chartMark is a day below the chart.
type chartMark struct {
	X      int
	Day    time.Time
	Anchor string
}

// chartLine is a number beside the chart.
type chartLine struct{ Y, Number int }

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
		Chart: newChart(b.Days), LeftOut: b.LeftOut, More: b.More,
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

// newChart draws the numbers of days, each as wide as the others.
func newChart(days []tracker.BurndownDay) chart {
	c := chart{Width: 760, Height: 280, Left: 44, Base: 240}
	if len(days) == 0 {
		return c
	}
	most := 1
	for _, d := range days {
		most = max(most, d.Open+d.Resolved)
	}
	x := func(day int) int { return c.Left + day*(c.Width-c.Left-8)/len(days) }
	y := func(n int) int { return c.Base - n*(c.Base-16)/most }
	area := func(lower, upper func(tracker.BurndownDay) int) string {
		var top, bottom strings.Builder
		for i, d := range days {
			fmt.Fprintf(&top, "L%d %dL%d %d", x(i), y(upper(d)), x(i+1), y(upper(d)))
		}
		for i, d := range slices.Backward(days) {
			fmt.Fprintf(&bottom, "L%d %dL%d %d", x(i+1), y(lower(d)), x(i), y(lower(d)))
		}
		return "M" + top.String()[1:] + bottom.String() + "z"
	}
	resolved := func(d tracker.BurndownDay) int { return d.Resolved }
	c.Resolved = area(func(tracker.BurndownDay) int { return 0 }, resolved)
	c.Open = area(resolved, func(d tracker.BurndownDay) int { return d.Resolved + d.Open })
	for _, n := range []int{0, most / 2, most} {
		if len(c.Lines) == 0 || c.Lines[len(c.Lines)-1].Number != n {
			c.Lines = append(c.Lines, chartLine{y(n), n})
		}
	}
	last := len(days) - 1
	c.Marks = []chartMark{{x(0), days[0].Day, "start"}}
	if last > 1 {
		c.Marks = append(c.Marks, chartMark{x(last / 2), days[last/2].Day, "middle"})
	}
	if last > 0 {
		c.Marks = append(c.Marks, chartMark{x(last + 1), days[last].Day, "end"})
	}
	return c
}

// Right returns the right end of the lines.
func (c chart) Right() string { return strconv.Itoa(c.Width - 8) }
