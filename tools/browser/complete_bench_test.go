package browser

import (
	"path/filepath"
	"slices"
	"testing"
)

// BenchmarkComplete opens the list of 50 problems and a problem, with an empty cache of the
// browser, on a SQLite file. ms/complete is the median of the time from the start of the
// navigation to the end of the load event, as the page itself measures it.
func BenchmarkComplete(b *testing.B) {
	s := open(b, "sqlite:"+filepath.Join(b.TempDir(), "problems.db"))
	for i, path := range tour(s)[:2] {
		b.Run([]string{"list", "problem"}[i], func(b *testing.B) {
			p := s.signedIn(s.token)
			var times []float64
			for b.Loop() {
				p.must(p.Leave(), p.Open(path), p.Until("performance.getEntriesByType('navigation')[0]?.loadEventEnd > 0"))
				took, err := Get[float64](p.Tab, "performance.getEntriesByType('navigation')[0].loadEventEnd")
				if err != nil {
					b.Fatal(err)
				}
				times = append(times, took)
			}
			slices.Sort(times)
			b.ReportMetric(times[len(times)/2], "ms/complete")
		})
	}
}
