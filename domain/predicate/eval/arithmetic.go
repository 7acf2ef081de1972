package eval

import (
	"math"

	"github.com/problemtracking/problems/domain/predicate"
)

// arithmeticInts computes with Ints. Division truncates toward zero. A result out of
// range is nil.
func arithmeticInts(f predicate.Func, x, y int64) predicate.Value {
	switch f {
	case predicate.Add:
		if sum := x + y; (sum > x) == (y > 0) {
			return sum
		}
	case predicate.Subtract:
		return subtractInts(x, y)
	case predicate.Multiply:
		return multiplyInts(x, y)
	case predicate.Divide:
		if y != 0 && (x != math.MinInt64 || y != -1) {
			return x / y
		}
	case predicate.Modulus:
		if y != 0 {
			return x % y
		}
	}
	return nil
}

func subtractInts(x, y int64) predicate.Value {
	if difference := x - y; (difference < x) == (y > 0) {
		return difference
	}
	return nil
}

func multiplyInts(x, y int64) predicate.Value {
	if x == 0 || y == 0 {
		return int64(0)
	}
	product := x * y
	if x == -1 && y == math.MinInt64 || y == -1 && x == math.MinInt64 || product/y != x {
		return nil
	}
	return product
}

// arithmeticFloats computes with Floats. Infinities and NaN become nil. The modulus
// has the sign of the dividend, as with Ints.
func arithmeticFloats(f predicate.Func, x, y float64) predicate.Value {
	switch f {
	case predicate.Add:
		return finite(x + y)
	case predicate.Subtract:
		return finite(x - y)
	case predicate.Multiply:
		return finite(x * y)
	case predicate.Divide:
		return finite(x / y)
	case predicate.Power:
		return finite(math.Pow(x, y))
	case predicate.Modulus:
		return finite(math.Mod(x, y))
	}
	return nil
}
