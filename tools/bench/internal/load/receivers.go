package load

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"
)

// receivers receive webhooks. Each has its own address, like receivers of different people.
type receivers struct {
	server    *http.Server
	listeners []net.Listener
	serving   sync.WaitGroup
	all       []*receiver
}

// receiver receives the messages of one webhook.
type receiver struct {
	url   string
	hangs bool // it never answers
	mu    sync.Mutex
	last  string // the identifier of the latest message
	came  []time.Time
}

// receive starts n receivers. Receiver i never answers if hangs(i) is true.
func receive(n int, hangs func(i int) bool) (r *receivers, err error) {
	r = &receivers{}
	r.server = &http.Server{Handler: http.HandlerFunc(r.take)}
	for i := range n {
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return nil, errors.Join(err, r.Close())
		}
		r.listeners = append(r.listeners, listener)
		r.all = append(r.all, &receiver{url: fmt.Sprintf("http://%s/%d", listener.Addr(), i), hangs: hangs(i)})
		r.serving.Go(func() { _ = r.server.Serve(listener) }) // until it is closed
	}
	return r, nil
}

// Close ends the receivers.
func (r *receivers) Close() error {
	err := r.server.Close()
	r.serving.Wait()
	return err
}

// take takes a message. A repeated message counts once.
func (r *receivers) take(w http.ResponseWriter, request *http.Request) {
	i, err := strconv.Atoi(strings.TrimPrefix(request.URL.Path, "/"))
	if err != nil || i < 0 || i >= len(r.all) {
		w.WriteHeader(http.StatusNotFound)
		return
	}
	now, one := time.Now(), r.all[i]
	_, _ = io.Copy(io.Discard, request.Body) // the service repeats a broken message
	if one.hangs {
		<-request.Context().Done()
		return
	}
	w.WriteHeader(http.StatusNoContent)
	one.mu.Lock()
	defer one.mu.Unlock()
	if id := request.Header.Get("Webhook-Id"); id != one.last {
		one.last, one.came = id, append(one.came, now)
	}
}

// reset forgets the messages so far.
func (r *receivers) reset() {
	for _, one := range r.all {
		one.mu.Lock()
		one.came = nil
		one.mu.Unlock()
	}
}

// await waits for n messages, and returns their times. It fails after the deadline.
func (one *receiver) await(ctx context.Context, n int, deadline time.Time) ([]time.Time, error) {
	for {
		one.mu.Lock()
		came := one.came
		one.mu.Unlock()
		switch {
		case len(came) == n:
			return came, nil
		case len(came) > n:
			return nil, fmt.Errorf("%s got %d messages, of %d writes", one.url, len(came), n)
		case time.Now().After(deadline):
			return nil, fmt.Errorf("%s got %d of %d messages: too slow", one.url, len(came), n)
		}
		if err := pause(ctx, 5*time.Millisecond); err != nil {
			return nil, err
		}
	}
}
