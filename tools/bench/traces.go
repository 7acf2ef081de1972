package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync/atomic"
	"time"
)

// collector takes the traces of the servers, and throws them away. It shares the
// processors of the client.
type collector struct {
	url   string
	bytes atomic.Int64
}

// traceSettings returns the settings of a server with traces. The first call starts the
// collector.
func (b *bench) traceSettings(ratio string) ([]string, error) {
	if b.spans == nil {
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return nil, err
		}
		b.spans = &collector{url: "http://" + listener.Addr().String()}
		server := &http.Server{Handler: b.spans, ReadHeaderTimeout: time.Minute}
		go func() { _ = server.Serve(listener) }() // until it is closed
		b.undo = append(b.undo, func(context.Context) error { return server.Close() })
	}
	return []string{"PROBLEMS_TRACES_URL=" + b.spans.url, "PROBLEMS_TRACES_RATIO=" + ratio}, nil
}

func (c *collector) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	n, err := io.Copy(io.Discard, r.Body)
	if err != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	c.bytes.Add(n)
	w.Header().Set("Content-Type", "application/x-protobuf")
}

// arrived fails when servers with traces have sent none.
func (c *collector) arrived() error {
	if c != nil && c.bytes.Load() == 0 {
		return errors.New("the servers with traces have sent none: their cost was not measured")
	}
	return nil
}

// tracedKind names a server with traces.
func tracedKind(store, ratio string) string {
	return fmt.Sprintf("%s, %s of the requests traced", store, ratio)
}

// tracing compares each server with traces with the one without, in the mixes for which
// both were measured.
func (r *report) tracing(o options) {
	for _, m := range o.mixes {
		for _, n := range m.At(o.connections) {
			for _, store := range o.stores {
				for _, ratio := range o.traces {
					plain, traced := r.find(m.Name, n, store, false), r.find(m.Name, n, tracedKind(store, ratio), false)
					if plain != nil && traced != nil {
						r.ratio(fmt.Sprintf("%s, %s, %d connections, %s of the requests traced: of the rate without traces", m.Name, store, n, ratio), leastTraced, traced, plain)
					}
				}
			}
		}
	}
}

// leastTraced is the goal for a server with traces: its rate, of the rate without.
const leastTraced = 0.75
