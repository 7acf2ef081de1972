package e2e

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	collector "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	traces "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"
)

// spans are what a collector got.
type spans struct {
	mu  sync.Mutex
	all []*traces.Span
}

// newCollector starts a collector of OpenTelemetry.
func newCollector(t *testing.T) (*spans, string) {
	t.Helper()
	s := &spans{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		var request collector.ExportTraceServiceRequest
		if err == nil {
			err = proto.Unmarshal(body, &request)
		}
		if err != nil || r.URL.Path != "/v1/traces" {
			t.Errorf("the collector got %s: %v", r.URL, err)
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		for _, resource := range request.ResourceSpans {
			for _, scope := range resource.ScopeSpans {
				s.all = append(s.all, scope.Spans...)
			}
		}
	}))
	t.Cleanup(server.Close)
	return s, server.URL
}

// named returns the spans with a name, in the trace of a client.
func (s *spans) named(name, trace string) (found []*traces.Span) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, span := range s.all {
		if span.Name == name && fmt.Sprintf("%x", span.TraceId) == trace {
			found = append(found, span)
		}
	}
	return found
}

// TestTraces follows a write in the trace of its client: a span for the request, and
// spans of the store within it.
func TestTraces(t *testing.T) {
	t.Parallel()
	spans, url := newCollector(t)
	token := newToken(t)
	s := serve(t, "memory:", "PROBLEMS_BOOTSTRAP_TOKEN="+token, "PROBLEMS_TRACES_URL="+url)
	const client, trace, untraced = "00f067aa0ba902b7", "4bf92f3577b34da6a3ce929d0e0e4736", "5bf92f3577b34da6a3ce929d0e0e4736"
	c := s.as(token)
	for _, id := range []string{trace + "-" + client + "-01", untraced + "-" + client + "-00"} { // the second one is not sampled
		if status, body := c.do(http.MethodPost, "/problems", `{"title":"Traced"}`, "Content-Type", "application/json", "traceparent", "00-"+id); status != http.StatusCreated {
			t.Fatalf("the status is %d: %s", status, body)
		}
	}
	s.stop()
	requests := spans.named("POST /api/20151105/problems", trace)
	if len(requests) != 1 || fmt.Sprintf("%x", requests[0].ParentSpanId) != client {
		t.Fatalf("the spans of the request are %v; want one, below the span of the client", requests)
	}
	text := fmt.Sprint(requests[0].Attributes)
	for _, want := range []string{"http.response.status_code", "201", "/api/20151105/problems", "request.id"} {
		if !strings.Contains(text, want) {
			t.Errorf("the span of the request lacks %s: %s", want, text)
		}
	}
	if strings.Contains(fmt.Sprint(spans.all), token[4:]) {
		t.Error("the token is in the spans")
	}
	for _, name := range []string{"store.view", "store.commit"} {
		found := spans.named(name, trace)
		if len(found) == 0 {
			t.Errorf("there is no span %s", name)
		}
		for _, span := range found {
			if string(span.ParentSpanId) != string(requests[0].SpanId) || span.StartTimeUnixNano < requests[0].StartTimeUnixNano || span.EndTimeUnixNano > requests[0].EndTimeUnixNano {
				t.Errorf("%s is not within its request: %v", name, span)
			}
		}
	}
	if found := spans.named("POST /api/20151105/problems", untraced); len(found) > 0 {
		t.Errorf("a request that its client does not sample has %v", found)
	}
}

// TestAwayCollector holds that traces which nobody takes harm nothing.
func TestAwayCollector(t *testing.T) {
	t.Parallel()
	token := newToken(t)
	s := serve(t, "memory:", "PROBLEMS_BOOTSTRAP_TOKEN="+token, "PROBLEMS_TRACES_URL=http://"+freeAddress(t))
	if status, body := s.as(token).do(http.MethodPost, "/problems", `{"title":"Traced"}`, "Content-Type", "application/json"); status != http.StatusCreated {
		t.Fatalf("the status is %d: %s", status, body)
	}
	s.stop()
	if log := s.stderr.String(); strings.Count(log, "the collector does not take the traces") > 1 {
		t.Errorf("the log repeats itself:\n%s", log)
	}
}
