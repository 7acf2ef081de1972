package predicate

import (
	"context"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/problemtracking/problems/domain/ident"
)

// TestCompareValues: each list is in the order of D31, from the first to the last.
func TestCompareValues(t *testing.T) {
	t.Parallel()
	at := time.Date(2020, 1, 2, 3, 4, 5, 6_000_000, time.UTC)
	for name, list := range map[string][]Value{
		"Bool":   {false, true, nil},
		"Int":    {int64(math.MinInt64), int64(-1), int64(0), int64(7), int64(math.MaxInt64), nil},
		"Float":  {-math.MaxFloat64, -0.5, 0.0, 0.5, math.MaxFloat64, nil},
		"String": {"", "A", "Z", "a", "aa", "é", "日", "\uFFFD", "🙂", nil},
		"UUID":   {ident.ID{}, ident.ID{15: 1}, ident.ID{0: 1}, ident.ID{0: 0xFF}, nil},
		"Date":   {at.AddDate(-1, 0, 0), at, at.Add(time.Millisecond), nil},
		"Int and Float": {-math.MaxFloat64, int64(math.MinInt64), int64(-2), -1.5, int64(-1), -0.5, int64(0), 0.5, int64(1),
			float64(1 << 53), int64(1<<53 + 1), float64(1<<53 + 2), int64(math.MaxInt64), float64(1 << 63), math.MaxFloat64, nil},
	} {
		for i, a := range list {
			for j, b := range list {
				want := 0
				switch {
				case i < j:
					want = -1
				case i > j:
					want = 1
				}
				if got := CompareValues(a, b); got != want {
					t.Errorf("%s: CompareValues(%v, %v) = %d, want %d", name, a, b, got, want)
				}
			}
		}
	}
}

func TestEqual(t *testing.T) {
	t.Parallel()
	at := time.Date(2020, 1, 2, 3, 4, 5, 0, time.UTC)
	a, b := object("a"), object("b")
	// The values of one row are equal to each other, and to no others.
	rows := [][]Value{
		{nil, nil},
		{false}, {true},
		{int64(0), 0.0, math.Copysign(0, -1)},
		{int64(1), 1.0},
		{int64(1 << 53), float64(1 << 53)},
		{int64(1<<53 + 1)},
		{int64(math.MaxInt64)}, {float64(1 << 63)},
		{int64(math.MinInt64), float64(-1 << 63)},
		{0.1}, {0.10000000000000002},
		{""}, {"a"}, {"A"}, {"é"}, {"e\u0301"},
		{ident.ID{}}, {ident.ID{1}},
		{at, at.In(time.FixedZone("", 3600))}, {at.Add(1)},
		{a, object("a")}, {b},
	}
	for i, alike := range rows {
		for _, x := range alike {
			for j, other := range rows {
				for _, y := range other {
					if got := EqualValues(x, y); got != (i == j) {
						t.Errorf("EqualValues(%v, %v) = %t", x, y, got)
					}
				}
			}
		}
	}
}

func TestCompareValuesSortsTotally(t *testing.T) {
	t.Parallel()
	values := []Value{0.5, nil, int64(1), 1.0, int64(-1), nil, math.MaxFloat64, int64(math.MaxInt64)}
	slices.SortFunc(values, CompareValues)
	want := []Value{int64(-1), 0.5, int64(1), 1.0, int64(math.MaxInt64), math.MaxFloat64, nil, nil}
	for i := range want {
		if CompareValues(values[i], want[i]) != 0 {
			t.Fatalf("sorted: %v, want %v", values, want)
		}
	}
}

// object is an Entry without keys; its text is its identity.
type object string

func (object) Get(context.Context, *Key) (Value, error) { return nil, nil }

func (o object) Identity() any { return string(o) }
