package serve

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"net/url"
	"os"
	"syscall"
	"time"

	"go.uber.org/fx"

	"github.com/problemtracking/problems/adapters/mail/lmtp"
	"github.com/problemtracking/problems/app/internal/metrics"
	"github.com/problemtracking/problems/domain/budget"
	"github.com/problemtracking/problems/domain/tracker/usecases"
)

// repliesModule exports the endpoint for replies by e-mail; nil when it is off.
var repliesModule = fx.Module("replies", fx.Provide(func(o Options, service *usecases.All, m *metrics.Metrics, memory *budget.Budget, limits *throttles, logger *slog.Logger) (*replies, error) {
	network, address := o.Settings.Mail.Replies()
	if network == "" {
		return nil, nil
	}
	base, err := url.Parse(o.Settings.Server.PublicURL)
	if err != nil {
		return nil, err
	}
	return &replies{
		network: network, address: address, logger: logger,
		server: lmtp.New(lmtp.Options{
			Service: service, Host: base.Hostname(), CommentBytes: int(o.Settings.Limits.MaxBody), Memory: memory, Observe: m.Replies(), Now: o.Now,
			Logger: logger, ErrorLog: slog.NewLogLogger(limits.connections.logger(logger).Handler(), slog.LevelWarn),
		}),
	}, nil
}))

// replies listens for replies from a mail server.
type replies struct {
	network, address string
	server           *lmtp.Server
	listener         net.Listener
	logger           *slog.Logger
}

// listen takes the address. From then on mail servers can connect, and wait.
func (r *replies) listen(ctx context.Context) error {
	var err error
	if r.network == "unix" {
		r.listener, err = listenUnix(ctx, r.address)
	} else {
		r.listener, err = new(net.ListenConfig).Listen(ctx, networkOf(r.address), r.address)
	}
	if err != nil {
		if op, ok := errors.AsType[*net.OpError](err); ok {
			err = op.Err
		}
		return fmt.Errorf("cannot listen on %s for replies by e-mail: %w", r.address, err)
	}
	r.logger.Info("replies by e-mail become comments", "address", r.listener.Addr().String())
	return nil
}

// socketMode lets the group of the service connect.
const socketMode fs.FileMode = 0o660

// listenUnix listens on a socket. It replaces the socket of a killed server, and no other
// file.
func listenUnix(ctx context.Context, path string) (net.Listener, error) {
	if found, err := os.Lstat(path); err == nil && found.Mode().Type() != fs.ModeSocket {
		return nil, errors.New("the path is a file or directory, not a socket: choose another path")
	}
	l, err := new(net.ListenConfig).Listen(ctx, "unix", path)
	if errors.Is(err, syscall.EADDRINUSE) {
		c, dialErr := new(net.Dialer).DialContext(ctx, "unix", path)
		if dialErr == nil {
			_ = c.Close()
			return nil, err
		}
		if !errors.Is(dialErr, syscall.ECONNREFUSED) || os.Remove(path) != nil {
			return nil, err
		}
		l, err = new(net.ListenConfig).Listen(ctx, "unix", path)
	}
	if err != nil {
		return nil, err
	}
	if err := os.Chmod(path, socketMode); err != nil {
		_ = l.Close()
		return nil, err
	}
	return l, nil
}

// serve answers until drain is called.
func (r *replies) serve() error { return r.server.Serve(r.listener) }

// lastReplies limits the wait for mails under way when the service stops.
const lastReplies = 5 * time.Second

// drain waits for the mails under way, but no longer than lastReplies: the mail server sends
// an interrupted mail again.
func (r *replies) drain(ctx context.Context) {
	limited, cancel := context.WithTimeout(ctx, lastReplies)
	defer cancel()
	_ = r.listener.Close() // also when nothing was served
	if r.server.Drain(limited) != nil {
		r.logger.Warn("replies by e-mail under way were cut off: their mail servers send them again", "after", lastReplies.String())
	}
}
