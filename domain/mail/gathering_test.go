package mail

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/problemtracking/problems/domain/audit"
	"github.com/problemtracking/problems/domain/event"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/problem"
)

var (
	noon     = time.Date(2026, 3, 14, 12, 0, 0, 0, time.UTC)
	ann, bob = ident.ID{1}, ident.ID{2}
	cy       = ident.ID{3}
)

func cursor(n int64) event.Cursor { return event.Cursor{Number: n, Index: 1, Batch: ident.ID{byte(n)}} }

func changed(id problem.ID, revision int64, lines ...event.Line) event.Event {
	if len(lines) == 0 {
		lines = []event.Line{{Type: string(problem.CommentAdded), Field: "comments"}}
	}
	return event.Event{Type: event.ProblemChanged, Problem: id, Revision: revision, Lines: lines}
}

// told returns the groups as "problem:from-through".
func told(groups []Group) (all []string) {
	for _, g := range groups {
		all = append(all, fmt.Sprintf("%d:%d-%d", g.Problem, g.From, g.Through))
	}
	return all
}

func TestGathersUntilQuiet(t *testing.T) {
	t.Parallel()
	g := NewGathering(State{}, Quiet)
	add := func(n int64, id problem.ID, revision int64, after time.Duration) {
		at := noon.Add(after)
		g.Add(cursor(n), changed(id, revision), ann, at, at)
	}
	add(1, 7, 1, 0)
	add(2, 8, 4, time.Minute)
	add(3, 7, 2, 90*time.Second)
	for _, c := range []struct {
		after time.Duration
		want  string
	}{
		{2 * time.Minute, "[]"},
		{3*time.Minute - 1, "[]"},
		{3 * time.Minute, "[8:4-4]"},
		{3*time.Minute + 30*time.Second - 1, "[]"},
		{3*time.Minute + 30*time.Second, "[7:1-2]"},
		{time.Hour, "[]"},
	} {
		if got := fmt.Sprint(told(g.Complete(noon.Add(c.after), 1<<20))); got != c.want {
			t.Errorf("after %s the complete groups are %s, want %s", c.after, got, c.want)
		}
	}
}

// A problem that never becomes quiet is told of all the same.
func TestGathersNoLongerThanAQuarterOfAnHour(t *testing.T) {
	t.Parallel()
	g := NewGathering(State{}, Quiet)
	var got []string
	for i := range int64(31) {
		at := noon.Add(time.Duration(i) * time.Minute)
		g.Add(cursor(i+1), changed(7, i+1), ann, at, at)
		got = append(got, told(g.Complete(at, 1<<20))...)
	}
	if want := []string{"7:1-16"}; !slices.Equal(got, want) {
		t.Errorf("the groups are %v, want %v", got, want)
	}
}

func TestAddsWhatCounts(t *testing.T) {
	t.Parallel()
	watcher := event.Line{Type: string(problem.WatcherAdded), Field: "watchers"}
	comment := event.Line{Type: string(problem.CommentAdded), Field: "comments"}
	for name, c := range map[string]struct {
		event event.Event
		open  int
	}{
		"a comment":             {changed(7, 2), 1},
		"a watcher":             {changed(7, 2, watcher), 0},
		"a watcher and comment": {changed(7, 2, watcher, comment), 1},
		"administration":        {event.Event{Kind: audit.User, Lines: []event.Line{{Type: string(audit.Changed)}}}, 0},
		"already in a mail":     {changed(9, 4), 0},
		"after one in a mail":   {changed(9, 5), 1},
	} {
		g := NewGathering(State{Ahead: map[problem.ID]Mark{9: {Through: 4, Number: 3}}}, Quiet)
		g.Add(cursor(1), c.event, ann, noon, noon)
		if n, _ := g.Open(); n != c.open {
			t.Errorf("%s: %d groups, want %d", name, n, c.open)
		}
		if position, _ := g.Position(); c.open == 0 && position != cursor(1) || c.open == 1 && position != event.Start {
			t.Errorf("%s: the position is %v", name, position)
		}
	}
}

