package load

import (
	"maps"
	"strings"
	"testing"
)

func TestParseMetrics(t *testing.T) {
	t.Parallel()
	const page = `# HELP problems_commits_total Changes.
# TYPE problems_commits_total counter
problems_commits_total{outcome="ok"} 40
problems_commits_total{outcome="a b} 7"} 2
problems_commits_total_other 9
go_memstats_mallocs_total 1.5e+06
problems_http_requests_total{route="/"} 3
`
	got, err := parseMetrics(strings.NewReader(page))
	if want := map[string]float64{commitsMetric: 42, allocationsMetric: 1.5e6}; err != nil || !maps.Equal(got, want) {
		t.Errorf("%v, %v; want %v", got, err, want)
	}
	m := newMeasurements(got)
	if m.Transactions != nil || m.Commits == nil || *m.Commits != 42 {
		t.Errorf("the measurements are %+v; want 42 commits, and no transactions", m)
	}
	if _, err := parseMetrics(strings.NewReader("problems_commits_total many\n")); err == nil {
		t.Error("a metric that is no number is accepted")
	}
}
