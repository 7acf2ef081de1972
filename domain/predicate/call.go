package predicate

import (
	"math"
	"strings"
	"time"
	"unicode/utf8"
)

// Apply returns the value of a function (section 4). The value is nil when an argument
// is nil, when the function does not take such arguments, and when there is no result:
// out of range, not a number, a division by zero, a year outside 1 to 9999.
//
// Arithmetic on Ints gives an Int, and a Float as soon as one operand is a Float. **
// and the functions from sqrt: to exp: always give a Float. abs:, floor:, ceiling: and
// trunc: keep the type of their argument. CAST NSNumber gives an Int for an Int and a
// Bool, else a Float.
func Apply(f Func, args []Value) Value {
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

func applyOne(f Func, arg Value) Value {
	switch f {
	case ToDate:
		return toDate(arg)
	case ToNumber:
		return toNumber(arg)
	case ToString:
		return toString(arg)
	}
	switch x := arg.(type) {
	case int64:
		return applyInt(f, x)
	case float64:
		return applyFloat(f, x)
	case string:
		switch f {
		case Length:
			return int64(utf8.RuneCountInString(x))
		case Lowercase:
			return strings.ToLower(x)
		case Uppercase:
			return strings.ToUpper(x)
		}
	}
	return nil
}

func applyInt(f Func, x int64) Value {
	switch f {
	case Negate:
		return subtractInts(0, x)
	case Abs:
		if x < 0 {
			return subtractInts(0, x)
		}
		return x
	case Floor, Ceiling, Trunc:
		return x
	}
	return applyFloat(f, float64(x))
}

func applyFloat(f Func, x float64) Value {
	switch f {
	case Negate:
		return finite(-x)
	case Abs:
		return finite(math.Abs(x))
	case Floor:
		return finite(math.Floor(x))
	case Ceiling:
		return finite(math.Ceil(x))
	case Trunc:
		return finite(math.Trunc(x))
	case Sqrt:
		return finite(math.Sqrt(x))
	case Ln:
		return finite(math.Log(x))
	case Log10:
		return finite(math.Log10(x))
	case Exp:
		return finite(math.Exp(x))
	}
	return nil
}

func applyTwo(f Func, a, b Value) Value {
	if at, ok := a.(time.Time); ok {
		return addToDate(f, at, b)
	}
	x, xInt := a.(int64)
	y, yInt := b.(int64)
	if xInt && yInt && f != Power {
		return arithmeticInts(f, x, y)
	}
	v, ok := toFloat(a)
	w, also := toFloat(b)
	if !ok || !also {
		return nil
	}
	return arithmeticFloats(f, v, w)
}

func toFloat(v Value) (f float64, ok bool) {
	switch v := v.(type) {
	case int64:
		return float64(v), true
	case float64:
		return v, true
	}
	return 0, false
}
