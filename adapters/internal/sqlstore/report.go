package sqlstore

import (
	"context"
	"log/slog"
	"time"
)

// ReportInterval is the time between two lines of the log about work under way.
const ReportInterval = 10 * time.Second

// Reported calls do, and logs its beginning, how it goes on, and its end. look, if not nil,
// returns how far it has come. Its context ends with the work.
func Reported(ctx context.Context, logger *slog.Logger, every time.Duration, step string, look func(context.Context) (Progress, error), do func(context.Context) error) error {
	logger.Info("a step of the schema begins", "step", step)
	watching, stop := context.WithCancel(ctx)
	watched := make(chan struct{})
	go func() {
		defer close(watched)
		ticks := time.NewTicker(every)
		defer ticks.Stop()
		for {
			select {
			case <-watching.Done():
				return
			case <-ticks.C:
			}
			logger.Info("a step of the schema is under way", append([]any{"step", step}, seen(watching, look)...)...)
		}
	}()
	err := do(ctx)
	stop()
	<-watched
	if err != nil {
		return err
	}
	logger.Info("a step of the schema is done", "step", step)
	return nil
}

// seen returns what a line of the log says about the progress.
func seen(ctx context.Context, look func(context.Context) (Progress, error)) (args []any) {
	if look == nil {
		return nil
	}
	p, err := look(ctx)
	if err != nil || !p.UnderWay {
		return nil
	}
	args = append(args, "percent", p.Percent)
	if p.Waits != "" {
		args = append(args, "waits_for", p.Waits)
	}
	return args
}
