package mail

import (
	"maps"
	"slices"
	"time"

	"github.com/problemtracking/problems/domain/event"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/problem"
)

// The times and bounds of gathering.
const (
	// Quiet is the usual time without a change after which a Group is complete.
	Quiet = 2 * time.Minute
	// Longest is the longest time from the first change of a Group to its end.
	Longest = 15 * time.Minute
	// mostOpen bounds the Groups at one time, and the marks of State.Ahead. Beyond it the
	// oldest Groups are complete early.
	mostOpen = 10_000
)

// Group is the changes of one problem for one mail.
type Group struct {
	Problem problem.ID
	// From and Through are the revisions of the first and the last change.
	From, Through int64
	// Authors are the authors of the changes: at most two, since a third changes nothing.
	Authors []ident.ID
	// Named are people beside those of the problem: former assignees, and those whom a comment
	// names (D54).
	Named []ident.ID
	// Tries are the failed attempts to read the problem. They count as deferrals.
	Tries

	before        event.Cursor // in front of the first change
	end           event.Cursor // behind the last one
	first, latest time.Time
}

// Since returns the time of the first change.
func (g Group) Since() time.Time { return g.first }

// Wait returns the time until the next attempt to read the problem.
func (g Group) Wait(now time.Time) time.Duration { return g.wait(now) }

// Resumed returns a stored group with its time of the next attempt by the clock of now.
func (g Group) Resumed(now time.Time) Group {
	g.Tries = g.resumed(now)
	return g
}

// Failed returns the group after a failed attempt to read its problem. ok is false after the
// last one.
func (g Group) Failed(now time.Time) (next Group, ok bool) {
	g.Tries, ok = g.after(false, now)
	return g, ok
}

// Mark says that a problem is in mails up to a revision.
type Mark struct {
	Through int64 // the revision
	// Number and Index are the place of that revision in the feed.
	Number int64
	Index  int
}

// Gathering reads the feed and holds the incomplete Groups.
type Gathering struct {
	open  map[problem.ID]*Group
	ahead map[problem.ID]Mark
	read  event.Cursor // all events up to it were added
	quiet time.Duration
}

// NewGathering goes on where a State ends. quiet is the time without a change after which a
// Group is complete, such as Quiet.
func NewGathering(s State, quiet time.Duration) *Gathering {
	g := &Gathering{quiet: quiet, open: make(map[problem.ID]*Group), ahead: maps.Clone(s.Ahead), read: s.Cursor}
	if g.ahead == nil {
		g.ahead = make(map[problem.ID]Mark)
	}
	return g
}

// Add adds the next event of the feed, at the given moment. An event already in a
// mail changes nothing, and neither does one about watchers alone.
func (g *Gathering) Add(c event.Cursor, e event.Event, author ident.ID, at, now time.Time) {
	before := g.read
	g.read = c
	if e.Admin() || !significant(e) || e.Revision <= g.ahead[e.Problem].Through {
		return
	}
	// The clocks of servers differ. The age keeps the monotonic reading of now.
	seen := now.Add(-max(0, now.Sub(at)))
	group := g.open[e.Problem]
	if group == nil {
		group = &Group{Problem: e.Problem, From: e.Revision, before: before, first: seen, latest: seen}
		g.open[e.Problem] = group
	}
	group.Through, group.end = e.Revision, c
	if seen.After(group.latest) {
		group.latest = seen
	}
	if len(group.Authors) < 2 && !slices.Contains(group.Authors, author) {
		group.Authors = append(group.Authors, author)
	}
	for _, l := range e.Lines {
		var who problem.LogValue
		switch {
		case l.Type == string(problem.FieldChanged) && l.Field == "assignee":
			who = l.From
		case l.Type == string(problem.WatcherAdded): // beside a comment, which is significant
			who = l.To
		}
		if id, ok := who.Ref(); ok && !id.IsNone() && !slices.Contains(group.Named, id) {
			group.Named = append(group.Named, id)
		}
	}
}

func significant(e event.Event) bool {
	return slices.ContainsFunc(e.Lines, func(l event.Line) bool { return problem.LogType(l.Type).Significant() })
}

// Skip moves on behind events without a use for Add.
func (g *Gathering) Skip(c event.Cursor) { g.read = c }

// Complete takes the complete Groups, the oldest ones first, and at most most of them.
func (g *Gathering) Complete(now time.Time, most int) []Group {
	all := slices.SortedFunc(maps.Values(g.open), func(a, b *Group) int { return a.before.Compare(b.before) })
	early := max(len(g.open), len(g.ahead)) - mostOpen
	var complete []Group
	for i, group := range all {
		if len(complete) == most {
			break
		}
		if i >= early && now.Sub(group.latest) < g.quiet && now.Sub(group.first) < Longest {
			continue
		}
		delete(g.open, group.Problem)
		g.ahead[group.Problem] = Mark{group.Through, group.end.Number, group.end.Index}
		complete = append(complete, *group)
	}
	return complete
}

// Reopen takes back the groups of Complete, before anything else was added.
func (g *Gathering) Reopen(groups []Group) {
	for _, group := range groups {
		g.ahead[group.Problem] = Mark{group.From - 1, group.before.Number, group.before.Index}
		g.open[group.Problem] = &group
	}
}

// Due returns the time until the next Group is complete. ok is false when there is none.
func (g *Gathering) Due(now time.Time) (wait time.Duration, ok bool) {
	for _, group := range g.open {
		own := max(0, min(g.quiet-now.Sub(group.latest), Longest-now.Sub(group.first)))
		if !ok || own < wait {
			wait, ok = own, true
		}
	}
	return wait, ok
}

// Open returns the number of Groups, and the time of the oldest change in them.
func (g *Gathering) Open() (n int, oldest time.Time) {
	for _, group := range g.open {
		if oldest.IsZero() || group.first.Before(oldest) {
			oldest = group.first
		}
	}
	return len(g.open), oldest
}

// Position returns the Cursor and the Ahead of a State: another server reads the events of
// the open Groups again.
func (g *Gathering) Position() (event.Cursor, map[problem.ID]Mark) {
	c := g.read
	for _, group := range g.open {
		if group.before.Compare(c) < 0 {
			c = group.before
		}
	}
	maps.DeleteFunc(g.ahead, func(_ problem.ID, m Mark) bool {
		return event.Cursor{Number: m.Number, Index: m.Index}.Compare(c) <= 0
	})
	return c, maps.Clone(g.ahead)
}
