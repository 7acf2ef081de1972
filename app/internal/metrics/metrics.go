// Package metrics measures the service for Prometheus: its requests, its
// commits, the pools of its store, the process.
package metrics

import (
	"database/sql"
	"net/http"
	"runtime"
	"strconv"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// Metrics are the measurements of one server. Nothing is registered globally, so
// that tests can run several servers in one process.
type Metrics struct {
	registry *prometheus.Registry
	requests *prometheus.CounterVec
	latency  *prometheus.HistogramVec
	commits  *prometheus.CounterVec
	duration prometheus.Histogram
	retries  prometheus.Counter

	mu     sync.RWMutex
	routes map[exchange]counted // those of requests and latency that were looked up
}

// exchange is what requests are told apart by.
type exchange struct {
	route, method string
	status        int
}

// counted is where an exchange is counted.
type counted struct {
	requests prometheus.Counter
	latency  prometheus.Observer
}

// latencies are the bounds of the histograms, in seconds: from a request that
// hits the cache to the default limit of D22.
var latencies = []float64{.0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30}

// New returns the Metrics of a server of the given version.
func New(version string) *Metrics {
	m := &Metrics{
		routes:   map[exchange]counted{},
		registry: prometheus.NewRegistry(),
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "problems_http_requests_total",
			Help: "Requests answered, by route, method and status.",
		}, []string{"route", "method", "status"}),
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
			Help:    "Time that the store took to commit or refuse a change.",
			Buckets: latencies,
		}),
		retries: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "problems_commit_retries_total",
			Help: "Changes that were refused because what they rest on had changed, and so are decided again.",
		}),
	}
	build := prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name:        "problems_build_info",
		Help:        "1, labelled with the version of the program and of Go.",
		ConstLabels: prometheus.Labels{"version": version, "go": runtime.Version()},
	}, func() float64 { return 1 })
	m.registry.MustRegister(m.requests, m.latency, m.commits, m.duration, m.retries, build,
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return m
}

// Handler answers Prometheus.
func (m *Metrics) Handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{})
}

// Request counts an answered request. Clients must not be able to make any number
// of series: the route has to be a pattern, never a path, and the methods that they
// make up have to be one.
func (m *Metrics) Request(route, method string, status int, took time.Duration) {
	c := m.counted(exchange{route, method, status})
	c.requests.Inc()
	c.latency.Observe(took.Seconds())
}

func (m *Metrics) counted(of exchange) counted {
	m.mu.RLock()
	c, ok := m.routes[of]
	m.mu.RUnlock()
	if !ok {
		c = counted{m.requests.WithLabelValues(of.route, of.method, strconv.Itoa(of.status)), m.latency.WithLabelValues(of.route, of.method)}
		m.mu.Lock()
		m.routes[of] = c
		m.mu.Unlock()
	}
	return c
}

// Pool reports on a pool of database connections from now on.
func (m *Metrics) Pool(name string, db *sql.DB) {
	m.registry.MustRegister(collectors.NewDBStatsCollector(db, name))
}

// Connections are the figures of a store's connections to its database: how many
// are open and in use at this moment, how many there can be, and how many calls
// have waited for one, and for how long all together.
type Connections struct {
	Open, InUse, Most int
	Waited            uint64
	WaitedFor         time.Duration
}

// Connections reports on a store's connections to its database from now on. The
// names are those that Pool has for another kind of pool.
func (m *Metrics) Connections(stats func() Connections) {
	labels := prometheus.Labels{"db_name": "store"}
	gauge := func(name, help string, value func(Connections) int) {
		m.registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help, ConstLabels: labels},
			func() float64 { return float64(value(stats())) }))
	}
	gauge("go_sql_max_open_connections", "Maximum number of open connections to the database.", func(c Connections) int { return c.Most })
	gauge("go_sql_open_connections", "The number of established connections both in use and idle.", func(c Connections) int { return c.Open })
	gauge("go_sql_in_use_connections", "The number of connections currently in use.", func(c Connections) int { return c.InUse })
	gauge("go_sql_idle_connections", "The number of idle connections.", func(c Connections) int { return c.Open - c.InUse })
	counter := func(name, help string, value func(Connections) float64) {
		m.registry.MustRegister(prometheus.NewCounterFunc(prometheus.CounterOpts{Name: name, Help: help, ConstLabels: labels},
			func() float64 { return value(stats()) }))
	}
	counter("go_sql_wait_count_total", "The total number of connections waited for.", func(c Connections) float64 { return float64(c.Waited) })
	counter("go_sql_wait_duration_seconds_total", "The total time blocked waiting for a new connection.", func(c Connections) float64 { return c.WaitedFor.Seconds() })
}

// GroupCommit reports on a store that commits several changes in one transaction
// from now on.
func (m *Metrics) GroupCommit(stats func() (transactions, changes uint64)) {
	m.registry.MustRegister(
		prometheus.NewCounterFunc(prometheus.CounterOpts{
			Name: "problems_store_transactions_total",
			Help: "Transactions that stored something, each of which was synced to the disk once.",
		}, func() float64 { transactions, _ := stats(); return float64(transactions) }),
		prometheus.NewCounterFunc(prometheus.CounterOpts{
			Name: "problems_store_changes_total",
			Help: "Changes stored by those transactions.",
		}, func() float64 { _, changes := stats(); return float64(changes) }),
	)
}
