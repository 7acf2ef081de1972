package steps

import (
	"context"
	"time"

	"github.com/problemtracking/problems/conformance/internal/bench"
)

// End is how a context ended.
type End struct {
	How string
	Ctx context.Context
}

// Ends returns ended contexts.
func Ends(b *bench.Bench) []End {
	cancelled, cancel := context.WithCancel(b.Ctx)
	cancel()
	overdue, cancel := context.WithDeadline(b.Ctx, time.Unix(0, 0))
	b.Cleanup(cancel)
	return []End{{"cancelled", cancelled}, {"overdue", overdue}}
}
