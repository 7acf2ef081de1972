// Package tracing makes traces of OpenTelemetry: a span for each request, and one within
// it for each call to the store.
package tracing

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"sync/atomic"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"

	"github.com/problemtracking/problems/adapters/httpframe"
	"github.com/problemtracking/problems/app/internal/observe"
)

// Options describe where traces go.
type Options struct {
	// URL is the address of a collector, such as http://127.0.0.1:4318. It is spoken to
	// by OTLP over HTTP, at the path /v1/traces unless the URL has one.
	URL string
	// Ratio is the part of the requests with a trace, from 0 to 1. A request of a traced
	// client follows its client.
	Ratio   float64
	Version string // of the program
	Logger  *slog.Logger
	Now     func() time.Time
}

// Tracer makes spans. The nil Tracer makes none.
type Tracer struct {
	provider *sdktrace.TracerProvider
	tracer   trace.Tracer
	context  propagation.TraceContext
}

// New returns a tracer. It connects to nothing yet.
func New(o Options) (*Tracer, error) {
	u, err := Endpoint(o.URL)
	if err != nil {
		return nil, err
	}
	exporter, err := otlptracehttp.New(context.Background(), otlptracehttp.WithEndpointURL(u.String()))
	if err != nil {
		return nil, fmt.Errorf("traces cannot be sent: %w", err)
	}
	provider := sdktrace.NewTracerProvider(
		sdktrace.WithBatcher(&quiet{SpanExporter: exporter, logger: o.Logger, now: o.Now}),
		sdktrace.WithSampler(sdktrace.ParentBased(sdktrace.TraceIDRatioBased(o.Ratio))),
		sdktrace.WithResource(resource.NewSchemaless(attribute.String("service.name", "problems"), attribute.String("service.version", o.Version))),
	)
	return &Tracer{provider: provider, tracer: provider.Tracer("github.com/problemtracking/problems")}, nil
}

// Endpoint returns where to send traces, by the URL of a collector.
func Endpoint(collector string) (*url.URL, error) {
	u, err := url.Parse(collector)
	if err == nil && (u.Path == "" || u.Path == "/") {
		u = u.JoinPath("v1", "traces")
	}
	return u, err
}

// Close sends the spans that are left.
func (t *Tracer) Close(ctx context.Context) error {
	if t == nil {
		return nil
	}
	return t.provider.Shutdown(ctx)
}

// Handler returns a handler around next with a span for each request. A request with the
// header traceparent goes on with the trace of its client.
func (t *Tracer) Handler(next http.Handler) http.Handler {
	if t == nil {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ctx := t.context.Extract(r.Context(), propagation.HeaderCarrier(r.Header))
		ctx, span := t.tracer.Start(ctx, "HTTP", trace.WithSpanKind(trace.SpanKindServer))
		defer span.End()
		next.ServeHTTP(w, r.WithContext(ctx))
	})
}

// Request completes the span of a request.
func (t *Tracer) Request(x httpframe.Exchange) {
	if t == nil || x.Context == nil {
		return
	}
	span := trace.SpanFromContext(x.Context)
	if !span.IsRecording() {
		return
	}
	span.SetName(x.Method + " " + x.Route)
	span.SetAttributes(
		attribute.String("http.request.method", x.Method),
		attribute.String("http.route", x.Route),
		attribute.Int("http.response.status_code", x.Status),
		attribute.Int64("http.response.body.size", x.Bytes),
		attribute.String("request.id", x.RequestID),
	)
	if x.Status >= http.StatusInternalServerError {
		span.SetStatus(codes.Error, "")
	}
}

// Call makes the span of a finished call to the store, within the one of its request.
func (t *Tracer) Call(c observe.Call) {
	if t == nil || !trace.SpanFromContext(c.Context).IsRecording() {
		return
	}
	_, span := t.tracer.Start(c.Context, "store."+string(c.Name), trace.WithTimestamp(c.Start), trace.WithSpanKind(trace.SpanKindClient))
	if kind := c.Kind(); kind != "" {
		span.SetStatus(codes.Error, string(kind))
	}
	span.End(trace.WithTimestamp(c.End()))
}

// Transport returns a way for requests to other services, which pass the trace on.
func (t *Tracer) Transport(next http.RoundTripper) http.RoundTripper {
	if t == nil {
		return next
	}
	return passing{t, next}
}

type passing struct {
	*Tracer
	next http.RoundTripper
}

// RoundTrip implements http.RoundTripper.
func (p passing) RoundTrip(r *http.Request) (*http.Response, error) {
	ctx, span := p.tracer.Start(r.Context(), "HTTP "+r.Method, trace.WithSpanKind(trace.SpanKindClient), trace.WithAttributes(attribute.String("server.address", r.URL.Host)))
	defer span.End()
	r = r.Clone(ctx)
	p.context.Inject(ctx, propagation.HeaderCarrier(r.Header))
	response, err := p.next.RoundTrip(r)
	if err != nil {
		span.SetStatus(codes.Error, "")
		return nil, err
	}
	span.SetAttributes(attribute.Int("http.response.status_code", response.StatusCode))
	return response, nil
}

// quiet logs failures of the collector once a minute. The spans are lost, and the service
// goes on.
type quiet struct {
	sdktrace.SpanExporter
	logger *slog.Logger
	now    func() time.Time
	logged atomic.Int64 // seconds since 1970
}

// ExportSpans implements sdktrace.SpanExporter.
func (q *quiet) ExportSpans(ctx context.Context, spans []sdktrace.ReadOnlySpan) error {
	err := q.SpanExporter.ExportSpans(ctx, spans)
	if err == nil {
		return nil
	}
	now := q.now().Unix()
	if last := q.logged.Load(); now-last >= 60 && q.logged.CompareAndSwap(last, now) {
		if failure, ok := errors.AsType[*url.Error](err); ok {
			err = failure.Err // the text before it has the address, whose query may be a secret
		}
		q.logger.Warn("the collector does not take the traces: they are lost", "spans", len(spans), "error", err.Error())
	}
	return nil
}
