package metrics

import (
	"errors"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/problemtracking/problems/app/internal/observe"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/store"
)

// The outcomes of calls beside the kinds of faults.
const (
	outcomeOK   = "ok"
	outcomeBusy = "busy" // an unavailable store that still answers
)

// The results of other work.
const (
	outcomeFailed   = "failed"
	outcomeStored   = "stored"
	outcomeRuledOut = "ruled-out"
	outcomeUnknown  = "unknown"
)

// Call measures a finished call to the store.
func (m *Metrics) Call(c observe.Call) {
	outcome := outcomeOK
	if kind := c.Kind(); kind != "" {
		outcome = string(kind)
		if errors.Is(c.Err, store.ErrBusy) {
			outcome = outcomeBusy
		}
		m.calls.WithLabelValues(string(c.Name), outcome).Inc()
	} else {
		m.fine[c.Name].Inc()
	}
	switch c.Name {
	case observe.View:
		m.views.Observe(c.Took.Seconds())
	case observe.Confirm:
		m.confirms.WithLabelValues(outcome).Inc()
	case observe.Outcome:
		m.outcomes.WithLabelValues(settled(c)).Inc()
	case observe.Commit:
		m.commit(c)
	}
}

func (m *Metrics) commit(c observe.Call) {
	m.duration.Observe(c.Took.Seconds())
	outcome := outcomeOK
	if c.Err != nil {
		outcome = string(fault.KindOf(c.Err))
	}
	m.commits.WithLabelValues(outcome).Inc()
	if fault.Is(c.Err, fault.Conflict) {
		m.retries.Inc()
	}
}

// settled returns how a commit of unknown outcome was settled.
func settled(c observe.Call) string {
	switch {
	case c.Err != nil:
		return outcomeUnknown
	case c.Stored:
		return outcomeStored
	}
	return outcomeRuledOut
}

// StoreUp adds a metric: 1 while the store can be used, for reads or for writes.
func (m *Metrics) StoreUp(use string, up func() bool) {
	m.registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name:        "problems_store_up",
		Help:        "1 while the store takes these calls: reads or writes. 0 from the first failed call until one succeeds.",
		ConstLabels: prometheus.Labels{"use": use},
	}, func() float64 {
		if up() {
			return 1
		}
		return 0
	}))
}

// StoreHost adds a metric with the host of the store, if the store knows one.
func (m *Metrics) StoreHost(host func() string) {
	m.registry.MustRegister(hostInfo{host, prometheus.NewDesc("problems_store_host_info",
		"1, with the last used host of the store as label.", []string{"host"}, nil)})
}

// hostInfo is a metric with one series and a changing label.
type hostInfo struct {
	host func() string
	desc *prometheus.Desc
}

// Describe implements prometheus.Collector.
func (h hostInfo) Describe(to chan<- *prometheus.Desc) { to <- h.desc }

// Collect implements prometheus.Collector.
func (h hostInfo) Collect(to chan<- prometheus.Metric) {
	if host := h.host(); host != "" {
		to <- prometheus.MustNewConstMetric(h.desc, prometheus.GaugeValue, 1, host)
	}
}

// Behind returns the metric of the unfinished steps in the background. each calls its
// argument for every step, with the completed part, from 0 to 1.
func Behind(each func(step func(name string, done float64))) prometheus.Collector {
	return behind{each, prometheus.NewDesc("problems_store_background_ratio",
		"Completed part of a background step of the schema, from 0 to 1. A completed step has no series.", []string{"step"}, nil)}
}

// behind is a metric with a series for each unfinished step.
type behind struct {
	each func(func(string, float64))
	desc *prometheus.Desc
}

// Describe implements prometheus.Collector.
func (b behind) Describe(to chan<- *prometheus.Desc) { to <- b.desc }

// Collect implements prometheus.Collector.
func (b behind) Collect(to chan<- prometheus.Metric) {
	b.each(func(name string, done float64) {
		to <- prometheus.MustNewConstMetric(b.desc, prometheus.GaugeValue, done, name)
	})
}
