package predicate

import (
	"math"
	"testing"
	"time"

	"github.com/problemtracking/problems/domain/ident"
)

const (
	most  = int64(math.MaxInt64)
	least = int64(math.MinInt64)
)

type application struct {
	f    Func
	args []Value
	want Value
}

func checkApply(t *testing.T, applications []application) {
	t.Helper()
	for _, a := range applications {
		got := Apply(a.f, a.args)
		same := equal(got, a.want)
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

func on(args ...Value) []Value { return args }

func TestArithmetic(t *testing.T) {
	t.Parallel()
	i := func(n int) Value { return int64(n) }
	checkApply(t, []application{
		{Add, on(i(2), i(3)), i(5)},
		{Add, on(i(2), 0.5), 2.5},
		{Add, on(0.5, i(2)), 2.5},
		{Add, on(most, i(0)), most},
		{Add, on(most, i(1)), nil},
		{Add, on(least, i(-1)), nil},
		{Add, on(most, least), i(-1)},
		{Add, on(math.MaxFloat64, math.MaxFloat64), nil},
		{Subtract, on(i(2), i(3)), i(-1)},
		{Subtract, on(i(2), 0.5), 1.5},
		{Subtract, on(least, i(1)), nil},
		{Subtract, on(i(0), least), nil},
		{Subtract, on(i(-1), least), most},
		{Multiply, on(i(-2), i(3)), i(-6)},
		{Multiply, on(i(2), 1.5), 3.0},
		{Multiply, on(i(0), least), i(0)},
		{Multiply, on(least, i(1)), least},
		{Multiply, on(least, i(-1)), nil},
		{Multiply, on(i(-1), least), nil},
		{Multiply, on(int64(1<<32), int64(1<<31)), nil},
		{Multiply, on(most, i(2)), nil},
		{Multiply, on(1e300, 1e300), nil},
		{Divide, on(i(7), i(2)), i(3)},
		{Divide, on(i(-7), i(2)), i(-3)},
		{Divide, on(i(7), i(-2)), i(-3)},
		{Divide, on(i(7), 2.0), 3.5},
		{Divide, on(i(1), i(0)), nil},
		{Divide, on(i(1), 0.0), nil},
		{Divide, on(0.0, 0.0), nil},
		{Divide, on(least, i(-1)), nil},
		{Modulus, on(i(7), i(3)), i(1)},
		{Modulus, on(i(-7), i(3)), i(-1)},
		{Modulus, on(i(7), i(-3)), i(1)},
		{Modulus, on(i(7), i(0)), nil},
		{Modulus, on(least, i(-1)), i(0)},
		{Modulus, on(7.5, i(2)), 1.5},
		{Modulus, on(7.5, 0.0), nil},
		{Power, on(i(2), i(10)), 1024.0},
		{Power, on(i(2), i(-1)), 0.5},
		{Power, on(i(0), i(-1)), nil},
		{Power, on(i(-8), 0.5), nil},
		{Power, on(i(10), i(400)), nil},
		{Power, on(i(0), i(0)), 1.0},
		{Negate, on(i(5)), i(-5)},
		{Negate, on(-2.5), 2.5},
		{Negate, on(most), -most},
		{Negate, on(least), nil},
	})
}

func TestFunctions(t *testing.T) {
	t.Parallel()
	i := func(n int) Value { return int64(n) }
	checkApply(t, []application{
		{Abs, on(i(-5)), i(5)},
		{Abs, on(-2.5), 2.5},
		{Abs, on(least), nil},
		{Floor, on(-2.5), -3.0},
		{Ceiling, on(-2.5), -2.0},
		{Trunc, on(-2.5), -2.0},
		{Floor, on(i(3)), i(3)},
		{Ceiling, on(most), most},
		{Trunc, on(i(-3)), i(-3)},
		{Sqrt, on(i(9)), 3.0},
		{Sqrt, on(i(-1)), nil},
		{Ln, on(i(1)), 0.0},
		{Ln, on(i(0)), nil},
		{Ln, on(-1.0), nil},
		{Log10, on(i(1000)), 3.0},
		{Log10, on(0.0), nil},
		{Exp, on(i(0)), 1.0},
		{Exp, on(1e6), nil},
		{Length, on(""), i(0)},
		{Length, on("é🙂"), i(2)},
		{Length, on("e\u0301"), i(2)},
		{Lowercase, on("ÀB"), "àb"},
		{Uppercase, on("àb"), "ÀB"},
		{Uppercase, on("ß"), "ß"}, // one character for one
	})
}

// TestApplyNil: nil in, nil out. Arguments of the wrong type give nil too.
func TestApplyNil(t *testing.T) {
	t.Parallel()
	one := []Func{Negate, Abs, Floor, Ceiling, Trunc, Sqrt, Ln, Log10, Exp, Length, Lowercase, Uppercase, ToDate, ToNumber, ToString}
	two := []Func{Add, Subtract, Multiply, Divide, Power, Modulus, AddSeconds, AddMinutes, AddHours, AddDays, AddMonths, AddYears}
	at := time.Date(2020, 1, 2, 3, 4, 5, 0, time.UTC)
	for _, f := range one {
		checkApply(t, []application{{f, on(nil), nil}, {f, nil, nil}, {f, on(&fake{}), nil}})
	}
	for _, f := range two {
		checkApply(t, []application{
			{f, on(nil, int64(1)), nil}, {f, on(int64(1), nil), nil}, {f, on(at, nil), nil}, {f, on(nil, nil), nil},
			{f, on("a", int64(1)), nil}, {f, on(at, "a"), nil}, {f, on(int64(1), at), nil},
		})
	}
	checkApply(t, []application{{Func("random"), on(int64(1)), nil}, {Func("random"), on(int64(1), int64(1)), nil}})
}

func TestDates(t *testing.T) {
	t.Parallel()
	at := func(s string) Value { return moment(t, s) }
	n := func(n int) Value { return int64(n) }
	checkApply(t, []application{
		{AddSeconds, on(at("2020-02-28T23:59:59.500Z"), n(1)), at("2020-02-29T00:00:00.500Z")},
		{AddMinutes, on(at("2020-12-31T23:59:00Z"), n(1)), at("2021-01-01T00:00:00Z")},
		{AddHours, on(at("2020-03-29T00:30:00Z"), n(2)), at("2020-03-29T02:30:00Z")},
		{AddDays, on(at("2020-03-01T12:00:00Z"), n(-1)), at("2020-02-29T12:00:00Z")},
		{AddDays, on(at("2020-03-01T12:00:00Z"), n(0)), at("2020-03-01T12:00:00Z")},

		// The amount is truncated toward zero.
		{AddDays, on(at("2020-03-01T00:00:00Z"), 1.9), at("2020-03-02T00:00:00Z")},
		{AddDays, on(at("2020-03-01T00:00:00Z"), -1.9), at("2020-02-29T00:00:00Z")},
		{AddSeconds, on(at("2020-03-01T00:00:00Z"), 0.9), at("2020-03-01T00:00:00Z")},
		{AddMonths, on(at("2020-03-01T00:00:00Z"), -0.9), at("2020-03-01T00:00:00Z")},

		// Months and years end with the month.
		{AddMonths, on(at("2020-01-31T01:02:03.004Z"), n(1)), at("2020-02-29T01:02:03.004Z")},
		{AddMonths, on(at("2021-01-31T00:00:00Z"), n(1)), at("2021-02-28T00:00:00Z")},
		{AddMonths, on(at("2021-01-31T00:00:00Z"), n(3)), at("2021-04-30T00:00:00Z")},
		{AddMonths, on(at("2021-03-31T00:00:00Z"), n(-1)), at("2021-02-28T00:00:00Z")},
		{AddMonths, on(at("2021-01-15T00:00:00Z"), n(-1)), at("2020-12-15T00:00:00Z")},
		{AddMonths, on(at("2021-11-30T00:00:00Z"), n(1)), at("2021-12-30T00:00:00Z")},
		{AddMonths, on(at("2021-01-31T00:00:00Z"), n(-13)), at("2019-12-31T00:00:00Z")},
		{AddYears, on(at("2020-02-29T00:00:00Z"), n(1)), at("2021-02-28T00:00:00Z")},
		{AddYears, on(at("2020-02-29T00:00:00Z"), n(4)), at("2024-02-29T00:00:00Z")},
		{AddYears, on(at("2020-02-29T00:00:00Z"), n(-120)), at("1900-02-28T00:00:00Z")},

		// The years are 1 to 9999.
		{AddSeconds, on(at("9999-12-31T23:59:59Z"), n(1)), nil},
		{AddSeconds, on(at("9999-12-31T23:59:58Z"), n(1)), at("9999-12-31T23:59:59Z")},
		{AddSeconds, on(at("0001-01-01T00:00:00Z"), n(-1)), nil},
		{AddDays, on(at("0001-01-02T00:00:00Z"), n(-1)), at("0001-01-01T00:00:00Z")},
		{AddMonths, on(at("9999-12-01T00:00:00Z"), n(1)), nil},
		{AddMonths, on(at("0001-01-31T00:00:00Z"), n(-1)), nil},
		{AddMonths, on(at("0001-02-28T00:00:00Z"), n(-1)), at("0001-01-28T00:00:00Z")},
		{AddYears, on(at("2020-01-01T00:00:00Z"), n(7979)), at("9999-01-01T00:00:00Z")},
		{AddYears, on(at("2020-01-01T00:00:00Z"), n(7980)), nil},
		{AddYears, on(at("2020-01-01T00:00:00Z"), n(-2019)), at("0001-01-01T00:00:00Z")},
		{AddYears, on(at("2020-01-01T00:00:00Z"), n(-2020)), nil},
		{AddSeconds, on(at("0001-01-01T00:00:00Z"), n(315_537_897_599)), at("9999-12-31T23:59:59Z")},
	})
	for _, f := range []Func{AddSeconds, AddMinutes, AddHours, AddDays, AddMonths, AddYears} {
		for _, amount := range []Value{most, least, 1e300, -1e300, 1e18} {
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
			got, ok := Apply(AddMonths, on(at, int64(n))).(time.Time)
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
	at := func(s string) Value { return moment(t, s) }
	n := func(n int) Value { return int64(n) }
	id := ident.ID{0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0x7c, 0xde, 0x8f, 0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd}
	checkApply(t, []application{
		{ToDate, on("2024-02-29T12:30:00Z"), at("2024-02-29T12:30:00Z")},
		{ToDate, on("2024-02-29t12:30:00z"), at("2024-02-29T12:30:00Z")},
		{ToDate, on("2024-02-29T12:30:00.125Z"), at("2024-02-29T12:30:00.125Z")},
		{ToDate, on("2024-02-29T12:30:00+02:00"), at("2024-02-29T10:30:00Z")},
		{ToDate, on("2024-02-29T12:30:00-02:00"), at("2024-02-29T14:30:00Z")},
		{ToDate, on("2024-02-29"), at("2024-02-29T00:00:00Z")},
		{ToDate, on("2024-02-29T12:30:00"), at("2024-02-29T12:30:00Z")},
		{ToDate, on("2024-02-29T12:30:00.5"), at("2024-02-29T12:30:00.5Z")},
		{ToDate, on("2024-02-29T12:30:00.1234567Z"), at("2024-02-29T12:30:00.123456Z")},
		{ToDate, on("2023-02-29"), nil},
		{ToDate, on("2024-2-9"), nil},
		{ToDate, on("2024-02-29T25:00:00Z"), nil},
		{ToDate, on("2024-02-29T1:00:00Z"), nil},
		{ToDate, on("2024-02-29T12:30Z"), nil},
		{ToDate, on("2024-02-29 12:30:00Z"), nil},
		{ToDate, on("2024-02-29T12:30:00,5Z"), nil},
		{ToDate, on("2024-02-29T12:30:00+24:00"), nil},
		{ToDate, on("2024-02-29T12:30:60Z"), nil},
		{ToDate, on("+2024-02-29"), nil},
		{ToDate, on(" 2024-02-29"), nil},
		{ToDate, on("yesterday"), nil},
		{ToDate, on(""), nil},
		{ToDate, on("0000-01-01"), nil},
		{ToDate, on("0001-01-01"), at("0001-01-01T00:00:00Z")},
		{ToDate, on("0001-01-01T00:00:00+01:00"), nil},
		{ToDate, on("9999-12-31T23:30:00-01:00"), nil},
		{ToDate, on(n(0)), at("2001-01-01T00:00:00Z")},
		{ToDate, on(n(86400)), at("2001-01-02T00:00:00Z")},
		{ToDate, on(n(-978_307_200)), at("1970-01-01T00:00:00Z")},
		{ToDate, on(0.5), at("2001-01-01T00:00:00.5Z")},
		{ToDate, on(-0.25), at("2000-12-31T23:59:59.75Z")},
		{ToDate, on(123_456_789.123), at("2004-11-29T21:33:09.123Z")},
		{ToDate, on(1e300), nil},
		{ToDate, on(-1e300), nil},
		{ToDate, on(most), nil},
		{ToDate, on(int64(252_423_993_599)), at("9999-12-31T23:59:59Z")},
		{ToDate, on(int64(252_423_993_600)), nil},
		{ToDate, on(true), nil},

		{ToNumber, on(true), n(1)},
		{ToNumber, on(false), n(0)},
		{ToNumber, on(at("2001-01-01T00:00:01.5Z")), 1.5},
		{ToNumber, on(at("1970-01-01T00:00:00Z")), -978_307_200.0},
		{ToNumber, on("42"), 42.0},
		{ToNumber, on("-42"), -42.0},
		{ToNumber, on("+42"), 42.0},
		{ToNumber, on("9223372036854775808"), 9223372036854775808.0},
		{ToNumber, on("1e-400"), nil},
		{ToNumber, on("-0.0e-400"), 0.0},
		{ToNumber, on("1.5"), 1.5},
		{ToNumber, on("-1e3"), -1000.0},
		{ToNumber, on("1e999"), nil},
		{ToNumber, on(".5"), nil},
		{ToNumber, on("1."), nil},
		{ToNumber, on("0x10"), nil},
		{ToNumber, on("1_000"), nil},
		{ToNumber, on("inf"), nil},
		{ToNumber, on("NaN"), nil},
		{ToNumber, on(" 1"), nil},
		{ToNumber, on(""), nil},
		{ToNumber, on(id), nil},

		{ToString, on(n(-7)), "-7"},
		{ToString, on(id), "01234567-89ab-7cde-8f01-23456789abcd"},
		{ToString, on(0.5), nil},
		{ToString, on(true), nil},
	})
}

// TestDateAndNumberAgree: the seconds of a Date to the millisecond lead back to it.
func TestDateAndNumberAgree(t *testing.T) {
	t.Parallel()
	for _, year := range []int{1970, 2000, 2001, 2024, 2100} {
		for ms := range 1000 {
			at := time.Date(year, 6, 7, 8, 9, 10, ms*1_000_000, time.UTC)
			if got := Apply(ToDate, on(Apply(ToNumber, on(at)))); !equal(got, at) {
				t.Errorf("%v is %v by way of its seconds", at, got)
			}
		}
	}
}
