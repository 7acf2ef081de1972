package conformance

import (
	"fmt"

	"github.com/problemtracking/problems/conformance/harness"
	"github.com/problemtracking/problems/conformance/report"
)

// durability returns the highest level shown by the cases: all its cases, and all of
// lower levels, have passed.
func durability(h harness.Harness, cases []report.Case) *report.Durability {
	if h.Caps.Durable != harness.Yes {
		return &report.Durability{Reason: "declared not to be durable"}
	}
	level := make(map[string]int)
	for _, c := range Cases() {
		switch {
		case c.PowerCut:
			level[c.ID] = 2
		case c.Crash:
			level[c.ID] = 1
		case c.Durable && !c.Shared:
			level[c.ID] = 0
		default:
			level[c.ID] = -1
		}
	}
	shown, reason := 3, "" // the level without failed cases
	passed := make(map[int]int)
	for _, c := range cases {
		l := level[c.ID]
		switch {
		case l < 0:
		case c.Status == report.Passed:
			passed[l]++
		case l < shown:
			shown, reason = l, c.Reason
			if c.Status == report.Failed || c.Status == report.Broken {
				reason = "the case " + c.ID + " did not pass"
			}
		}
	}
	d := &report.Durability{Reason: reason}
	for l := 0; l < shown && passed[l] > 0; l++ {
		d.Level = fmt.Sprint("L", l)
	}
	return d
}
