// Package metrics measures the service for Prometheus: its requests, its calls to the
// store, the store's pools, and the process.
package metrics

import (
	"database/sql"
	"errors"
	"net/http"
	"runtime"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/problemtracking/problems/adapters/httpframe/peer"
	"github.com/problemtracking/problems/app/internal/observe"
)

// Metrics are the measurements of one server. Nothing is registered globally, so tests
// can run several servers in one process.
type Metrics struct {
	attachments attachments
	registry    *prometheus.Registry
	requests    *prometheus.CounterVec
	answers     *prometheus.CounterVec
	latency     *prometheus.HistogramVec
	commits     *prometheus.CounterVec
	duration    prometheus.Histogram
	retries     prometheus.Counter
	views       prometheus.Histogram
	calls       *prometheus.CounterVec
	outcomes    *prometheus.CounterVec
	confirms    *prometheus.CounterVec
	replays     prometheus.Counter
	refused     *prometheus.CounterVec
	rereads     *prometheus.CounterVec
	runs        *prometheus.CounterVec
	lastRun     prometheus.Gauge
	underWay    atomic.Int64                        // requests
	fine        map[observe.Name]prometheus.Counter // of successful calls

	mu     sync.RWMutex
	routes map[exchange]counted // of known requests and latencies
}

// exchange is the key of a request's counters.
type exchange struct {
	route, method string
	status        int
}

// counted is where an exchange is counted.
type counted struct {
	requests prometheus.Counter
	answers  prometheus.Counter // of its class
	latency  prometheus.Observer
}

// latencies are the bounds of the histograms, in seconds: from a cache hit to the default
// limit of D22.
var latencies = []float64{.0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30}

// New returns the Metrics of a server of the given version, with the time of its start.
//
// A counter exists with all its labels before its first event: increase() and rate() miss the
// first one of a new series. Requests are different, because each route would have every
// status: alerts take the answers instead.
func New(version string, start time.Time) *Metrics {
	m := &Metrics{
		routes:   map[exchange]counted{},
		registry: prometheus.NewRegistry(),
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "problems_http_requests_total",
			Help: "Requests answered, by route, method and status.",
		}, []string{"route", "method", "status"}),
		answers: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "problems_http_answers_total",
			Help: "Requests answered, by the class of their status, such as 5xx.",
		}, []string{"class"}),
		latency: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name:    "problems_http_request_duration_seconds",
			Help:    "Time from the headers of a request to the end of its answer.",
			Buckets: latencies,
		}, []string{"route", "method"}),
		commits: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "problems_commits_total",
			Help: "Changes handed to the store, by outcome: ok, or the kind of the fault.",
		}, []string{"outcome"}),
		duration: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name:    "problems_commit_duration_seconds",
			Help:    "Time until the store has committed or refused a change.",
			Buckets: latencies,
		}),
		retries: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "problems_commit_retries_total",
			Help: "Changes refused after a conflict, and decided again.",
		}),
		views: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name:    "problems_view_duration_seconds",
			Help:    "Time from the beginning of a view of the store to its end or failure, with all its reads.",
			Buckets: latencies,
		}),
		calls: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "problems_store_calls_total",
			Help: "Calls to the store, by outcome: ok, busy, or the kind of the fault.",
		}, []string{"call", "outcome"}),
		outcomes: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "problems_outcomes_total",
			Help: "Commits of unknown outcome, by their later result: stored, ruled-out, or still unknown.",
		}, []string{"result"}),
		confirms: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "problems_confirms_total",
			Help: "Confirmations by the store of answers without a commit, by result: ok, busy, or the kind of the fault.",
		}, []string{"result"}),
		replays: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "problems_replays_total",
			Help: "Requests with the stored answer of an earlier one with the same Idempotency-Key.",
		}),
		refused: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "problems_connections_refused_total",
			Help: "Refused connections of clients, by limit: for their address, or for all.",
		}, []string{"limit"}),
		rereads: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "problems_files_reread_total",
			Help: "Files read again after a change or SIGHUP, by file (certificate or password) and result: ok or failed.",
		}, []string{"file", "result"}),
		runs: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "problems_housekeeping_runs_total",
			Help: "Runs of the housekeeping, by result: ok or failed.",
		}, []string{"result"}),
		lastRun: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "problems_housekeeping_last_success_timestamp_seconds",
			Help: "Time of the last successful housekeeping, in seconds since 1970; the start of the server before the first.",
		}),
		fine: map[observe.Name]prometheus.Counter{},
	}
	m.attachments = newAttachments(m.registry)
	for _, call := range observe.Names {
		m.fine[call] = m.calls.WithLabelValues(string(call), outcomeOK)
		m.calls.WithLabelValues(string(call), outcomeBusy)
		for _, kind := range observe.Kinds {
			m.calls.WithLabelValues(string(call), string(kind))
		}
	}
	for _, kind := range observe.Kinds {
		begin(m.commits, string(kind))
		begin(m.confirms, string(kind))
	}
	begin(m.answers, classes[:]...)
	begin(m.commits, outcomeOK)
	begin(m.confirms, outcomeOK, outcomeBusy)
	begin(m.outcomes, outcomeStored, outcomeRuledOut, outcomeUnknown)
	begin(m.refused, string(peer.OfAddress), string(peer.OfAll))
	begin(m.runs, outcomeOK, outcomeFailed)
	for _, file := range []string{FileCertificate, FilePassword} {
		m.rereads.WithLabelValues(file, outcomeOK)
		m.rereads.WithLabelValues(file, outcomeFailed)
	}
	m.lastRun.Set(seconds(start))
	underWay := prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "problems_http_requests_under_way",
		Help: "Requests in progress, without most streams of events.",
	}, func() float64 { return float64(m.underWay.Load()) })
	build := prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name:        "problems_build_info",
		Help:        "1, labelled with the version of the program and of Go.",
		ConstLabels: prometheus.Labels{"version": version, "go": runtime.Version()},
	}, func() float64 { return 1 })
	m.registry.MustRegister(m.requests, m.answers, m.latency, m.commits, m.duration, m.retries, m.views, m.calls, m.outcomes, m.confirms, m.replays, m.refused, m.rereads, m.runs, m.lastRun, underWay, build,
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return m
}

