package observe_test

import (
	"fmt"
	"testing"

	"github.com/problemtracking/problems/app/internal/observe"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/store"
)

// What those who read return is no fault of the store.
func TestKindOfACall(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		err  error
		want fault.Kind
	}{
		{nil, ""},
		{fault.New(fault.ProblemNotFound, "there is none"), ""},
		{fmt.Errorf("the catalogue: %w", store.ErrOver), ""},
		{fault.New(fault.Internal, "the store failed"), fault.Internal},
		{fault.New(fault.Unavailable, "away"), fault.Unavailable},
	} {
		if got := (observe.Call{Err: c.err}).Kind(); got != c.want {
			t.Errorf("%v: %q, not %q", c.err, got, c.want)
		}
	}
}
