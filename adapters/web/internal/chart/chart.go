// Package chart draws how many problems are open and resolved over days.
package chart

import (
	"fmt"
	"strings"
	"time"

	"github.com/problemtracking/problems/domain/tracker"
)

// Chart is a stacked area over days: resolved problems below, open ones above. Places on it
// are in percent, so that it is as wide as the page, and its texts keep their size.
type Chart struct {
	// Days is the number of days, and Top the greatest number on the axis.
	Days, Top int
	// Resolved and Open are paths of SVG, in days and problems.
	Resolved, Open string
	Ticks          []Tick
	Lines          []Line
	// From is the first day, and To the last one.
	From, To time.Time
}

// Tick is a number on the axis.
type Tick struct {
	Y      string // from above
	Number int
}

// Line is a day of note.
type Line struct {
	Label string // key of the text
	X     string
	// Behind is true when the text is behind the line, and false when it is before it.
	Behind bool
}

// mostTicks is the greatest number of ticks above 0.
const mostTicks = 5

// New draws the numbers of days, each as wide as the others, from the start of the
// milestone to its end. A zero start or end is not set.
func New(days []tracker.BurndownDay, start, end time.Time) Chart {
	if len(days) == 0 {
		return Chart{}
	}
	first, today := days[0].Day, days[len(days)-1].Day
	c := Chart{From: first, To: today}
	if !start.IsZero() && start.Before(c.From) {
		c.From = dayOf(start)
	}
	if end.After(c.To) {
		c.To = dayOf(end)
	}
	c.Days = c.day(c.To) + 1
	most := 1
	for _, d := range days {
		most = max(most, d.Open+d.Resolved)
	}
	step := tickStep(most)
	c.Top = (most + step - 1) / step * step
	for n := 0; n <= c.Top; n += step {
		c.Ticks = append(c.Ticks, Tick{percent(c.Top-n, c.Top), n})
	}
	c.Resolved = c.area(days, func(tracker.BurndownDay) int { return 0 }, func(d tracker.BurndownDay) int { return d.Resolved })
	c.Open = c.area(days, func(d tracker.BurndownDay) int { return d.Resolved }, func(d tracker.BurndownDay) int { return d.Resolved + d.Open })
	c.mark("kind.start", start, 0)
	c.mark("milestone.today", today, 1)
	c.mark("kind.end", end, 1)
	return c
}

// dayOf returns the beginning of a day in UTC.
func dayOf(t time.Time) time.Time { return t.UTC().Truncate(24 * time.Hour) }

// day returns the number of a day in the chart.
func (c *Chart) day(t time.Time) int { return int((t.Unix() - c.From.Unix()) / (24 * 60 * 60)) }

// mark adds a line at the beginning of a day, or of one some days behind it.
func (c *Chart) mark(label string, t time.Time, behind int) {
	if t.IsZero() {
		return
	}
	at := c.day(dayOf(t)) + behind
	if at < 0 || at > c.Days {
		return
	}
	c.Lines = append(c.Lines, Line{label, percent(at, c.Days), 2*at < c.Days})
}

// area returns the path around an area: along its upper edge, and back along the lower one.
func (c *Chart) area(days []tracker.BurndownDay, lower, upper func(tracker.BurndownDay) int) string {
	var path strings.Builder
	begin := c.day(days[0].Day)
	fmt.Fprintf(&path, "M%d %d", begin, c.Top-lower(days[0]))
	for i, d := range days {
		if i == 0 || upper(d) != upper(days[i-1]) {
			fmt.Fprintf(&path, "V%d", c.Top-upper(d))
		}
		if i == len(days)-1 || upper(d) != upper(days[i+1]) {
			fmt.Fprintf(&path, "H%d", begin+i+1)
		}
	}
	for i := len(days) - 1; i >= 0; i-- {
		if i == len(days)-1 || lower(days[i]) != lower(days[i+1]) {
			fmt.Fprintf(&path, "V%d", c.Top-lower(days[i]))
		}
		if i == 0 || lower(days[i]) != lower(days[i-1]) {
			fmt.Fprintf(&path, "H%d", begin+i)
		}
	}
	return path.String() + "z"
}

// tickStep returns the round distance between the ticks of an axis: 1, 2 or 5, and these
// with zeros.
func tickStep(most int) int {
	for step := 1; ; step *= 10 {
		for _, s := range []int{step, 2 * step, 5 * step} {
			if (most+s-1)/s <= mostTicks {
				return s
			}
		}
	}
}

// percent returns a part of a whole as a length of SVG.
func percent(part, whole int) string {
	return strings.TrimSuffix(strings.TrimRight(fmt.Sprintf("%.2f", 100*float64(part)/float64(whole)), "0"), ".") + "%"
}