// begin makes the series of a counter with one label.
func begin(counts *prometheus.CounterVec, values ...string) {
	for _, value := range values {
		counts.WithLabelValues(value)
	}
}

// classes are the classes of statuses.
var classes = [...]string{"1xx", "2xx", "3xx", "4xx", "5xx"}

// Handler answers Prometheus.
func (m *Metrics) Handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{})
}

// Request counts an answered request. Clients must not be able to make any number of
// series: the route has to be a pattern, never a path, and all invented methods have to
// be one.
func (m *Metrics) Request(route, method string, status int, took time.Duration) {
	c := m.counted(exchange{route, method, status})
	c.requests.Inc()
	c.answers.Inc()
	c.latency.Observe(took.Seconds())
}

func (m *Metrics) counted(of exchange) counted {
	m.mu.RLock()
	c, ok := m.routes[of]
	m.mu.RUnlock()
	if !ok {
		c = counted{m.requests.WithLabelValues(of.route, of.method, strconv.Itoa(of.status)), m.answers.WithLabelValues(strconv.Itoa(of.status/100) + "xx"), m.latency.WithLabelValues(of.route, of.method)}
		m.mu.Lock()
		m.routes[of] = c
		m.mu.Unlock()
	}
	return c
}

// UnderWay returns a handler around next with a count of the requests under way.
func (m *Metrics) UnderWay(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		m.underWay.Add(1)
		defer m.underWay.Add(-1)
		next.ServeHTTP(w, r)
	})
}

// Replayed counts a request answered from an earlier one.
func (m *Metrics) Replayed() { m.replays.Inc() }

// ConnectionRefused counts a connection of a client refused by a limit.
func (m *Metrics) ConnectionRefused(limit string) { m.refused.WithLabelValues(limit).Inc() }

// Connected reports on the connections of clients from now on.
func (m *Metrics) Connected(open func() int) {
	m.registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "problems_connections_open",
		Help: "Open connections of clients.",
	}, func() float64 { return float64(open()) }))
}

// Events reports on the feed from now on: the streams and waiting polls, and the number of
// sent events. lag counts the age of an event when a stream sends it.
func (m *Metrics) Events(open func() int, sent func() uint64, lag prometheus.Collector) {
	m.registry.MustRegister(
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Name: "problems_event_streams_open",
			Help: "Streams of events, and polls that wait for one.",
		}, func() float64 { return float64(open()) }),
		prometheus.NewCounterFunc(prometheus.CounterOpts{
			Name: "problems_events_sent_total",
			Help: "Events sent to clients, in streams and in answers to polls.",
		}, func() float64 { return float64(sent()) }),
		lag,
	)
}

// NewEventLag returns the measurement of the time from an event until a stream sends it:
// one value for each part of a stream.
func NewEventLag() prometheus.Histogram {
	return prometheus.NewHistogram(prometheus.HistogramOpts{
		Name:    "problems_event_lag_seconds",
		Help:    "Time from the oldest event of a part until a stream has sent that part. Streams that still read the past do not count.",
		Buckets: latencies,
	})
}

// The files that are read again.
const (
	FileCertificate = "certificate"
	FilePassword    = "password"
)

// Reread counts a file read again, or a failure of it.
func (m *Metrics) Reread(file string, err error) {
	result := outcomeOK
	if err != nil {
		result = outcomeFailed
	}
	m.rereads.WithLabelValues(file, result).Inc()
}

// Certificate reports on the certificate of the service from now on.
func (m *Metrics) Certificate(end func() time.Time) {
	m.registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "problems_tls_certificate_end_timestamp_seconds",
		Help: "End of the certificate in use, in seconds since 1970.",
	}, func() float64 { return float64(end().Unix()) }))
}

// Housekept counts a run of the housekeeping with its end.
func (m *Metrics) Housekept(at time.Time, err error) {
	if err != nil {
		m.runs.WithLabelValues(outcomeFailed).Inc()
		return
	}
	m.runs.WithLabelValues(outcomeOK).Inc()
	m.lastRun.Set(seconds(at))
}

