package serve

import (
	"bufio"
	"bytes"
	"crypto/rand"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/problemtracking/problems/adapters/memory"
	"github.com/problemtracking/problems/app/internal/config"
	"github.com/problemtracking/problems/app/internal/metrics"
	"github.com/problemtracking/problems/app/internal/observe"
	"github.com/problemtracking/problems/app/internal/outage"
	"github.com/problemtracking/problems/app/internal/tracing"
	"github.com/problemtracking/problems/domain/tracker"
)

// BenchmarkLoadProblem loads a problem with ten log entries, from memory and over a
// connection that is kept, from a server as Run makes it: with the log, to where
// nobody reads it, and the metrics. The client allocates nothing.
func BenchmarkLoadProblem(b *testing.B) { loadProblems(b, nil) }

// BenchmarkTraces is the same without traces, with one request in a hundred traced, and
// with all of them. The collector takes everything and keeps nothing.
func BenchmarkTraces(b *testing.B) {
	collector := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { _, _ = io.Copy(io.Discard, r.Body) }))
	defer collector.Close()
	b.Run("off", func(b *testing.B) { loadProblems(b, nil) })
	for name, ratio := range map[string]float64{"one in a hundred": 0.01, "all": 1} {
		b.Run(name, func(b *testing.B) {
			traces, err := tracing.New(tracing.Options{URL: collector.URL, Ratio: ratio, Logger: slog.New(slog.DiscardHandler), Now: time.Now})
			if err != nil {
				b.Fatal(err)
			}
			defer func() { _ = traces.Close(b.Context()) }()
			loadProblems(b, traces)
		})
	}
}

func loadProblems(b *testing.B, traces *tracing.Tracer) {
	uuid.EnableRandPool() // as the program does
	service, token := seeded(b, traces.Call)
	devNull, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = devNull.Close() }()
	lines := newJournal(devNull, time.Now)
	defer lines.Close(time.Minute)
	logger := newLogger(lines, slog.LevelInfo)
	settings := config.Settings{
		Limits:   config.Limits{Memory: 512 << 20, MaxProblem: 64 << 20, MaxBody: 1 << 20, MaxHeaders: 32 << 10, MaxDepth: 32},
		Timeouts: config.Timeouts{RequestTimeout: 30 * time.Second, HeaderTimeout: 10 * time.Second, ReadTimeout: 30 * time.Second, WriteTimeout: 2 * time.Minute, IdleTimeout: 2 * time.Minute},
	}
	settings.Server.Listen = "127.0.0.1:0"
	o := Options{
		Settings: settings, Stderr: lines, Now: time.Now,
		NewRequestID: func() string { return uuid.Must(uuid.NewV7()).String() },
	}
	handler, err := newHandler(handling{
		Options: o, Logger: logger, Metrics: metrics.New("benchmark", o.Now()), Traces: traces, Outages: outage.New(logger, func() string { return "" }),
		Service: service, Throttles: newThrottles(logger, time.Now), Stopping: newStopping(), Codes: newCodes(),
	})
	if err != nil {
		b.Fatal(err)
	}
	ask := func(method, path, body string) *http.Request {
		r := httptest.NewRequest(method, "/api/20151105"+path, strings.NewReader(body))
		r.Header.Set("Authorization", token)
		return r
	}
	set := func(method, path, body string) {
		w := httptest.NewRecorder()
		if handler.ServeHTTP(w, ask(method, path, body)); w.Code >= 300 {
			b.Fatalf("%s %s: %s", method, path, w.Body)
		}
	}
	for range 100 {
		set("POST", "/problems", `{"title":"The login page answers slowly"}`)
	}
	for i := range 9 {
		set("PUT", fmt.Sprintf("/problems/100/keywords/k%d", i), `"value"`)
	}

	api := newAPI(settings, handler, nil, logger)
	if err := api.listen(b.Context()); err != nil {
		b.Fatal(err)
	}
	ended := make(chan error)
	go func() { ended <- api.serve() }()
	defer func() { _ = api.server.Close(); <-ended }()
	client, err := net.Dial("tcp", api.listener.Addr().String())
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = client.Close() }()
	wire := fmt.Appendf(nil, "GET /api/20151105/problems/100 HTTP/1.1\r\nHost: %s\r\nAuthorization: %s\r\n\r\n", api.listener.Addr(), token)
	var recorded bytes.Buffer
	if _, err := client.Write(wire); err != nil {
		b.Fatal(err)
	}
	first, err := http.ReadResponse(bufio.NewReader(io.TeeReader(client, &recorded)), nil)
	if err != nil {
		b.Fatal(err)
	}
	if _, err := io.Copy(io.Discard, first.Body); err != nil || first.StatusCode != http.StatusOK {
		b.Fatal(first.Status, err)
	}
	answer := make([]byte, recorded.Len()) // all are of the same length
	b.ReportAllocs()
	for b.Loop() {
		if _, err := client.Write(wire); err != nil {
			b.Fatal(err)
		}
		if _, err := io.ReadFull(client, answer); err != nil {
			b.Fatal(err)
		}
	}
	if !bytes.HasPrefix(answer, []byte("HTTP/1.1 200 OK\r\n")) || !bytes.HasSuffix(answer, []byte("]}\n")) {
		b.Fatalf("answers are not of the same length: %q", answer)
	}
}

// seeded returns a service on a new store in memory, and the token of its first
// administrator.
func seeded(tb testing.TB, observers ...func(observe.Call)) (*tracker.Service, string) {
	tb.Helper()
	inMemory, err := memory.Open(tb.Context(), memory.Options{})
	if err != nil {
		tb.Fatal(err)
	}
	service := tracker.New(tracker.Options{Store: observe.Store(inMemory, time.Now, observers...), Now: time.Now, Random: rand.Reader, Limits: tracker.DefaultLimits()})
	secret, err := service.NewSecret()
	if err != nil {
		tb.Fatal(err)
	}
	if _, err := service.Seed(tb.Context(), secret); err != nil {
		tb.Fatal(err)
	}
	return service, secret.Reveal()
}
