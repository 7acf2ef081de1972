package metrics

import (
	"github.com/prometheus/client_golang/prometheus"

	"github.com/problemtracking/problems/adapters/mail/lmtp"
	"github.com/problemtracking/problems/app/internal/mailworker"
)

// Mail reports on e-mail from now on.
func (m *Metrics) Mail(stat func() (mailworker.Stat, bool), attempts func(mailworker.Outcome) int64) {
	m.registry.MustRegister(mails{stat, attempts})
}

// Replies returns the count of replies by e-mail.
func (m *Metrics) Replies() func(lmtp.Outcome) {
	counts := prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "problems_mail_replies_total",
		Help: "Replies by e-mail to this server, by outcome: comment, repeated, automatic, deferred, or the reason for a refusal.",
	}, []string{"outcome"})
	for _, o := range lmtp.Outcomes() {
		counts.WithLabelValues(string(o))
	}
	m.registry.MustRegister(counts)
	return func(o lmtp.Outcome) { counts.WithLabelValues(string(o)).Inc() }
}

// mails collects the state of e-mail.
type mails struct {
	stat     func() (mailworker.Stat, bool)
	attempts func(mailworker.Outcome) int64
}

var (
	mailGathering = prometheus.NewDesc("problems_mail_gathering",
		"Changed problems within the quiet time before an e-mail, and damaged ones that wait for theirs. On the sending server, or the same on each server while none sends.", nil, nil)
	mailPending = prometheus.NewDesc("problems_mail_pending",
		"Changed problems with an e-mail still to send. On the sending server, or the same on each server while none sends.", nil, nil)
	mailOldest = prometheus.NewDesc("problems_mail_oldest_timestamp_seconds",
		"Time since which the oldest change waits for its e-mail, in seconds since 1970; 0 without one. On the sending server, or the same on each server while none sends.", nil, nil)
	mailAttempts = prometheus.NewDesc("problems_mail_attempts_total",
		"Attempts of this server to send a mail, by outcome: sent, unreachable, deferred, refused, or lost after the last attempt.", []string{"outcome"}, nil)
)

// Describe implements prometheus.Collector.
func (m mails) Describe(to chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{mailGathering, mailPending, mailOldest, mailAttempts} {
		to <- d
	}
}

// Collect implements prometheus.Collector.
func (m mails) Collect(to chan<- prometheus.Metric) {
	if s, ok := m.stat(); ok {
		to <- prometheus.MustNewConstMetric(mailGathering, prometheus.GaugeValue, float64(s.Gathering))
		to <- prometheus.MustNewConstMetric(mailPending, prometheus.GaugeValue, float64(s.Pending))
		to <- prometheus.MustNewConstMetric(mailOldest, prometheus.GaugeValue, seconds(s.Oldest))
	}
	for _, o := range mailworker.Outcomes() {
		to <- prometheus.MustNewConstMetric(mailAttempts, prometheus.CounterValue, float64(m.attempts(o)), string(o))
	}
}
