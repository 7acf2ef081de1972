package load

import (
	"cmp"
	"math"
	"slices"
	"time"
)

// Latencies are how long requests took: all of them, in ascending order.
type Latencies []time.Duration

// Gather returns all of several.
func Gather(several ...Latencies) Latencies {
	all := slices.Concat(several...)
	slices.Sort(all)
	return all
}

// At returns the percentile by the nearest rank: the shortest time for the answers to
// this share of the requests, above 0 and at most 100 percent. Without requests it is 0.
func (l Latencies) At(percent float64) time.Duration {
	if len(l) == 0 {
		return 0
	}
	// A whole number must not become the next one by rounding.
	rank := int(math.Ceil(percent*float64(len(l))/100 - 1e-9))
	return l[max(rank, 1)-1]
}

// Median returns the middle one, or the mean of the two in the middle.
func Median(values []float64) float64 {
	sorted := slices.SortedFunc(slices.Values(values), cmp.Compare[float64])
	n := len(sorted)
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}
