package e2e

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/problemtracking/problems/adapters/postgres/postgrestest/ports"
)

// freeAddress returns an address of this machine where nothing listens.
func freeAddress(t testing.TB) string {
	t.Helper()
	address, err := ports.Address()
	if err != nil {
		t.Fatal(err)
	}
	return address
}

// metrics returns all metrics of a server as text.
func metrics(t testing.TB, address string) string {
	t.Helper()
	response, err := http.Get("http://" + address + "/metrics")
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(io.LimitReader(response.Body, 1<<20))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// metric returns the sum of the samples of a metric whose labels contain all of
// the given texts.
func metric(t testing.TB, address, name string, labels ...string) float64 {
	t.Helper()
	sum := 0.0
	for line := range strings.Lines(metrics(t, address)) {
		series, value, found := strings.Cut(strings.TrimSpace(line), " ")
		if !found || series != name && !strings.HasPrefix(series, name+"{") || !containsAll(series, labels) {
			continue
		}
		n, err := strconv.ParseFloat(value, 64)
		if err != nil {
			t.Fatal(err)
		}
		sum += n
	}
	return sum
}

func containsAll(text string, parts []string) bool {
	for _, part := range parts {
		if !strings.Contains(text, part) {
			return false
		}
	}
	return true
}

// TestAlertsHaveSeries compares the alerts with a fresh server. increase() and rate() miss the
// first event of a series that begins with it. Only durations of requests begin with the first
// answer of a route: their alert is about one of a hundred.
func TestAlertsHaveSeries(t *testing.T) {
	t.Parallel()
	address := freeAddress(t)
	serve(t, newFile(t), "PROBLEMS_METRICS_LISTEN="+address, "PROBLEMS_MAIL_URL=smtp://"+freeAddress(t), "PROBLEMS_MAIL_FROM=problems@example.org", "PROBLEMS_PUBLIC_URL=http://127.0.0.1")
	page := metrics(t, address)
	exists := func(name, selector string) bool {
		var labels []string
		for _, label := range regexp.MustCompile(`\w+="[^"]*"`).FindAllString(selector, -1) {
			// Prometheus adds the instance, and the tests of the rules have buckets of their own.
			if !strings.HasPrefix(label, "instance=") && !strings.HasPrefix(label, "le=") {
				labels = append(labels, label)
			}
		}
		for line := range strings.Lines(page) {
			if (strings.HasPrefix(line, name+"{") || strings.HasPrefix(line, name+" ")) && containsAll(line, labels) {
				return true
			}
		}
		return false
	}
	counted := map[string]bool{}
	for _, search := range []struct {
		file, series string
		least        int
	}{
		{"rules.yaml", `(?:increase|rate)\((problems_\w+)(\{.*?\})?\[`, 5},
		// Those that begin with 0 there: a server has to give this 0.
		{"rules_test.yaml", `series: '(problems_\w+)(\{.*?\})?', values: '0`, 9},
	} {
		rules, err := os.ReadFile("../deploy/monitoring/" + search.file)
		if err != nil {
			t.Fatal(err)
		}
		found := 0
		for _, series := range regexp.MustCompile(search.series).FindAllStringSubmatch(string(rules), -1) {
			if strings.HasPrefix(series[1], "problems_http_request_duration") {
				continue
			}
			if search.file == "rules.yaml" {
				counted[series[1]] = true
			} else if !counted[series[1]] {
				continue
			}
			if found++; !exists(series[1], series[2]) {
				t.Errorf("%s counts %s%s, which a fresh server does not have", search.file, series[1], series[2])
			}
		}
		if found < search.least {
			t.Errorf("%s has %d counted series only", search.file, found)
		}
	}
	if start := metric(t, address, "problems_housekeeping_last_success_timestamp_seconds"); time.Since(time.UnixMilli(int64(start*1000))) > time.Hour {
		t.Errorf("the last housekeeping of a fresh server was at %v", start)
	}
}

// TestAlertsOnAScrape has promtool play the scrape of a fresh server to the rules, with one event
// after ten minutes. The first event has to raise its alert, perhaps one that is pending yet, and no event none.
func TestAlertsOnAScrape(t *testing.T) {
	t.Parallel()
	need(t, "promtool")
	address := freeAddress(t)
	serve(t, newFile(t), "PROBLEMS_METRICS_LISTEN="+address, "PROBLEMS_MAIL_URL=smtp://"+freeAddress(t), "PROBLEMS_MAIL_FROM=problems@example.org", "PROBLEMS_PUBLIC_URL=http://127.0.0.1")
	page := metrics(t, address)
	rules, err := filepath.Abs("../deploy/monitoring/rules.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ event, values, alert string }{
		{"", "", ""},
		{`problems_outcomes_total{result="unknown"}`, "0x10 1x20", "ProblemsOutcomesUnknown"},
		{`problems_http_answers_total{class="5xx"}`, "0x10 7x20", "ProblemsErrors"},
		{`problems_mail_attempts_total{outcome="lost"}`, "0x10 1x20", "ProblemsMailLost"},
		{`problems_log_lines_dropped_total`, "0x10 1x20", "ProblemsLogLost"},
		{`problems_connections_refused_total{limit="all"}`, "0x10 900x20", "ProblemsConnectionsRefused"},
		{`problems_store_up{use="writes"}`, "1x10 0x20", "ProblemsStoreDown"},
		{`problems_disk_free_bytes{of="store"}`, "1x30", "ProblemsDiskFull"},
		{`problems_housekeeping_last_success_timestamp_seconds`, "-90000x30", "ProblemsHousekeepingOverdue"},
	} {
		var test strings.Builder
		fmt.Fprintf(&test, "rule_files: [%q]\nevaluation_interval: 1m\ntests:\n- interval: 1m\n  input_series:\n", rules)
		known := c.event == ""
		for line := range strings.Lines(page) {
			series, value, found := strings.Cut(strings.TrimSpace(line), " ")
			if !found || strings.HasPrefix(series, "#") {
				continue
			}
			values := value + "x30"
			if strings.HasPrefix(series, "problems_disk_free_bytes") { // the disk of this machine may be full
				values = "1e18x30"
			}
			if series == c.event {
				known, values = true, c.values
				if first, _, _ := strings.Cut(c.values, "x"); strings.Contains(c.values, " ") && first != value {
					t.Errorf("%s is %s on a fresh server, want %s", series, value, first)
				}
			}
			fmt.Fprintf(&test, "  - {series: %q, values: %q}\n", series, values)
		}
		if !known {
			t.Errorf("a fresh server lacks %s", c.event)
		}
		samples := "[]"
		if c.alert != "" {
			samples = fmt.Sprintf(`[{labels: '{alertname="%s"}', value: 1}]`, c.alert)
		}
		fmt.Fprintf(&test, "  promql_expr_test:\n  - {eval_time: 15m, expr: 'count by (alertname) (ALERTS)', exp_samples: %s}\n", samples)
		file := filepath.Join(t.TempDir(), "test.yaml")
		if err := os.WriteFile(file, []byte(test.String()), 0o600); err != nil {
			t.Fatal(err)
		}
		if output, err := exec.Command("promtool", "test", "rules", file).CombinedOutput(); err != nil {
			t.Errorf("%s %s: %v\n%s", c.event, c.values, err, output)
		}
	}
}

func TestMetrics(t *testing.T) {
	t.Parallel()
	token, address := newToken(t), freeAddress(t)
	c := serve(t, newFile(t), "PROBLEMS_BOOTSTRAP_TOKEN="+token, "PROBLEMS_METRICS_LISTEN="+address).as(token)
	const name = "problems_http_requests_total"
	for range 3 {
		if code, body := c.do(http.MethodPost, "/problems", `{"title":"Counted"}`); code != http.StatusCreated {
			t.Fatalf("POST /problems: %d %s", code, body)
		}
	}
	if code, _ := c.do(http.MethodGet, "/problems/999", ""); code != http.StatusNotFound {
		t.Fatalf("GET /problems/999: %d", code)
	}
	for _, want := range []struct {
		n      float64
		labels []string
	}{
		{3, []string{`route="/api/20151105/problems"`, `method="POST"`, `status="201"`}},
		{1, []string{`route="/api/20151105/problems/{identifier}"`, `method="GET"`, `status="404"`}},
	} {
		// A request is counted once its answer is on the way.
		got := -1.0
		for deadline := time.Now().Add(patience); got != want.n && time.Now().Before(deadline); {
			got = metric(t, address, name, want.labels...)
		}
		if got != want.n {
			t.Errorf("%s%q is %v, want %v", name, want.labels, got, want.n)
		}
	}
	if n := metric(t, address, "problems_store_transactions_total"); n < 3 {
		t.Errorf("three writes one after the other took %v transactions", n)
	}
}
