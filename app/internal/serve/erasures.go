package serve

import (
	"context"
	"time"

	"github.com/problemtracking/problems/app/internal/background"
	"github.com/problemtracking/problems/domain/tracker/erasure"
)

// erase erases users until ctx ends.
func (p parts) erase(ctx context.Context, worker *erasure.Worker) {
	background.Repeat(ctx, func() error {
		for {
			if worked, err := worker.Work(ctx, time.Now()); !worked || err != nil {
				return err
			}
		}
	}, func(err error) {
		p.Logger.Error("a user is not erased from all problems; it will be tried again", "error", err.Error())
	})
}
