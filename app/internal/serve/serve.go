// Package serve puts the service together and runs it: one fx.Module per adapter, each
// with one port, and the order of their start and stop.
package serve

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"time"

	"go.uber.org/dig"
	"go.uber.org/fx"
	"go.uber.org/fx/fxevent"

	"github.com/problemtracking/problems/app/internal/config"
	"github.com/problemtracking/problems/app/internal/metrics"
)

// Options describe a server. All are required, but for Steady.
type Options struct {
	Settings config.Settings
	// Version is the version of the program.
	Version string
	// Program is the name of the program, for the printed commands.
	Program string
	// Hints adds the address of the documentation and a first curl line to the output.
	Hints bool
	// AcceptClock starts however far the clock is ahead of the store.
	AcceptClock bool
	// AcceptFiles takes the files of attachments for the store's own, whoever had them.
	AcceptFiles bool
	// Stdout gets the lines of D35, Stderr the log.
	Stdout, Stderr io.Writer
	// Now is the clock, Random a source of random bytes fit for secrets, and
	// NewRequestID names requests.
	Now          func() time.Time
	Random       io.Reader
	NewRequestID func() string
	// Steady returns the time since some moment by a clock that nobody sets, and that
	// goes on while the machine sleeps. nil: there is none.
	Steady func() time.Duration
	// Reread gets a value for each request to read the files of the settings again. nil:
	// never.
	Reread <-chan struct{}
	// Listener, if not nil, is the listener of the service, opened by its supervisor. It
	// replaces the address of the settings.
	Listener net.Listener
	// Warnings are sentences about the settings, for the log.
	Warnings []string
}

// closing is how long the store may take to close, once the requests under way
// have ended.
const closing = 10 * time.Second

// breakdown takes the first fatal error of the service. (fx has a Shutdowner for this,
// but its waiter takes over the signals of the process.)
type breakdown chan error

// report takes note of an error, unless another one came first.
func (b breakdown) report(err error) {
	select {
	case b <- err:
	default:
	}
}

// starting is the context of the start: it ends when the process is told to end.
type starting struct{ context.Context }

// Run serves until ctx ends, and then until the end of the requests under way. A start
// ends with ctx, too, unless only its output is left. Its error is a sentence with the
// reason. It waits for a database away at the start, and listens meanwhile. It waits for
// readers of Stdout or Stderr for some seconds at most.
func Run(ctx context.Context, o Options) error {
	return run(ctx, o, storeModule(o.Settings.Storage))
}

// run is Run with the module of the store.
func run(ctx context.Context, o Options, storing fx.Option) error {
	lines := newJournal(o.Stderr, o.Now)
	defer lines.Close(flushing)
	o.Stderr = lines
	logger := newLogger(lines, o.Settings.Server.LogLevel.Level)
	if o.Listener != nil {
		logger.Info("the supervisor has opened the listener of the service", "address", o.Listener.Addr().String(), "instead_of", o.Settings.Server.Listen)
	}
	for _, w := range o.Warnings {
		logger.Warn(w)
	}
	broken := make(breakdown, 1)
	var named *files
	var measured *metrics.Metrics
	app := fx.New(module(o, logger, storing), fx.Supply(broken, starting{ctx}), fx.Populate(&named, &measured), fx.Invoke(func(m *metrics.Metrics) { m.Log(lines.Dropped) }))
	var changes <-chan time.Time // nil: files are read again when somebody says so
	if interval := o.Settings.Timeouts.RereadInterval; interval > 0 {
		ticker := time.NewTicker(interval)
		defer ticker.Stop()
		changes = ticker.C
	}
	if app.Err() == nil {
		named.note() // before they are read: no change is missed
	}
	// A start is never left half done: fx would return while its hooks go on. So the
	// hooks look at ctx.
	if err := app.Start(context.WithoutCancel(ctx)); ctx.Err() != nil && errors.Is(err, context.Canceled) {
		logger.Info("stopped before the start was complete", "error", dig.RootCause(err).Error())
		return nil
	} else if err != nil {
		return dig.RootCause(err)
	}
	logger.Info("started", "version", o.Version, "store", o.Settings.Storage.Store.String())
	var err error
	for ended := false; !ended; {
		select {
		case <-ctx.Done():
			ended = true
		case err = <-broken:
			ended = true
		case <-o.Reread:
			named.reread(measured, logger)
		case <-changes:
			named.refresh(measured, logger)
		}
	}
	logger.Info("stopping")
	limit := 2*o.Settings.Timeouts.ShutdownTimeout + lastReplies + closing // there are two endpoints of HTTP
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), limit)
	defer cancel()
	if stopErr := app.Stop(ctx); stopErr != nil {
		return errors.Join(err, fmt.Errorf("the service did not stop in order: %w", stopErr))
	}
	logger.Info("stopped")
	return err
}

// module is the whole service.
func module(o Options, logger *slog.Logger, storing fx.Option) fx.Option {
	return fx.Options(
		fx.Supply(o, logger),
		fx.WithLogger(func() fxevent.Logger {
			l := &fxevent.SlogLogger{Logger: logger}
			l.UseLogLevel(slog.LevelDebug)
			l.UseErrorLevel(slog.LevelDebug) // the caller of Run reports the error
			return l
		}),
		fx.Provide(newFiles),
		storing,
		domainModule,
		webhookModule,
		mailModule,
		repliesModule,
		metricsModule,
		httpModule,
	)
}
