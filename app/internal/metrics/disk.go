package metrics

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/problemtracking/problems/app/internal/backups"
	"github.com/problemtracking/problems/app/internal/disk"
)

// Files are the files and directories that the metrics report on. An empty path is none.
type Files struct {
	Store, Backups string
	// Start is the start of the server.
	Start time.Time
}

// Files reports on the disks of files from now on, and on the newest copy of the store.
func (m *Metrics) Files(f Files) { m.registry.MustRegister(f) }

var (
	diskFree = prometheus.NewDesc("problems_disk_free_bytes",
		"Free space on the disk of the store or of its backups, in bytes.", []string{"of"}, nil)
	diskSize = prometheus.NewDesc("problems_disk_size_bytes",
		"Size of the disk of the store or of its backups, in bytes.", []string{"of"}, nil)
	backupLast = prometheus.NewDesc("problems_backup_last_success_timestamp_seconds",
		"Time of the newest copy in the directory of backups, in seconds since 1970; the start of the server without one.", nil, nil)
)

// Describe implements prometheus.Collector.
func (f Files) Describe(to chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{diskFree, diskSize, backupLast} {
		to <- d
	}
}

// Collect implements prometheus.Collector. What is not there has no figures, such as the
// directory of backups before the first one.
func (f Files) Collect(to chan<- prometheus.Metric) {
	for of, path := range map[string]string{"store": f.Store, "backups": f.Backups} {
		if space, err := disk.Of(path); path != "" && err == nil {
			to <- prometheus.MustNewConstMetric(diskFree, prometheus.GaugeValue, float64(space.Free), of)
			to <- prometheus.MustNewConstMetric(diskSize, prometheus.GaugeValue, float64(space.Size), of)
		}
	}
	if f.Backups == "" {
		return
	}
	if newest, err := backups.Newest(f.Backups); err == nil {
		if newest.IsZero() {
			newest = f.Start
		}
		to <- prometheus.MustNewConstMetric(backupLast, prometheus.GaugeValue, seconds(newest))
	}
}
