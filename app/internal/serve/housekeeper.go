package serve

import (
	"cmp"
	"context"
	"log/slog"
	"time"

	"github.com/problemtracking/problems/app/internal/background"
	"github.com/problemtracking/problems/domain/tracker"
	"github.com/problemtracking/problems/domain/tracker/usecases"
)

// housekeeper expires old data of the service.
type housekeeper struct {
	service *usecases.All
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
	betweenUses       = 30 * time.Second
	lastUses          = 2 * time.Second
)

// run expires data until ctx ends.
func (h *housekeeper) run(ctx context.Context) {
	if h.service.HasFiles() {
		switch state, err := h.service.FilesState(ctx); {
		case err == nil:
			h.warnOfFiles(state)
		case ctx.Err() == nil:
			h.logger.Warn("the storage for files cannot be used: uploads and downloads are refused", "error", err.Error())
		}
	}
	background.Sleep(ctx, firstHousekeeping)
	for ctx.Err() == nil {
		err := cmp.Or(h.service.Sessions.Housekeep(ctx), h.service.Housekeep(ctx))
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

// recordUses stores the last uses of tokens now and then, and in the end.
func (h *housekeeper) recordUses(ctx context.Context) {
	record := func(ctx context.Context) {
		if err := h.service.RecordUses(ctx); err != nil {
			h.logger.Warn("the last uses of tokens cannot be stored; it will be tried again", "error", err.Error())
		}
	}
	for ctx.Err() == nil {
		background.Sleep(ctx, betweenUses)
		if ctx.Err() == nil {
			record(ctx)
		}
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), lastUses)
	defer cancel()
	record(ctx)
}

// sweep removes files that are needed no more. Its failure concerns nothing else.
func (h *housekeeper) sweep(ctx context.Context) {
	if !h.service.HasFiles() {
		return
	}
	swept, err := h.service.SweepFiles(ctx)
	if err != nil {
		h.logger.Warn("the storage for files cannot be swept; it will be tried again", "error", err.Error())
	}
	h.warnOfFiles(swept.State)
	h.swept(swept, err)
}

// warnOfFiles logs a state of the files in which something is wrong.
func (h *housekeeper) warnOfFiles(state tracker.FilesState) {
	switch state {
	case tracker.FilesMissing:
		h.logger.Warn("the files of attachments are not where they were: uploads are refused. \"problems doctor\" says more")
	case tracker.FilesForeign:
		h.logger.Warn("the files of attachments belong to another store: uploads are refused, and no file is removed. \"problems doctor\" says more")
	case tracker.FilesDisputed:
		h.logger.Warn("a copy of this store has used its files of attachments: no file is removed. \"problems doctor\" says more")
	}
}
