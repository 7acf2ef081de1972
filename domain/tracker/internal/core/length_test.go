package core

import (
	"testing"

	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/tracker/internal/kit"
)

// The length of a list is found by few looks at it.
func TestLength(t *testing.T) {
	t.Parallel()
	for _, want := range []int{0, 1, 2, 63, 64, 65, 66, 255, 256, 257, 1000, 99_999} {
		looks := 0
		got, err := Length(func(n int) (bool, error) { looks++; return n < want, nil })
		kit.NoError(t, err)
		kit.Equal(t, "length", got, want)
		if looks > 30 {
			t.Errorf("the length %d takes %d looks", want, looks)
		}
	}
	_, err := Length(func(n int) (bool, error) { return true, fault.New(fault.Unavailable, "away") })
	kit.WantFault(t, err, fault.Unavailable)
}
