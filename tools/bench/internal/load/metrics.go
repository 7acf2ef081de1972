package load

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
)

// Measurements are the counts of a server in a run. Missing ones are nil.
type Measurements struct {
	Transactions *float64 `json:"transactions,omitempty"` // one sync to the disk each
	Commits      *float64 `json:"commits,omitempty"`
	Retries      *float64 `json:"retries,omitempty"` // decisions repeated after a conflict
	Allocations  *float64 `json:"allocations,omitempty"`
}

// The metrics of interest.
const (
	transactionsMetric = "problems_store_transactions_total"
	commitsMetric      = "problems_commits_total"
	retriesMetric      = "problems_commit_retries_total"
	allocationsMetric  = "go_memstats_mallocs_total"
)

func newMeasurements(counted map[string]float64) *Measurements {
	of := func(name string) *float64 {
		if value, ok := counted[name]; ok {
			return &value
		}
		return nil
	}
	return &Measurements{Transactions: of(transactionsMetric), Commits: of(commitsMetric), Retries: of(retriesMetric), Allocations: of(allocationsMetric)}
}

// readMetrics asks a server for its metrics.
func readMetrics(address string) (map[string]float64, error) {
	response, err := http.Get("http://" + address + "/metrics")
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("%s: %s", response.Request.URL, response.Status)
	}
	return parseMetrics(response.Body)
}

// parseMetrics reads the text format of Prometheus and returns the sums over all labels
// of the metrics of interest, if they are there.
func parseMetrics(r io.Reader) (map[string]float64, error) {
	found := map[string]float64{}
	lines := bufio.NewScanner(r)
	for lines.Scan() {
		series, value, ok := strings.Cut(lines.Text(), " ")
		if labels := strings.LastIndex(lines.Text(), "} "); labels >= 0 { // they may hold spaces
			series, value, ok = lines.Text()[:labels], lines.Text()[labels+2:], true
		}
		name, _, _ := strings.Cut(series, "{")
		switch name {
		case transactionsMetric, commitsMetric, retriesMetric, allocationsMetric:
		default:
			continue
		}
		number, err := strconv.ParseFloat(value, 64)
		if !ok || err != nil {
			return nil, fmt.Errorf("the metrics have a line that is none: %q", lines.Text())
		}
		found[name] += number
	}
	return found, lines.Err()
}
