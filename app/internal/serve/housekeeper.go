package serve

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/problemtracking/problems/domain/tracker"
)

// housekeeper expires old data of the service.
type housekeeper struct {
	service *tracker.Service
	logger  *slog.Logger
	now     func() time.Time
	ran     func(at time.Time, err error) // is told how each run has ended
	cancel  context.CancelFunc
	running sync.WaitGroup
}

// The first time is soon, for servers with frequent restarts, but not while the service
// is starting.
const (
	firstHousekeeping = time.Minute
	nextHousekeeping  = time.Hour
)

func (h *housekeeper) start() {
	ctx, cancel := context.WithCancel(context.Background())
	h.cancel = cancel
	h.running.Go(func() {
		timer := time.NewTimer(firstHousekeeping)
		defer timer.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-timer.C:
			}
			err := h.service.Housekeep(ctx)
			if err != nil && ctx.Err() != nil {
				return
			}
			if h.ran(h.now(), err); err != nil {
				h.logger.Warn("housekeeping failed; it will be tried again", "error", err.Error())
			}
			timer.Reset(nextHousekeeping)
		}
	})
}

// stop ends it, if it was started.
func (h *housekeeper) stop() {
	if h.cancel != nil {
		h.cancel()
	}
	h.running.Wait()
}
