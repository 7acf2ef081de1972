package metrics

import (
	"github.com/prometheus/client_golang/prometheus"

	"github.com/problemtracking/problems/domain/tracker"
)

// attachments are figures about the files of attachments, as of the last sweep of this server.
type attachments struct {
	count, bytes, foreign prometheus.Gauge
	removed               prometheus.Counter
	sweeps                *prometheus.CounterVec
}

func newAttachments(registry *prometheus.Registry) attachments {
	f := attachments{
		count:   prometheus.NewGauge(prometheus.GaugeOpts{Name: "problems_attachments_files", Help: "Files of attachments."}),
		bytes:   prometheus.NewGauge(prometheus.GaugeOpts{Name: "problems_attachments_bytes", Help: "Bytes of all files of attachments."}),
		foreign: prometheus.NewGauge(prometheus.GaugeOpts{Name: "problems_attachments_foreign", Help: "1 while the files of attachments are not those of this store alone."}),
		removed: prometheus.NewCounter(prometheus.CounterOpts{Name: "problems_attachments_removed_total", Help: "Files that were needed no more."}),
		sweeps:  prometheus.NewCounterVec(prometheus.CounterOpts{Name: "problems_attachments_sweeps_total", Help: "Sweeps of files by result."}, []string{"result"}),
	}
	for _, result := range []string{outcomeOK, outcomeFailed} {
		f.sweeps.WithLabelValues(result)
	}
	registry.MustRegister(f.count, f.bytes, f.foreign, f.removed, f.sweeps)
	return f
}

// FilesSwept counts a sweep of files with what it has found.
func (m *Metrics) FilesSwept(s tracker.Swept, err error) {
	if err != nil {
		m.attachments.sweeps.WithLabelValues(outcomeFailed).Inc()
		return
	}
	m.attachments.sweeps.WithLabelValues(outcomeOK).Inc()
	m.attachments.count.Set(float64(s.Files))
	m.attachments.bytes.Set(float64(s.Bytes))
	m.attachments.removed.Add(float64(s.Removed))
	m.attachments.foreign.Set(0)
	if s.State != tracker.FilesOwn && s.State != tracker.FilesNew {
		m.attachments.foreign.Set(1)
	}
}