// Searches reports on searches from now on.
func (m *Metrics) Searches(stats func() (waiting, underWay int)) {
	m.registry.MustRegister(
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Name: "problems_searches_waiting",
			Help: "Searches waiting for their turn.",
		}, func() float64 { waiting, _ := stats(); return float64(waiting) }),
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Name: "problems_searches_under_way",
			Help: "Searches in progress.",
		}, func() float64 { _, underWay := stats(); return float64(underWay) }),
	)
}

// Memory reports on the memory of requests from now on: the bytes at this moment, and the
// requests waiting for more.
func (m *Metrics) Memory(stats func() (held int64, waiting int)) {
	m.registry.MustRegister(
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Name: "problems_memory_held_bytes",
			Help: "Memory held by requests for bodies and large answers, in bytes.",
		}, func() float64 { held, _ := stats(); return float64(held) }),
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Name: "problems_memory_waiting",
			Help: "Requests waiting for memory.",
		}, func() float64 { _, waiting := stats(); return float64(waiting) }),
	)
}

// Clock reports on the clock from now on.
func (m *Metrics) Clock(refusals func() uint64, offset func() time.Duration) {
	m.registry.MustRegister(
		prometheus.NewCounterFunc(prometheus.CounterOpts{
			Name: "problems_clock_refusals_total",
			Help: "Writes and readiness checks refused because the clock is too far ahead.",
		}, func() float64 { return float64(refusals()) }),
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Name: "problems_clock_offset_seconds",
			Help: "Lead of the clock over the elapsed time, in seconds; negative when the clock is behind.",
		}, func() float64 { return offset().Seconds() }),
	)
}

// Log reports on the log from now on.
func (m *Metrics) Log(dropped func() uint64) {
	m.registry.MustRegister(prometheus.NewCounterFunc(prometheus.CounterOpts{
		Name: "problems_log_lines_dropped_total",
		Help: "Lines missing from the log: nobody read them in time, or a write failed.",
	}, func() float64 { return float64(dropped()) }))
}

// Store reports on a store from now on, beside the metrics of every store. A collector in
// conflict with another one is left out, and the error names it.
func (m *Metrics) Store(all []prometheus.Collector) error {
	var err error
	for _, c := range all {
		err = errors.Join(err, m.registry.Register(c))
	}
	return err
}

// Pool returns the figures of a pool of database connections.
func Pool(name string, db *sql.DB) prometheus.Collector {
	return collectors.NewDBStatsCollector(db, name)
}

// Connections are the figures of a store's connections to its database.
type Connections struct {
	// Open and InUse are how many there are now, Most how many there can be.
	Open, InUse, Most int
	// Waited is how many calls have waited for a connection, WaitedFor how long they
	// have waited in total.
	Waited    uint64
	WaitedFor time.Duration
}

// Connected returns the figures of a store's connections to its database. Their names are
// those of Pool for another kind of pool.
func Connected(stats func() Connections) []prometheus.Collector {
	labels := prometheus.Labels{"db_name": "store"}
	gauge := func(name, help string, value func(Connections) int) prometheus.Collector {
		return prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help, ConstLabels: labels},
			func() float64 { return float64(value(stats())) })
	}
	counter := func(name, help string, value func(Connections) float64) prometheus.Collector {
		return prometheus.NewCounterFunc(prometheus.CounterOpts{Name: name, Help: help, ConstLabels: labels},
			func() float64 { return value(stats()) })
	}
	return []prometheus.Collector{
		gauge("go_sql_max_open_connections", "Maximum number of open connections to the database.", func(c Connections) int { return c.Most }),
		gauge("go_sql_open_connections", "The number of established connections both in use and idle.", func(c Connections) int { return c.Open }),
		gauge("go_sql_in_use_connections", "The number of connections currently in use.", func(c Connections) int { return c.InUse }),
		gauge("go_sql_idle_connections", "The number of idle connections.", func(c Connections) int { return c.Open - c.InUse }),
		counter("go_sql_wait_count_total", "The total number of connections waited for.", func(c Connections) float64 { return float64(c.Waited) }),
		counter("go_sql_wait_duration_seconds_total", "The total time blocked waiting for a new connection.", func(c Connections) float64 { return c.WaitedFor.Seconds() }),
	}
}

// GroupCommit returns the figures of a store with several changes in one transaction.
func GroupCommit(stats func() (transactions, changes uint64)) []prometheus.Collector {
	return []prometheus.Collector{
		prometheus.NewCounterFunc(prometheus.CounterOpts{
			Name: "problems_store_transactions_total",
			Help: "Transactions with writes. Each was synced to the disk once.",
		}, func() float64 { transactions, _ := stats(); return float64(transactions) }),
		prometheus.NewCounterFunc(prometheus.CounterOpts{
			Name: "problems_store_changes_total",
			Help: "Changes stored by those transactions.",
		}, func() float64 { _, changes := stats(); return float64(changes) }),
	}
}
