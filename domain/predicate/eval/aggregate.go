package eval

import (
	"math"
	"math/big"

	"github.com/problemtracking/problems/domain/predicate"
)

// tally aggregates the members of a collection (section 3). Callers add the members
// one by one. Every aggregate but the count skips nil members. The order of members
// makes no difference: tally sums numbers exactly and rounds once.
type tally struct {
	f       predicate.AggregateFunc
	count   int64           // of the counted members
	sum     *big.Rat        // nil before the first number
	floats  bool            // at least one member was a Float
	extreme predicate.Value // the minimum or the maximum
}

func (t *tally) add(v predicate.Value) error {
	if v == nil && t.f != predicate.Count {
		return nil
	}
	t.count++
	switch t.f {
	case predicate.Sum, predicate.Average:
		t.addNumber(v)
	case predicate.Min:
		if predicate.CompareValues(v, t.extreme) < 0 {
			t.extreme = v
		}
	case predicate.Max:
		if t.extreme == nil || predicate.CompareValues(v, t.extreme) > 0 {
			t.extreme = v
		}
	}
	return nil
}

func (t *tally) addNumber(v predicate.Value) {
	if t.sum == nil {
		t.sum = new(big.Rat)
	}
	var number big.Rat
	switch n := v.(type) {
	case int64:
		number.SetInt64(n)
	case float64:
		t.floats = true
		number.SetFloat64(n)
	}
	t.sum.Add(t.sum, &number)
}

// value returns the aggregate of all added members. The sum of Ints is an Int. The sum
// of nothing is 0; other aggregates of nothing are nil. A result out of range is nil.
func (t *tally) value() predicate.Value {
	switch t.f {
	case predicate.Count:
		return t.count
	case predicate.Min, predicate.Max:
		return t.extreme
	case predicate.Sum:
		switch {
		case t.sum == nil:
			return int64(0)
		case t.floats:
			f, _ := t.sum.Float64()
			return finite(f)
		case t.sum.Num().IsInt64():
			return t.sum.Num().Int64()
		}
	case predicate.Average:
		if t.sum != nil {
			mean := new(big.Rat).SetInt64(t.count)
			f, _ := mean.Quo(t.sum, mean).Float64()
			return finite(f)
		}
	}
	return nil
}

// finite returns a Float, or nil for infinities and NaN.
func finite(f float64) predicate.Value {
	if math.IsInf(f, 0) || math.IsNaN(f) {
		return nil
	}
	return f
}
