package store

import (
	"slices"
	"testing"
)

func TestPortion(t *testing.T) {
	all := []int64{5, 1, 4, 9, 2}
	for _, c := range []struct {
		skip, limit int
		budget      int64
		want        []int64
	}{
		{0, 9, 100, all},
		{0, 2, 100, all[:2]},
		{0, 9, 1, all[:1]},
		{0, 9, 5, all[:1]},
		{0, 9, 6, all[:2]},
		{0, 9, 7, all[:3]},
		{1, 9, 5, all[1:3]},
		{3, 1, 5, all[3:4]},
		{4, 9, 5, all[4:]},
		{5, 9, 5, nil},
		{9, 9, 5, nil},
	} {
		got := Portion(all, c.skip, c.limit, c.budget, func(n *int64) int64 { return *n })
		if !slices.Equal(got, c.want) {
			t.Errorf("at most %d after %d, until they reach %d: %v, want %v", c.limit, c.skip, c.budget, got, c.want)
		}
	}
}
