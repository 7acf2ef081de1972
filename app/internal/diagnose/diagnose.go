// Package diagnose shows profiles of the process, and the last seconds of its execution.
package diagnose

import (
	"bytes"
	"net/http"
	"net/http/pprof"
	"runtime/trace"
	"sync"
	"time"
)

// Recorder keeps the last seconds of the execution in memory. The nil Recorder keeps
// nothing.
type Recorder struct {
	flight *trace.FlightRecorder
	mu     sync.Mutex // one reader at a time
}

// most is how much memory a Recorder takes.
const most = 16 << 20

// NewRecorder returns a Recorder that keeps at least the given time, as far as it fits in
// 16 MiB. It has to be started.
func NewRecorder(window time.Duration) *Recorder {
	return &Recorder{flight: trace.NewFlightRecorder(trace.FlightRecorderConfig{MinAge: window, MaxBytes: most})}
}

// Start begins to record.
func (r *Recorder) Start() error { return r.flight.Start() }

// Stop ends it.
func (r *Recorder) Stop() { r.flight.Stop() }

// ServeHTTP sends the recording, for "go tool trace".
func (r *Recorder) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	if r == nil {
		http.Error(w, "the flight recorder is off: set PROBLEMS_FLIGHT_RECORDER to a time such as 10s", http.StatusNotFound)
		return
	}
	var recorded bytes.Buffer
	r.mu.Lock()
	_, err := r.flight.WriteTo(&recorded)
	r.mu.Unlock()
	if err != nil {
		http.Error(w, "the flight recorder failed: "+err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/octet-stream")
	w.Header().Set("Content-Disposition", `attachment; filename="problems.trace"`)
	_, _ = w.Write(recorded.Bytes())
}

// Register adds the pages to a mux, below /debug. There is none of the command line: a
// flag may be a secret.
func Register(mux *http.ServeMux, recorder *Recorder) {
	mux.HandleFunc("GET /debug/pprof/", pprof.Index) // and all profiles of the runtime
	mux.HandleFunc("GET /debug/pprof/cmdline", http.NotFound)
	mux.HandleFunc("GET /debug/pprof/profile", pprof.Profile)
	mux.HandleFunc("GET /debug/pprof/symbol", pprof.Symbol)
	mux.HandleFunc("GET /debug/pprof/trace", pprof.Trace)
	mux.Handle("GET /debug/flight", recorder)
}
