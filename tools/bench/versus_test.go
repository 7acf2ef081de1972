package main

import (
	"math"
	"slices"
	"testing"

	"github.com/problemtracking/problems/tools/bench/internal/load"
)

// The chance that the median lies outside of the values between is 2·(1+n)/2ⁿ with one
// value skipped at each end, and so on.
func TestInterval(t *testing.T) {
	t.Parallel()
	for n, want := range map[int][2]float64{
		1: {1, 1}, 5: {1, 5}, 6: {1, 6}, 8: {1, 8}, 9: {2, 8}, 11: {2, 10}, 12: {3, 10}, 15: {4, 12},
	} {
		values := make([]float64, n)
		for i := range values {
			values[i] = float64(n - i)
		}
		if low, high := interval(values); low != want[0] || high != want[1] {
			t.Errorf("of 1 to %d: %v to %v; want %v", n, low, high, want)
		}
	}
}

func TestSlowerBuildFailsTheRun(t *testing.T) {
	t.Parallel()
	mixes, err := load.ChooseMixes("load")
	if err != nil {
		t.Fatal(err)
	}
	of := func(kind string, rates ...int) cell {
		c := cell{Mix: "load", Connections: 8, Kind: kind}
		for _, rate := range rates {
			c.Rounds = append(c.Rounds, lasting(rate, 1))
		}
		c.sum()
		return c
	}
	for _, test := range []struct {
		rates []int // of this build, where the other has 1,000
		ratio float64
		slow  bool
	}{
		{[]int{800, 810, 820, 830, 840, 890}, .825, true},
		{[]int{800, 810, 820, 830, 840, 900}, .825, false},
		{[]int{1200, 1200, 1300, 1300, 1300, 1400}, 1.3, false},
	} {
		r := &report{Cells: []cell{of(onSQLite, test.rates...), of(otherKind(onSQLite), slices.Repeat([]int{1000}, 6)...), of(onPostgres, 1), of(otherKind(onPostgres), 0)}}
		r.Versus = r.compare(mixes[0], 8, []string{onSQLite, onPostgres})
		if len(r.Versus) != 1 || math.Abs(r.Versus[0].Ratio-test.ratio) > 1e-9 || (len(r.slower()) == 1) != test.slow {
			t.Errorf("%v: %+v, %v; want %v, slower: %t", test.rates, r.Versus, r.slower(), test.ratio, test.slow)
		}
	}
}
