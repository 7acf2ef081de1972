package eval

import (
	"math"
	"testing"
	"time"

	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/predicate"
	"github.com/problemtracking/problems/domain/predicate/internal/predicatetest"
)

const (
	most  = int64(math.MaxInt64)
	least = int64(math.MinInt64)
)

type application struct {
	f    predicate.Func
	args []predicate.Value
	want predicate.Value
}

func checkApply(t *testing.T, applications []application) {
	t.Helper()
	for _, a := range applications {
		got := Apply(a.f, a.args)
		same := predicate.EqualValues(got, a.want)
		switch a.want.(type) {
		case int64:
			_, ok := got.(int64)
			same = same && ok
		case float64:
			_, ok := got.(float64)
			same = same && ok
		}
		if !same {
			t.Errorf("Apply(%s, %v) = %v (%T), want %v (%T)", a.f, a.args, got, got, a.want, a.want)
		}
	}
}

func on(args ...predicate.Value) []predicate.Value { return args }

func TestArithmetic(t *testing.T) {
	t.Parallel()
	i := func(n int) predicate.Value { return int64(n) }
	checkApply(t, []application{
		{predicate.Add, on(i(2), i(3)), i(5)},
		{predicate.Add, on(i(2), 0.5), 2.5},
		{predicate.Add, on(0.5, i(2)), 2.5},
		{predicate.Add, on(most, i(0)), most},
		{predicate.Add, on(most, i(1)), nil},
		{predicate.Add, on(least, i(-1)), nil},
		{predicate.Add, on(most, least), i(-1)},
		{predicate.Add, on(math.MaxFloat64, math.MaxFloat64), nil},
		{predicate.Subtract, on(i(2), i(3)), i(-1)},
		{predicate.Subtract, on(i(2), 0.5), 1.5},
		{predicate.Subtract, on(least, i(1)), nil},
		{predicate.Subtract, on(i(0), least), nil},
		{predicate.Subtract, on(i(-1), least), most},
		{predicate.Multiply, on(i(-2), i(3)), i(-6)},
		{predicate.Multiply, on(i(2), 1.5), 3.0},
		{predicate.Multiply, on(i(0), least), i(0)},
		{predicate.Multiply, on(least, i(1)), least},
		{predicate.Multiply, on(least, i(-1)), nil},
		{predicate.Multiply, on(i(-1), least), nil},
		{predicate.Multiply, on(int64(1<<32), int64(1<<31)), nil},
		{predicate.Multiply, on(most, i(2)), nil},
		{predicate.Multiply, on(1e300, 1e300), nil},
		{predicate.Divide, on(i(7), i(2)), i(3)},
		{predicate.Divide, on(i(-7), i(2)), i(-3)},
		{predicate.Divide, on(i(7), i(-2)), i(-3)},
		{predicate.Divide, on(i(7), 2.0), 3.5},
		{predicate.Divide, on(i(1), i(0)), nil},
		{predicate.Divide, on(i(1), 0.0), nil},
		{predicate.Divide, on(0.0, 0.0), nil},
		{predicate.Divide, on(least, i(-1)), nil},
		{predicate.Modulus, on(i(7), i(3)), i(1)},
		{predicate.Modulus, on(i(-7), i(3)), i(-1)},
		{predicate.Modulus, on(i(7), i(-3)), i(1)},
		{predicate.Modulus, on(i(7), i(0)), nil},
		{predicate.Modulus, on(least, i(-1)), i(0)},
		{predicate.Modulus, on(7.5, i(2)), 1.5},
		{predicate.Modulus, on(7.5, 0.0), nil},
		{predicate.Power, on(i(2), i(10)), 1024.0},
		{predicate.Power, on(i(2), i(-1)), 0.5},
		{predicate.Power, on(i(0), i(-1)), nil},
		{predicate.Power, on(i(-8), 0.5), nil},
		{predicate.Power, on(i(10), i(400)), nil},
		{predicate.Power, on(i(0), i(0)), 1.0},
		{predicate.Negate, on(i(5)), i(-5)},
		{predicate.Negate, on(-2.5), 2.5},
		{predicate.Negate, on(most), -most},
		{predicate.Negate, on(least), nil},
	})
}

