package simulate

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/problemtracking/problems/domain/store"
)

// What is explained is short, names the seed and the rule, and still breaks it.
func TestExplain(t *testing.T) {
	t.Parallel()
	options := with(hooks{confirm: func(context.Context, store.Store) error { return nil }})
	lost := func(v Violation) bool { return v.Rule == Lost }
	seed, broken, _ := search(t, 1, within, options, lost)
	if seed == 0 {
		t.Fatalf("no seed of %d loses what was acknowledged", within)
	}
	plan := Draw(seed)
	short := Shrink(plan, broken.Rule, func(p Plan) []Violation { return run(t, p, options).Broken })
	if len(short.Ops) > len(plan.Ops)/2 || !slices.ContainsFunc(run(t, short, options).Broken, lost) {
		t.Errorf("%d operations are made %d:\n%v", len(plan.Ops), len(short.Ops), short)
	}
	text := explain(t, seed, broken, options)
	for _, part := range []string{"seed ", string(Lost), "the primary stores", "make simulate SEEDS="} {
		if !strings.Contains(text, part) {
			t.Errorf("%q is not in:\n%s", part, text)
		}
	}
}

// Seeds are given as a number of them, or as the first and the last.
func TestSeeds(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][2]uint64{"300": {1, 300}, "77..77": {77, 77}, "5..9": {5, 9}} {
		if first, last, err := seedsOf(text); err != nil || first != want[0] || last != want[1] {
			t.Errorf("seedsOf(%q) = %d, %d, %v; want %d", text, first, last, err, want)
		}
	}
	for _, text := range []string{"", "a", "1..b", "-1"} {
		if _, _, err := seedsOf(text); err == nil {
			t.Errorf("seedsOf(%q) is no error", text)
		}
	}
}
