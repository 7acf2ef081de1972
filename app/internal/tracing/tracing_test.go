package tracing

import (
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/problemtracking/problems/adapters/httpframe"
	"github.com/problemtracking/problems/app/internal/observe"
)

// TestTraceIsPassedOn asks another service within a request: it gets the trace of the
// request's client.
func TestTraceIsPassedOn(t *testing.T) {
	t.Parallel()
	got := ""
	other := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { got = r.Header.Get("traceparent") }))
	defer other.Close()
	tracer, err := New(Options{URL: other.URL + "/collect", Ratio: 0, Logger: slog.New(slog.DiscardHandler), Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = tracer.Close(context.Background()) }()
	client := &http.Client{Transport: tracer.Transport(http.DefaultTransport)}
	handler := tracer.Handler(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		request, err := http.NewRequestWithContext(r.Context(), http.MethodGet, other.URL, nil)
		if err != nil {
			t.Error(err)
			return
		}
		response, err := client.Do(request)
		if err != nil {
			t.Error(err)
			return
		}
		_ = response.Body.Close()
	}))
	request := httptest.NewRequest(http.MethodGet, "/", nil)
	const trace = "4bf92f3577b34da6a3ce929d0e0e4736"
	request.Header.Set("traceparent", "00-"+trace+"-00f067aa0ba902b7-01")
	handler.ServeHTTP(httptest.NewRecorder(), request)
	if !strings.HasPrefix(got, "00-"+trace+"-") || strings.Contains(got, "00f067aa0ba902b7") {
		t.Errorf("the other service got traceparent %q; want a span of its own in the trace %s", got, trace)
	}
}

// TestNoTracer holds that all methods of the nil Tracer do nothing.
func TestNoTracer(t *testing.T) {
	t.Parallel()
	var none *Tracer
	handler := http.NewServeMux()
	if got := none.Handler(handler); got != http.Handler(handler) {
		t.Errorf("the handler is %v", got)
	}
	none.Request(httpframe.Exchange{Context: t.Context()})
	none.Call(observe.Call{Context: t.Context()})
	if got := none.Transport(http.DefaultTransport); got != http.DefaultTransport {
		t.Errorf("the transport is %v", got)
	}
	if err := none.Close(t.Context()); err != nil {
		t.Error(err)
	}
}
