package metrics

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/problemtracking/problems/app/internal/webhookworker"
	"github.com/problemtracking/problems/domain/webhook"
)

// Webhooks reports on the delivery of webhooks from now on.
func (m *Metrics) Webhooks(stats func() []webhookworker.Stat, attempts func(webhook.Outcome) int64, locked func() int64) {
	m.registry.MustRegister(webhooks{stats, attempts, locked})
}

// webhooks collects the state of all webhooks, on the server that delivers.
type webhooks struct {
	stats    func() []webhookworker.Stat
	attempts func(webhook.Outcome) int64
	locked   func() int64
}

var (
	webhookPending = prometheus.NewDesc("problems_webhook_pending",
		"Events waiting for a webhook, or feed entries that may become such events. Only on the delivering server.", []string{"webhook"}, nil)
	webhookOldest = prometheus.NewDesc("problems_webhook_oldest_timestamp_seconds",
		"Time of the oldest event waiting for a webhook, in seconds since 1970; 0 without one. Only on the delivering server.", []string{"webhook"}, nil)
	webhookFailures = prometheus.NewDesc("problems_webhook_failures",
		"Failed attempts for the current event of a webhook. Only on the delivering server.", []string{"webhook"}, nil)
	webhookActive = prometheus.NewDesc("problems_webhook_active",
		"1 while a webhook gets events, and 0 when it waits or was stopped. Only on the delivering server.", []string{"webhook"}, nil)
	webhookAttempts = prometheus.NewDesc("problems_webhook_attempts_total",
		"Attempts of this server to deliver an event, by outcome: delivered, failed or parked.", []string{"outcome"}, nil)
	webhooksLocked = prometheus.NewDesc("problems_webhooks_locked",
		"Webhooks that this server cannot deliver to, because it lacks the key behind their secrets. Their events wait unless another server has it.", nil, nil)
)

// Describe implements prometheus.Collector.
func (w webhooks) Describe(to chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{webhookPending, webhookOldest, webhookFailures, webhookActive, webhookAttempts, webhooksLocked} {
		to <- d
	}
}

// Collect implements prometheus.Collector.
func (w webhooks) Collect(to chan<- prometheus.Metric) {
	gauge := func(d *prometheus.Desc, value float64, id string) {
		to <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, value, id)
	}
	for _, s := range w.stats() {
		gauge(webhookPending, float64(s.Pending), s.Webhook)
		gauge(webhookOldest, seconds(s.Oldest), s.Webhook)
		gauge(webhookFailures, float64(s.Failures), s.Webhook)
		active := 0.0
		if s.Active {
			active = 1
		}
		gauge(webhookActive, active, s.Webhook)
	}
	for _, o := range []webhook.Outcome{webhook.Delivered, webhook.Failed, webhook.Parked} {
		to <- prometheus.MustNewConstMetric(webhookAttempts, prometheus.CounterValue, float64(w.attempts(o)), string(o))
	}
	to <- prometheus.MustNewConstMetric(webhooksLocked, prometheus.GaugeValue, float64(w.locked()))
}

// seconds returns a time in seconds since 1970; the zero time is 0.
func seconds(t time.Time) float64 {
	if t.IsZero() {
		return 0
	}
	return float64(t.UnixMilli()) / 1000
}
