package eval

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/problemtracking/problems/domain/predicate"
)

func aggregate(t *testing.T, f predicate.AggregateFunc, members []predicate.Value) predicate.Value {
	t.Helper()
	all := tally{f: f}
	for _, m := range members {
		if err := all.add(m); err != nil {
			t.Fatal(err)
		}
	}
	return all.value()
}

func TestAggregate(t *testing.T) {
	t.Parallel()
	i := func(n int) predicate.Value { return int64(n) }
	day := func(n int) predicate.Value { return time.Date(2024, 1, n, 0, 0, 0, 0, time.UTC) }
	for _, c := range []struct {
		f       predicate.AggregateFunc
		members []predicate.Value
		want    predicate.Value
	}{
		{predicate.Count, on(), i(0)},
		{predicate.Count, on(nil, i(1), nil), i(3)},
		{predicate.Count, on("a", "a"), i(2)},
		{predicate.Sum, on(), i(0)},
		{predicate.Sum, on(nil), i(0)},
		{predicate.Sum, on(i(1), nil, i(2)), i(3)},
		{predicate.Sum, on(i(1), 0.5), 1.5},
		{predicate.Sum, on(most, i(1)), nil},
		{predicate.Sum, on(most, i(1), i(-1)), most},
		{predicate.Sum, on(least, least, most, most, i(2)), i(0)},
		{predicate.Sum, on(math.MaxFloat64, math.MaxFloat64), nil},
		{predicate.Sum, on(1e100, 1.0, -1e100), 1.0},
		{predicate.Average, on(), nil},
		{predicate.Average, on(nil, nil), nil},
		{predicate.Average, on(i(1), i(2), nil), 1.5},
		{predicate.Average, on(most, most), float64(most)},
		{predicate.Average, on(0.5, i(1)), 0.75},
		{predicate.Min, on(), nil},
		{predicate.Min, on(nil, i(2), i(1)), i(1)},
		{predicate.Min, on(i(2), 1.5), 1.5},
		{predicate.Min, on(day(2), nil, day(1)), day(1)},
		{predicate.Max, on(nil), nil},
		{predicate.Max, on(nil, i(1), i(2)), i(2)},
		{predicate.Max, on(int64(1<<53+1), float64(1<<53)), int64(1<<53 + 1)},
		{predicate.Max, on(day(1), day(3), day(2)), day(3)},
	} {
		if got := aggregate(t, c.f, c.members); !predicate.EqualValues(got, c.want) {
			t.Errorf("%s of %v is %v, want %v", c.f, c.members, got, c.want)
		}
	}
}

// TestAggregateIgnoresOrder: collections have no order, so the order of an adapter
// must not show.
func TestAggregateIgnoresOrder(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(3, 3))
	for range 500 {
		members := make([]predicate.Value, random.IntN(10))
		for i := range members {
			switch random.IntN(3) {
			case 0:
				members[i] = random.Int64() - math.MaxInt64/2
			case 1:
				members[i] = random.NormFloat64() * math.Pow(10, float64(random.IntN(40)-20))
			}
		}
		for _, f := range []predicate.AggregateFunc{predicate.Count, predicate.Sum, predicate.Average, predicate.Min, predicate.Max} {
			want := aggregate(t, f, members)
			random.Shuffle(len(members), func(i, j int) { members[i], members[j] = members[j], members[i] })
			if got := aggregate(t, f, members); !predicate.EqualValues(got, want) {
				t.Fatalf("%s of %v is %v, and %v in another order", f, members, got, want)
			}
		}
	}
}
