package serve

import (
	"context"
	"log/slog"
	"time"

	"github.com/problemtracking/problems/app/internal/background"
	"github.com/problemtracking/problems/domain/tracker"
)

// housekeeper expires old data of the service.
type housekeeper struct {
	service *tracker.Service
	logger  *slog.Logger
	now     func() time.Time
	ran     func(at time.Time, err error) // is told how each run has ended
}

// The first time is soon, for servers with frequent restarts, but not while the service
// is starting.
const (
	firstHousekeeping = time.Minute
	nextHousekeeping  = time.Hour
)

// run expires data until ctx ends.
func (h *housekeeper) run(ctx context.Context) {
	background.Sleep(ctx, firstHousekeeping)
	for ctx.Err() == nil {
		err := h.service.Housekeep(ctx)
		if err != nil && ctx.Err() != nil {
			return
		}
		if h.ran(h.now(), err); err != nil {
			h.logger.Warn("housekeeping failed; it will be tried again", "error", err.Error())
		}
		background.Sleep(ctx, nextHousekeeping)
	}
}
