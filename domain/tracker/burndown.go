package tracker

import (
	"context"
	"slices"
	"time"

	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/patch"
	"github.com/problemtracking/problems/domain/snapshot"
)

// Burndown is the history of a milestone: its open and resolved problems at the end of
// each day.
type Burndown struct {
	Milestone metadata.Milestone
	// Days are the days from the first change of a number to today, in UTC.
	Days []BurndownDay
	// LeftOut is the number of problems too large to look at.
	LeftOut int
	// More is true when the milestone has had more than MostOnPage problems.
	More bool
}

// BurndownDay is the end of a day, or this moment for today.
type BurndownDay struct {
	Day            time.Time // its beginning
	Open, Resolved int
}

// Burndown returns the history of a milestone, by the savepoints of all problems ever in it.
// It fails with fault.NotFound, and as Search does.
func (as Reader) Burndown(ctx context.Context, id ident.ID) (a Answer[Burndown], err error) {
	c, err := as.s.core.Catalogue(ctx)
	if err != nil {
		return a, err
	}
	m, ok := c.Milestone(id)
	if !ok {
		return a, fault.New(fault.NotFound, "there is no milestone with this identifier")
	}
	found, err := as.Search(ctx, SearchProblems{
		Search: Search{Predicate: patch.Set("ANY history.milestone.identifier = '" + id.String() + "'"), Limit: patch.Set(int64(MostOnPage))},
		Parts:  snapshot.Savepoints,
	})
	if err != nil {
		return a, err
	}
	a = Answer[Burndown]{Value: Burndown{Milestone: m, More: found.Next != nil}, Catalogue: c}
	var lives [][]stay
	take := func(some Answer[[]snapshot.Snapshot]) {
		for _, p := range some.Value {
			if p.Size > snapshot.Small {
				a.Value.LeftOut++
				continue
			}
			lives = append(lives, stays(p.Savepoints, id, some.Catalogue))
		}
	}
	take(found.First)
	if found.Rest != nil {
		for some, err := range found.Rest {
			if err != nil {
				return a, err
			}
			take(some)
		}
	}
	a.Value.Days = burndown(lives, as.s.core.Time())
	return a, nil
}

// stay is the state of a problem from a moment on: in the milestone or not, resolved or not.
type stay struct {
	at           time.Time
	in, resolved bool
}

// stays returns the states of a problem in a milestone over time, by its savepoints.
func stays(savepoints []snapshot.Savepoint, milestone ident.ID, c *metadata.Catalogue) (life []stay) {
	for _, p := range savepoints {
		state, _ := c.State(p.State)
		life = append(life, stay{p.Modified, p.Milestone == milestone, state.Resolved})
	}
	return life
}

// burndown counts the problems at the end of each day.
func burndown(lives [][]stay, now time.Time) (days []BurndownDay) {
	type step struct {
		day            time.Time
		open, resolved int // the differences
	}
	var steps []step
	for _, life := range lives {
		var before stay
		for _, s := range life {
			d := step{day: s.at.UTC().Truncate(24 * time.Hour)}
			d.open = count(s.in && !s.resolved) - count(before.in && !before.resolved)
			d.resolved = count(s.in && s.resolved) - count(before.in && before.resolved)
			if d.open != 0 || d.resolved != 0 {
				steps = append(steps, d)
			}
			before = s
		}
	}
	if len(steps) == 0 {
		return nil
	}
	slices.SortStableFunc(steps, func(a, b step) int { return a.day.Compare(b.day) })
	var current BurndownDay
	for day := steps[0].day; !day.After(now); day = day.AddDate(0, 0, 1) {
		for len(steps) > 0 && !steps[0].day.After(day) {
			current.Open += steps[0].open
			current.Resolved += steps[0].resolved
			steps = steps[1:]
		}
		current.Day = day
		days = append(days, current)
	}
	return days
}

func count(b bool) int {
	if b {
		return 1
	}
	return 0
}