func TestFunctions(t *testing.T) {
	t.Parallel()
	i := func(n int) predicate.Value { return int64(n) }
	checkApply(t, []application{
		{predicate.Abs, on(i(-5)), i(5)},
		{predicate.Abs, on(-2.5), 2.5},
		{predicate.Abs, on(least), nil},
		{predicate.Floor, on(-2.5), -3.0},
		{predicate.Ceiling, on(-2.5), -2.0},
		{predicate.Trunc, on(-2.5), -2.0},
		{predicate.Floor, on(i(3)), i(3)},
		{predicate.Ceiling, on(most), most},
		{predicate.Trunc, on(i(-3)), i(-3)},
		{predicate.Sqrt, on(i(9)), 3.0},
		{predicate.Sqrt, on(i(-1)), nil},
		{predicate.Ln, on(i(1)), 0.0},
		{predicate.Ln, on(i(0)), nil},
		{predicate.Ln, on(-1.0), nil},
		{predicate.Log10, on(i(1000)), 3.0},
		{predicate.Log10, on(0.0), nil},
		{predicate.Exp, on(i(0)), 1.0},
		{predicate.Exp, on(1e6), nil},
		{predicate.Length, on(""), i(0)},
		{predicate.Length, on("é🙂"), i(2)},
		{predicate.Length, on("e\u0301"), i(2)},
		{predicate.Lowercase, on("ÀB"), "àb"},
		{predicate.Uppercase, on("àb"), "ÀB"},
		{predicate.Uppercase, on("ß"), "ß"}, // one character for one
	})
}

// TestApplyNil: nil in, nil out. Arguments of the wrong type give nil too.
func TestApplyNil(t *testing.T) {
	t.Parallel()
	one := []predicate.Func{predicate.Negate, predicate.Abs, predicate.Floor, predicate.Ceiling, predicate.Trunc, predicate.Sqrt, predicate.Ln, predicate.Log10, predicate.Exp, predicate.Length, predicate.Lowercase, predicate.Uppercase, predicate.ToDate, predicate.ToNumber, predicate.ToString}
	two := []predicate.Func{predicate.Add, predicate.Subtract, predicate.Multiply, predicate.Divide, predicate.Power, predicate.Modulus, predicate.AddSeconds, predicate.AddMinutes, predicate.AddHours, predicate.AddDays, predicate.AddMonths, predicate.AddYears}
	at := time.Date(2020, 1, 2, 3, 4, 5, 0, time.UTC)
	for _, f := range one {
		checkApply(t, []application{{f, on(nil), nil}, {f, nil, nil}, {f, on(&predicatetest.Fake{}), nil}})
	}
	for _, f := range two {
		checkApply(t, []application{
			{f, on(nil, int64(1)), nil}, {f, on(int64(1), nil), nil}, {f, on(at, nil), nil}, {f, on(nil, nil), nil},
			{f, on("a", int64(1)), nil}, {f, on(at, "a"), nil}, {f, on(int64(1), at), nil},
		})
	}
	checkApply(t, []application{{predicate.Func("random"), on(int64(1)), nil}, {predicate.Func("random"), on(int64(1), int64(1)), nil}})
}

