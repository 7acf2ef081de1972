package predicate

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"
)

func aggregate(t *testing.T, f AggregateFunc, members []Value) Value {
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
	i := func(n int) Value { return int64(n) }
	day := func(n int) Value { return time.Date(2024, 1, n, 0, 0, 0, 0, time.UTC) }
	for _, c := range []struct {
		f       AggregateFunc
		members []Value
		want    Value
	}{
		{Count, on(), i(0)},
		{Count, on(nil, i(1), nil), i(3)},
		{Count, on("a", "a"), i(2)},
		{Sum, on(), i(0)},
		{Sum, on(nil), i(0)},
		{Sum, on(i(1), nil, i(2)), i(3)},
		{Sum, on(i(1), 0.5), 1.5},
		{Sum, on(most, i(1)), nil},
		{Sum, on(most, i(1), i(-1)), most},
		{Sum, on(least, least, most, most, i(2)), i(0)},
		{Sum, on(math.MaxFloat64, math.MaxFloat64), nil},
		{Sum, on(1e100, 1.0, -1e100), 1.0},
		{Average, on(), nil},
		{Average, on(nil, nil), nil},
		{Average, on(i(1), i(2), nil), 1.5},
		{Average, on(most, most), float64(most)},
		{Average, on(0.5, i(1)), 0.75},
		{Min, on(), nil},
		{Min, on(nil, i(2), i(1)), i(1)},
		{Min, on(i(2), 1.5), 1.5},
		{Min, on(day(2), nil, day(1)), day(1)},
		{Max, on(nil), nil},
		{Max, on(nil, i(1), i(2)), i(2)},
		{Max, on(int64(1<<53+1), float64(1<<53)), int64(1<<53 + 1)},
		{Max, on(day(1), day(3), day(2)), day(3)},
	} {
		if got := aggregate(t, c.f, c.members); !equal(got, c.want) {
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
		members := make([]Value, random.IntN(10))
		for i := range members {
			switch random.IntN(3) {
			case 0:
				members[i] = random.Int64() - math.MaxInt64/2
			case 1:
				members[i] = random.NormFloat64() * math.Pow(10, float64(random.IntN(40)-20))
			}
		}
		for _, f := range []AggregateFunc{Count, Sum, Average, Min, Max} {
			want := aggregate(t, f, members)
			random.Shuffle(len(members), func(i, j int) { members[i], members[j] = members[j], members[i] })
			if got := aggregate(t, f, members); !equal(got, want) {
				t.Fatalf("%s of %v is %v, and %v in another order", f, members, got, want)
			}
		}
	}
}
