package chart

import (
	"slices"
	"testing"
	"time"

	"github.com/problemtracking/problems/domain/tracker"
)

func TestChart(t *testing.T) {
	t.Parallel()
	day := time.Date(2026, 3, 14, 0, 0, 0, 0, time.UTC)
	days := []tracker.BurndownDay{{Day: day, Open: 2}, {Day: day.AddDate(0, 0, 1), Open: 2}, {Day: day.AddDate(0, 0, 2), Open: 1, Resolved: 1}}
	c := New(days, time.Time{}, time.Time{})
	// The axis begins at the bottom: 2 problems are at 0, and none at 2.
	if c.Days != 3 || c.Top != 2 || c.Open != "M0 2V0H3V1H2V2H0z" || c.Resolved != "M0 2V2H2V1H3V2H0z" {
		t.Errorf("the chart is %+v", c)
	}
	if want := []Tick{{"100%", 0}, {"50%", 1}, {"0%", 2}}; !slices.Equal(c.Ticks, want) {
		t.Errorf("the ticks are %v, want %v", c.Ticks, want)
	}
	if want := []Line{{"milestone.today", "100%", false}}; !slices.Equal(c.Lines, want) {
		t.Errorf("the lines are %v, want %v", c.Lines, want)
	}
	// From the start to the end of the milestone, with their days.
	c = New(days, day.AddDate(0, 0, -2), day.AddDate(0, 0, 7))
	if c.Days != 10 || c.Open != "M2 2V0H5V1H4V2H2z" || !c.From.Equal(day.AddDate(0, 0, -2)) || !c.To.Equal(day.AddDate(0, 0, 7)) {
		t.Errorf("the chart of a span is %+v", c)
	}
	if want := []Line{{"kind.start", "0%", true}, {"milestone.today", "50%", false}, {"kind.end", "100%", false}}; !slices.Equal(c.Lines, want) {
		t.Errorf("the lines are %v, want %v", c.Lines, want)
	}
	// An end in the past is a line as well.
	c = New(days, time.Time{}, day)
	if want := (Line{"kind.end", "33.33%", true}); !slices.Contains(c.Lines, want) {
		t.Errorf("the lines are %v, want one %v", c.Lines, want)
	}
	if empty := New(nil, day, day); empty.Open != "" {
		t.Errorf("no days have the area %s", empty.Open)
	}
}

// The ticks of an axis are few, at round numbers, and cover all of it.
func TestTickStep(t *testing.T) {
	t.Parallel()
	for most, want := range map[int]int{1: 1, 5: 1, 6: 2, 10: 2, 11: 5, 12: 5, 25: 5, 26: 10, 73: 20, 1000: 200, 1001: 500} {
		if got := tickStep(most); got != want {
			t.Errorf("an axis to %d has the step %d, want %d", most, got, want)
		}
	}
}
