// Package diagnose shows profiles of the process, and the last seconds of its execution.
package diagnose

import (
	"bytes"
	"net"
	"net/http"
	"net/http/pprof"
	"net/netip"
	"runtime/trace"
	"strings"
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

// Handler returns the pages, below /debug. There is none of the command line: a flag may be a
// secret. A page of a foreign site in a browser of this machine can name its own host as this
// machine: other hosts than this machine are refused.
func Handler(recorder *Recorder) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /debug/pprof/", pprof.Index) // and all profiles of the runtime
	mux.HandleFunc("GET /debug/pprof/cmdline", http.NotFound)
	mux.HandleFunc("GET /debug/pprof/profile", pprof.Profile)
	mux.HandleFunc("GET /debug/pprof/symbol", pprof.Symbol)
	mux.HandleFunc("GET /debug/pprof/trace", pprof.Trace)
	mux.Handle("GET /debug/flight", recorder)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !isLocal(r.Host) {
			http.Error(w, "profiles are for this machine: name it as 127.0.0.1, [::1] or localhost", http.StatusMisdirectedRequest)
			return
		}
		mux.ServeHTTP(w, r)
	})
}

// isLocal reports whether a host, perhaps with a port, is this machine by its own names.
func isLocal(host string) bool {
	if h, _, err := net.SplitHostPort(host); err == nil {
		host = h
	}
	ip, err := netip.ParseAddr(strings.Trim(host, "[]"))
	return host == "localhost" || err == nil && ip.IsLoopback()
}