func TestDates(t *testing.T) {
	t.Parallel()
	at := func(s string) predicate.Value { return moment(t, s) }
	n := func(n int) predicate.Value { return int64(n) }
	checkApply(t, []application{
		{predicate.AddSeconds, on(at("2020-02-28T23:59:59.500Z"), n(1)), at("2020-02-29T00:00:00.500Z")},
		{predicate.AddMinutes, on(at("2020-12-31T23:59:00Z"), n(1)), at("2021-01-01T00:00:00Z")},
		{predicate.AddHours, on(at("2020-03-29T00:30:00Z"), n(2)), at("2020-03-29T02:30:00Z")},
		{predicate.AddDays, on(at("2020-03-01T12:00:00Z"), n(-1)), at("2020-02-29T12:00:00Z")},
		{predicate.AddDays, on(at("2020-03-01T12:00:00Z"), n(0)), at("2020-03-01T12:00:00Z")},

		// The amount is truncated toward zero.
		{predicate.AddDays, on(at("2020-03-01T00:00:00Z"), 1.9), at("2020-03-02T00:00:00Z")},
		{predicate.AddDays, on(at("2020-03-01T00:00:00Z"), -1.9), at("2020-02-29T00:00:00Z")},
		{predicate.AddSeconds, on(at("2020-03-01T00:00:00Z"), 0.9), at("2020-03-01T00:00:00Z")},
		{predicate.AddMonths, on(at("2020-03-01T00:00:00Z"), -0.9), at("2020-03-01T00:00:00Z")},

		// Months and years end with the month.
		{predicate.AddMonths, on(at("2020-01-31T01:02:03.004Z"), n(1)), at("2020-02-29T01:02:03.004Z")},
		{predicate.AddMonths, on(at("2021-01-31T00:00:00Z"), n(1)), at("2021-02-28T00:00:00Z")},
		{predicate.AddMonths, on(at("2021-01-31T00:00:00Z"), n(3)), at("2021-04-30T00:00:00Z")},
		{predicate.AddMonths, on(at("2021-03-31T00:00:00Z"), n(-1)), at("2021-02-28T00:00:00Z")},
		{predicate.AddMonths, on(at("2021-01-15T00:00:00Z"), n(-1)), at("2020-12-15T00:00:00Z")},
		{predicate.AddMonths, on(at("2021-11-30T00:00:00Z"), n(1)), at("2021-12-30T00:00:00Z")},
		{predicate.AddMonths, on(at("2021-01-31T00:00:00Z"), n(-13)), at("2019-12-31T00:00:00Z")},
		{predicate.AddYears, on(at("2020-02-29T00:00:00Z"), n(1)), at("2021-02-28T00:00:00Z")},
		{predicate.AddYears, on(at("2020-02-29T00:00:00Z"), n(4)), at("2024-02-29T00:00:00Z")},
		{predicate.AddYears, on(at("2020-02-29T00:00:00Z"), n(-120)), at("1900-02-28T00:00:00Z")},

		// The years are 1 to 9999.
		{predicate.AddSeconds, on(at("9999-12-31T23:59:59Z"), n(1)), nil},
		{predicate.AddSeconds, on(at("9999-12-31T23:59:58Z"), n(1)), at("9999-12-31T23:59:59Z")},
		{predicate.AddSeconds, on(at("0001-01-01T00:00:00Z"), n(-1)), nil},
		{predicate.AddDays, on(at("0001-01-02T00:00:00Z"), n(-1)), at("0001-01-01T00:00:00Z")},
		{predicate.AddMonths, on(at("9999-12-01T00:00:00Z"), n(1)), nil},
		{predicate.AddMonths, on(at("0001-01-31T00:00:00Z"), n(-1)), nil},
		{predicate.AddMonths, on(at("0001-02-28T00:00:00Z"), n(-1)), at("0001-01-28T00:00:00Z")},
		{predicate.AddYears, on(at("2020-01-01T00:00:00Z"), n(7979)), at("9999-01-01T00:00:00Z")},
		{predicate.AddYears, on(at("2020-01-01T00:00:00Z"), n(7980)), nil},
		{predicate.AddYears, on(at("2020-01-01T00:00:00Z"), n(-2019)), at("0001-01-01T00:00:00Z")},
		{predicate.AddYears, on(at("2020-01-01T00:00:00Z"), n(-2020)), nil},
		{predicate.AddSeconds, on(at("0001-01-01T00:00:00Z"), n(315_537_897_599)), at("9999-12-31T23:59:59Z")},
	})
	for _, f := range []predicate.Func{predicate.AddSeconds, predicate.AddMinutes, predicate.AddHours, predicate.AddDays, predicate.AddMonths, predicate.AddYears} {
		for _, amount := range []predicate.Value{most, least, 1e300, -1e300, 1e18} {
			checkApply(t, []application{{f, on(at("2020-01-01T00:00:00Z"), amount), nil}})
		}
	}
}

