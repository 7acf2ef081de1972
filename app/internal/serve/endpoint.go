package serve

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"sync"
	"time"

	"github.com/problemtracking/problems/adapters/httpapi"
)

// endpoint is an address with a handler.
type endpoint struct {
	address   string
	files     *files // with the certificate; nil: it speaks no TLS
	server    *http.Server
	listener  net.Listener     // nil: none yet; the supervisor may have opened it
	serving   sync.WaitGroup   // of serve
	admission *admission       // nil: it admits all connections
	open      func() int       // the number of open connections; nil: nobody counts them
	streams   *httpapi.Streams // nil: it has none
}

// listen takes the address. From then on clients can connect, and wait.
func (e *endpoint) listen(ctx context.Context) error {
	if e.files != nil {
		if err := e.files.readCertificate(); err != nil {
			return err
		}
		e.server.TLSConfig = e.files.tls()
	}
	if e.listener == nil {
		var err error
		e.listener, err = new(net.ListenConfig).Listen(ctx, networkOf(e.address), e.address)
		if err != nil {
			if op, ok := errors.AsType[*net.OpError](err); ok {
				err = op.Err
			}
			return fmt.Errorf("cannot listen on %s: %w", e.address, err)
		}
	}
	if e.admission != nil {
		e.listener = e.admission.limit(e.listener)
	}
	return nil
}

// networkOf returns the network of an address to listen on. Go takes 0.0.0.0 for all
// addresses, also of IPv6, unless the network is that of IPv4.
func networkOf(address string) string {
	if a, err := netip.ParseAddrPort(address); err == nil && a.Addr().Is4() {
		return "tcp4"
	}
	return "tcp"
}

// serve answers until drain is called.
func (e *endpoint) serve() error {
	var err error
	if e.server.TLSConfig != nil {
		err = e.server.ServeTLS(e.listener, "", "")
	} else {
		err = e.server.Serve(e.listener)
	}
	if errors.Is(err, http.ErrServerClosed) || errors.Is(err, net.ErrClosed) {
		return nil
	}
	return err
}

// drain lets the requests under way end, but waits no longer than the limit.
func (e *endpoint) drain(ctx context.Context, limit time.Duration, logger *slog.Logger) error {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	_ = e.listener.Close()
	e.serving.Wait() // the connections accepted until now are known
	e.server.SetKeepAlivesEnabled(false)
	e.awaitRequests(ctx)
	err := e.server.Shutdown(ctx)
	if err == nil && e.streams != nil {
		err = e.streams.Wait(ctx)
	}
	if err == nil {
		return nil
	}
	logger.Warn("requests under way were cut off", "after", limit.String())
	return e.server.Close()
}

// lastRequests is how long a connection without a request may keep the endpoint from its
// end.
const lastRequests = 500 * time.Millisecond

// awaitRequests waits for the requests of connections that were just accepted. Shutdown
// alone would close these without an answer, although their clients have done nothing
// wrong.
func (e *endpoint) awaitRequests(ctx context.Context) {
	if e.open == nil {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, lastRequests)
	defer cancel()
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for e.open() > 0 {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}

// url returns the taken address, as a URL.
func (e *endpoint) url() string {
	scheme := "http"
	if e.files != nil {
		scheme = "https"
	}
	return scheme + "://" + e.listener.Addr().String()
}