// The time of an event comes from the clock of another server.
func TestGatheringWithOtherClocks(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		at   time.Time
		wait time.Duration
	}{
		"now":            {noon, Quiet},
		"a minute ago":   {noon.Add(-time.Minute), time.Minute},
		"an hour ago":    {noon.Add(-time.Hour), 0},
		"in the future":  {noon.Add(time.Hour), Quiet},
		"no time at all": {time.Time{}, 0},
	} {
		g := NewGathering(State{}, Quiet)
		g.Add(cursor(1), changed(7, 1), ann, c.at, noon)
		if wait, ok := g.Due(noon); !ok || wait != c.wait {
			t.Errorf("%s: the group is complete after %s, want %s", name, wait, c.wait)
		}
	}
}

func TestGatheringIsBounded(t *testing.T) {
	t.Parallel()
	g := NewGathering(State{}, Quiet)
	for i := range int64(mostOpen + 3) {
		g.Add(cursor(i+1), changed(problem.ID(i+1), 1), ann, noon, noon)
	}
	if got := told(g.Complete(noon, 1<<20)); !slices.Equal(got, []string{"1:1-1", "2:1-1", "3:1-1"}) {
		t.Errorf("complete early: %v, want the three oldest", got)
	}
	if n, _ := g.Open(); n != mostOpen {
		t.Errorf("%d groups are open, want %d", n, mostOpen)
	}
}

// Whenever a server dies, the next one tells of each change: once, if the groups were
// stored as they became complete.
func TestGatheringGoesOnElsewhere(t *testing.T) {
	t.Parallel()
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 1))
		revisions := make(map[problem.ID]int64)
		type published struct {
			cursor event.Cursor
			event  event.Event
			at     time.Time
		}
		var feed []published
		now := noon
		for n := int64(1); n <= 60; n++ {
			now = now.Add(time.Duration(r.IntN(120)) * time.Second)
			for i := range 1 + r.IntN(3) { // a Change of several problems
				id := problem.ID(1 + (n*3+int64(i)*7+int64(r.IntN(3)))%9)
				revisions[id]++
				feed = append(feed, published{event.Cursor{Number: n, Index: i + 1, Batch: ident.ID{byte(n)}}, changed(id, revisions[id]), now})
			}
		}
		times := make(map[string]int)
		saved := State{}.Encode()
		next := 0
		g := NewGathering(State{}, Quiet)
		take := func(at time.Time) {
			for _, group := range g.Complete(at, 1<<20) {
				for revision := group.From; revision <= group.Through; revision++ {
					times[fmt.Sprint(group.Problem, "/", revision)]++
				}
			}
			var s State
			s.Cursor, s.Ahead = g.Position()
			saved = s.Encode()
		}
		for next < len(feed) {
			g.Add(feed[next].cursor, feed[next].event, ann, feed[next].at, feed[next].at)
			at := feed[next].at
			next++
			if r.IntN(4) == 0 {
				take(at)
			}
			if r.IntN(10) == 0 { // kill -9
				s, err := ParseState(saved)
				if err != nil {
					t.Fatal(err)
				}
				g = NewGathering(s, Quiet)
				next = 1 + slices.IndexFunc(feed, func(p published) bool { return p.cursor == s.Cursor })
			}
		}
		take(now.Add(time.Hour))
		for _, p := range feed {
			if n := times[fmt.Sprint(p.event.Problem, "/", p.event.Revision)]; n != 1 {
				t.Fatalf("seed %d: revision %d of problem %d is told %d times", seed, p.event.Revision, p.event.Problem, n)
			}
		}
		if s, err := ParseState(saved); err != nil || s.Cursor != feed[len(feed)-1].cursor || len(s.Ahead) != 0 {
			t.Fatalf("seed %d: the last state is %s, %v", seed, saved, err)
		}
	}
}

// The complete Groups can be taken in portions. The position stays in front of the others.
func TestCompleteInPortions(t *testing.T) {
	t.Parallel()
	g := NewGathering(State{}, Quiet)
	for i := range 5 {
		g.Add(cursor(int64(i+1)), changed(problem.ID(i+1), 1), ann, noon, noon)
	}
	at, taken := noon.Add(Quiet), 0
	for _, want := range []int{2, 2, 1, 0} {
		all := g.Complete(at, 2)
		if len(all) != want {
			t.Fatalf("%d groups, want %d", len(all), want)
		}
		taken += want
		if c, _ := g.Position(); c.Number != int64(taken) {
			t.Errorf("after %d groups the position is %v", taken, c)
		}
	}
}
