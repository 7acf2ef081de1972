package serve

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/problemtracking/problems/domain/tracker"
)

// housekeeper has the service forget what it no longer needs.
type housekeeper struct {
	service *tracker.Service
	logger  *slog.Logger
	cancel  context.CancelFunc
	running sync.WaitGroup
}

// The first time is soon, for servers that are restarted often, but not while the
// service is starting.
const (
	firstHousekeeping = time.Minute
	nextHousekeeping  = time.Hour
)

func (h *housekeeper) start(context.Context) error {
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
			if err := h.service.Housekeep(ctx); err != nil && ctx.Err() == nil {
				h.logger.Warn("housekeeping failed; it will be tried again", "error", err.Error())
			}
			timer.Reset(nextHousekeeping)
		}
	})
	return nil
}

func (h *housekeeper) stop(context.Context) error {
	h.cancel()
	h.running.Wait()
	return nil
}
