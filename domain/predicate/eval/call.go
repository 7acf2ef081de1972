package eval

import (
	"math"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/problemtracking/problems/domain/predicate"
)

// Apply returns the value of a function (section 4). The value is nil when an argument
// is nil, when the function does not take such arguments, and when there is no result:
// out of range, not a number, a division by zero, a year outside 1 to 9999.
//
// Arithmetic on Ints gives an Int, and a Float as soon as one operand is a Float. **
// and the functions from sqrt: to exp: always give a Float. abs:, floor:, ceiling: and
// trunc: keep the type of their argument. CAST NSNumber gives an Int for an Int and a
// Bool, else a Float.
func Apply(f predicate.Func, args []predicate.Value) predicate.Value {
	for _, a := range args {
		if a == nil {
			return nil
		}
	}
	switch len(args) {
	case 1:
		return applyOne(f, args[0])
	case 2:
		return applyTwo(f, args[0], args[1])
	}
	return nil
}

func applyOne(f predicate.Func, arg predicate.Value) predicate.Value {
	switch f {
	case predicate.ToDate:
		return toDate(arg)
	case predicate.ToNumber:
		return toNumber(arg)
	case predicate.ToString:
		return toString(arg)
	}
	switch x := arg.(type) {
	case int64:
		return applyInt(f, x)
	case float64:
		return applyFloat(f, x)
	case string:
		switch f {
		case predicate.Length:
			return int64(utf8.RuneCountInString(x))
		case predicate.Lowercase:
			return strings.ToLower(x)
		case predicate.Uppercase:
			return strings.ToUpper(x)
		}
	}
	return nil
}

func applyInt(f predicate.Func, x int64) predicate.Value {
	switch f {
	case predicate.Negate:
		return subtractInts(0, x)
	case predicate.Abs:
		if x < 0 {
			return subtractInts(0, x)
		}
		return x
	case predicate.Floor, predicate.Ceiling, predicate.Trunc:
		return x
	}
	return applyFloat(f, float64(x))
}

func applyFloat(f predicate.Func, x float64) predicate.Value {
	switch f {
	case predicate.Negate:
		return finite(-x)
	case predicate.Abs:
		return finite(math.Abs(x))
	case predicate.Floor:
		return finite(math.Floor(x))
	case predicate.Ceiling:
		return finite(math.Ceil(x))
	case predicate.Trunc:
		return finite(math.Trunc(x))
	case predicate.Sqrt:
		return finite(math.Sqrt(x))
	case predicate.Ln:
		return finite(math.Log(x))
	case predicate.Log10:
		return finite(math.Log10(x))
	case predicate.Exp:
		return finite(math.Exp(x))
	}
	return nil
}

func applyTwo(f predicate.Func, a, b predicate.Value) predicate.Value {
	if at, ok := a.(time.Time); ok {
		return addToDate(f, at, b)
	}
	x, xInt := a.(int64)
	y, yInt := b.(int64)
	if xInt && yInt && f != predicate.Power {
		return arithmeticInts(f, x, y)
	}
	v, ok := toFloat(a)
	w, also := toFloat(b)
	if !ok || !also {
		return nil
	}
	return arithmeticFloats(f, v, w)
}

func toFloat(v predicate.Value) (f float64, ok bool) {
	switch v := v.(type) {
	case int64:
		return float64(v), true
	case float64:
		return v, true
	}
	return 0, false
}
