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
	swept   func(tracker.Swept, error)    // is told of the files of attachments
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
		h.sweep(ctx)
		if h.ran(h.now(), err); err != nil {
			h.logger.Warn("housekeeping failed; it will be tried again", "error", err.Error())
		}
		background.Sleep(ctx, nextHousekeeping)
	}
}

// sweep removes files that are needed no more. Its failure concerns nothing else.
func (h *housekeeper) sweep(ctx context.Context) {
	if !h.service.HasFiles() {
		return
	}
	swept, err := h.service.SweepFiles(ctx)
	switch {
	case err != nil:
		h.logger.Warn("the storage for files cannot be swept; it will be tried again", "error", err.Error())
	case swept.Foreign:
		h.logger.Warn("the files of attachments belong to another store: none is removed. \"problems doctor\" says more")
	}
	h.swept(swept, err)
}