// TestAddMonthsClamps compares AddMonths with the calendar: the month is the right
// one, and the day the same or the last.
func TestAddMonthsClamps(t *testing.T) {
	t.Parallel()
	start := time.Date(1999, 1, 1, 5, 6, 7, 8_000_000, time.UTC)
	for day := range 2000 {
		at := start.AddDate(0, 0, day)
		for n := -30; n <= 30; n++ {
			got, ok := Apply(predicate.AddMonths, on(at, int64(n))).(time.Time)
			if !ok {
				t.Fatalf("%v and %d months is nil", at, n)
			}
			first := time.Date(at.Year(), at.Month()+time.Month(n), 1, 5, 6, 7, 8_000_000, time.UTC)
			last := first.AddDate(0, 1, -1)
			if want := first.AddDate(0, 0, min(at.Day(), last.Day())-1); !got.Equal(want) {
				t.Fatalf("%v and %d months is %v, want %v", at, n, got, want)
			}
		}
	}
}

func moment(t *testing.T, s string) time.Time {
	t.Helper()
	at, err := time.Parse(time.RFC3339, s)
	if err != nil {
		t.Fatal(err)
	}
	return at
}

func TestCasts(t *testing.T) {
	t.Parallel()
	at := func(s string) predicate.Value { return moment(t, s) }
	n := func(n int) predicate.Value { return int64(n) }
	id := ident.ID{0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0x7c, 0xde, 0x8f, 0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd}
	checkApply(t, []application{
		{predicate.ToDate, on("2024-02-29T12:30:00Z"), at("2024-02-29T12:30:00Z")},
		{predicate.ToDate, on("2024-02-29t12:30:00z"), at("2024-02-29T12:30:00Z")},
		{predicate.ToDate, on("2024-02-29T12:30:00.125Z"), at("2024-02-29T12:30:00.125Z")},
		{predicate.ToDate, on("2024-02-29T12:30:00+02:00"), at("2024-02-29T10:30:00Z")},
		{predicate.ToDate, on("2024-02-29T12:30:00-02:00"), at("2024-02-29T14:30:00Z")},
		{predicate.ToDate, on("2024-02-29"), at("2024-02-29T00:00:00Z")},
		{predicate.ToDate, on("2024-02-29T12:30:00"), at("2024-02-29T12:30:00Z")},
		{predicate.ToDate, on("2024-02-29T12:30:00.5"), at("2024-02-29T12:30:00.5Z")},
		{predicate.ToDate, on("2024-02-29T12:30:00.1234567Z"), at("2024-02-29T12:30:00.123456Z")},
		{predicate.ToDate, on("2023-02-29"), nil},
		{predicate.ToDate, on("2024-2-9"), nil},
		{predicate.ToDate, on("2024-02-29T25:00:00Z"), nil},
		{predicate.ToDate, on("2024-02-29T1:00:00Z"), nil},
		{predicate.ToDate, on("2024-02-29T12:30Z"), nil},
		{predicate.ToDate, on("2024-02-29 12:30:00Z"), nil},
		{predicate.ToDate, on("2024-02-29T12:30:00,5Z"), nil},
		{predicate.ToDate, on("2024-02-29T12:30:00+24:00"), nil},
		{predicate.ToDate, on("2024-02-29T12:30:60Z"), nil},
		{predicate.ToDate, on("+2024-02-29"), nil},
		{predicate.ToDate, on(" 2024-02-29"), nil},
		{predicate.ToDate, on("yesterday"), nil},
		{predicate.ToDate, on(""), nil},
		{predicate.ToDate, on("0000-01-01"), nil},
		{predicate.ToDate, on("0001-01-01"), at("0001-01-01T00:00:00Z")},
		{predicate.ToDate, on("0001-01-01T00:00:00+01:00"), nil},
		{predicate.ToDate, on("9999-12-31T23:30:00-01:00"), nil},
		{predicate.ToDate, on(n(0)), at("2001-01-01T00:00:00Z")},
		{predicate.ToDate, on(n(86400)), at("2001-01-02T00:00:00Z")},
		{predicate.ToDate, on(n(-978_307_200)), at("1970-01-01T00:00:00Z")},
		{predicate.ToDate, on(0.5), at("2001-01-01T00:00:00.5Z")},
		{predicate.ToDate, on(-0.25), at("2000-12-31T23:59:59.75Z")},
		{predicate.ToDate, on(123_456_789.123), at("2004-11-29T21:33:09.123Z")},
		{predicate.ToDate, on(1e300), nil},
		{predicate.ToDate, on(-1e300), nil},
		{predicate.ToDate, on(most), nil},
		{predicate.ToDate, on(int64(252_423_993_599)), at("9999-12-31T23:59:59Z")},
		{predicate.ToDate, on(int64(252_423_993_600)), nil},
		{predicate.ToDate, on(true), nil},

		{predicate.ToNumber, on(true), n(1)},
		{predicate.ToNumber, on(false), n(0)},
		{predicate.ToNumber, on(at("2001-01-01T00:00:01.5Z")), 1.5},
		{predicate.ToNumber, on(at("1970-01-01T00:00:00Z")), -978_307_200.0},
		{predicate.ToNumber, on("42"), 42.0},
		{predicate.ToNumber, on("-42"), -42.0},
		{predicate.ToNumber, on("+42"), 42.0},
		{predicate.ToNumber, on("9223372036854775808"), 9223372036854775808.0},
		{predicate.ToNumber, on("1e-400"), nil},
		{predicate.ToNumber, on("-0.0e-400"), 0.0},
		{predicate.ToNumber, on("1.5"), 1.5},
		{predicate.ToNumber, on("-1e3"), -1000.0},
		{predicate.ToNumber, on("1e999"), nil},
		{predicate.ToNumber, on(".5"), nil},
		{predicate.ToNumber, on("1."), nil},
		{predicate.ToNumber, on("0x10"), nil},
		{predicate.ToNumber, on("1_000"), nil},
		{predicate.ToNumber, on("inf"), nil},
		{predicate.ToNumber, on("NaN"), nil},
		{predicate.ToNumber, on(" 1"), nil},
		{predicate.ToNumber, on(""), nil},
		{predicate.ToNumber, on(id), nil},

		{predicate.ToString, on(n(-7)), "-7"},
		{predicate.ToString, on(id), "01234567-89ab-7cde-8f01-23456789abcd"},
		{predicate.ToString, on(0.5), nil},
		{predicate.ToString, on(true), nil},
	})
}

// TestDateAndNumberAgree: the seconds of a Date to the millisecond lead back to it.
func TestDateAndNumberAgree(t *testing.T) {
	t.Parallel()
	for _, year := range []int{1970, 2000, 2001, 2024, 2100} {
		for ms := range 1000 {
			at := time.Date(year, 6, 7, 8, 9, 10, ms*1_000_000, time.UTC)
			if got := Apply(predicate.ToDate, on(Apply(predicate.ToNumber, on(at)))); !predicate.EqualValues(got, at) {
				t.Errorf("%v is %v by way of its seconds", at, got)
			}
		}
	}
}
