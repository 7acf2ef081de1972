package load

import (
	"testing"
	"time"
)

func TestPercentiles(t *testing.T) {
	t.Parallel()
	thousand := make(Latencies, 1000)
	for i := range thousand {
		thousand[i] = time.Duration(1000 - i)
	}
	for _, c := range []struct {
		name    string
		all     Latencies
		percent float64
		want    time.Duration
	}{
		{"p50", Gather(thousand), 50, 500},
		{"p99", Gather(thousand), 99, 990},
		{"p99.9", Gather(thousand), 99.9, 999},
		{"p100", Gather(thousand), 100, 1000},
		{"the least", Gather(thousand), 0.01, 1},
		{"p50 of two workers", Gather(thousand[:500], thousand[500:]), 50, 500},
		{"of three the second", Gather(Latencies{30, 10, 20}), 50, 20},
		{"of ten the last", Gather(thousand[990:]), 99, 10},
		{"of one", Latencies{7}, 99.9, 7},
		{"of none", nil, 50, 0},
	} {
		if got := c.all.At(c.percent); got != c.want {
			t.Errorf("%s is %d; want %d", c.name, got, c.want)
		}
	}
}

func TestGatherLeavesItsArguments(t *testing.T) {
	t.Parallel()
	one := Latencies{3, 1}
	if all := Gather(one); all[0] != 1 || one[0] != 3 {
		t.Errorf("gathered %v, and left %v", all, one)
	}
}

func TestMedian(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		values []float64
		want   float64
	}{{[]float64{3, 1, 2}, 2}, {[]float64{4, 1, 2, 3}, 2.5}, {[]float64{5}, 5}} {
		if got := Median(c.values); got != c.want {
			t.Errorf("the median of %v is %v; want %v", c.values, got, c.want)
		}
	}
}
