package tracker

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/patch"
	"github.com/problemtracking/problems/domain/tracker/admin"
	"github.com/problemtracking/problems/domain/tracker/internal/kit"
)

func TestBurndownDays(t *testing.T) {
	t.Parallel()
	day := time.Date(2026, 3, 14, 0, 0, 0, 0, time.UTC)
	at := func(days, hours int) time.Time { return day.AddDate(0, 0, days).Add(time.Duration(hours) * time.Hour) }
	lives := [][]stay{
		{{at(0, 9), true, false}, {at(2, 9), true, true}},
		{{at(0, 10), false, false}, {at(1, 1), true, false}, {at(3, 1), false, false}},
		{{at(1, 2), true, false}, {at(1, 3), true, true}, {at(1, 4), true, false}},
		{{at(0, 1), false, true}},
	}
	kit.Equal(t, "days", burndown(lives, at(4, 0)), []BurndownDay{{at(0, 0), 1, 0}, {at(1, 0), 3, 0}, {at(2, 0), 2, 1}, {at(3, 0), 1, 1}, {at(4, 0), 1, 1}})
	kit.Equal(t, "days of nothing", burndown(nil, at(4, 0)), []BurndownDay(nil))
}

// The numbers of each day are those of a count of all problems at its end.
func TestBurndownCounts(t *testing.T) {
	t.Parallel()
	start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for seed := range uint64(100) {
		random := rand.New(rand.NewPCG(seed, 4))
		var lives [][]stay
		for range random.IntN(12) {
			var life []stay
			at := start
			for range 1 + random.IntN(6) {
				at = at.Add(time.Duration(1+random.IntN(60)) * time.Hour)
				life = append(life, stay{at, random.IntN(2) == 0, random.IntN(2) == 0})
			}
			lives = append(lives, life)
		}
		now := start.AddDate(0, 0, 20)
		for _, d := range burndown(lives, now) {
			want := BurndownDay{Day: d.Day}
			for _, life := range lives {
				var last stay
				for _, s := range life {
					if s.at.Before(d.Day.AddDate(0, 0, 1)) {
						last = s
					}
				}
				want.Open += count(last.in && !last.resolved)
				want.Resolved += count(last.in && last.resolved)
			}
			if d != want {
				t.Fatalf("seed %d: %+v, want %+v", seed, d, want)
			}
		}
	}
}

func TestBurndown(t *testing.T) {
	t.Parallel()
	s := newService(t)
	spring, err := s.Milestones().Create(t.Context(), s.admin, admin.CreateObject[admin.MilestonePatch]{Patch: admin.MilestonePatch{Name: patch.Set("Spring")}})
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		if _, err := s.CreateProblem(t.Context(), s.admin, CreateProblem{ProblemPatch: ProblemPatch{Title: patch.Set("A problem"), Milestone: patch.Set(kit.Identified(spring.Value.ID))}}); err != nil {
			t.Fatal(err)
		}
	}
	first := s.clock.Now()
	s.clock.Forward(24 * time.Hour)
	if _, err := s.UpdateProblem(t.Context(), s.admin, 1, UpdateProblem{ProblemPatch: ProblemPatch{State: kit.Partial(kit.Object{"name": "Closed"})}}); err != nil {
		t.Fatal(err)
	}
	if _, err := s.UpdateProblem(t.Context(), s.admin, 2, UpdateProblem{ProblemPatch: ProblemPatch{Milestone: patch.Null[metadata.Partial]()}}); err != nil {
		t.Fatal(err)
	}
	a, err := s.As(s.admin).Burndown(t.Context(), spring.Value.ID)
	if err != nil {
		t.Fatal(err)
	}
	day := first.UTC().Truncate(24 * time.Hour)
	kit.Equal(t, "days", a.Value.Days, []BurndownDay{{day, 3, 0}, {day.AddDate(0, 0, 1), 1, 1}})
	kit.Equal(t, "milestone", a.Value.Milestone, spring.Value)
	if a.Value.More || a.Value.LeftOut > 0 {
		t.Errorf("something was left out: %+v", a.Value)
	}
	if _, err := s.As(s.admin).Burndown(t.Context(), ident.ID{1}); !fault.Is(err, fault.NotFound) {
		t.Errorf("an unknown milestone: %v", err)
	}
}
