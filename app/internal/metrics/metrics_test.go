package metrics_test

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/problemtracking/problems/adapters/mail/lmtp"
	"github.com/problemtracking/problems/app/internal/mailworker"
	"github.com/problemtracking/problems/app/internal/metrics"
	"github.com/problemtracking/problems/app/internal/observe"
	"github.com/problemtracking/problems/app/internal/webhookworker"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/store"
	"github.com/problemtracking/problems/domain/webhook"
)

// start is when the servers of the tests have started.
var start = time.UnixMilli(500)

func TestCallsAreCountedByOutcome(t *testing.T) {
	t.Parallel()
	conflict := fault.New(fault.Conflict, "another was first")
	away := fault.New(fault.Unavailable, "gone")
	busy := fault.Wrap(fault.Unavailable, store.Busy(errors.New("full")), "no connection")
	m := metrics.New("v1", start)
	for _, c := range []observe.Call{
		{Name: observe.Commit}, {Name: observe.Commit, Err: conflict}, {Name: observe.Commit, Err: conflict},
		{Name: observe.Commit, Err: fault.New(fault.UnknownOutcome, "gone")}, {Name: observe.Commit, Err: errors.New("no fault at all")},
		{Name: observe.View}, {Name: observe.View, Err: fault.New(fault.ProblemNotFound, "no")}, {Name: observe.View, Err: busy},
		{Name: observe.Versions, Err: away}, {Name: observe.Versions, Err: away},
		{Name: observe.Outcome, Stored: true}, {Name: observe.Outcome}, {Name: observe.Outcome}, {Name: observe.Outcome, Err: away},
		{Name: observe.Confirm}, {Name: observe.Confirm, Err: away},
		{Name: observe.Reserve, Err: away}, {Name: observe.Restore},
	} {
		c.Took = 3 * time.Millisecond
		m.Call(c)
	}
	expect(t, m,
		`problems_commits_total{outcome="ok"} 1`,
		`problems_commits_total{outcome="conflict"} 2`,
		`problems_commits_total{outcome="outcome-unknown"} 1`,
		`problems_commits_total{outcome="internal"} 1`,
		`problems_commit_retries_total 2`,
		`problems_commit_duration_seconds_count 5`,
		`problems_commit_duration_seconds_bucket{le="0.0025"} 0`,
		`problems_commit_duration_seconds_bucket{le="0.005"} 5`,
		`problems_view_duration_seconds_count 3`,
		`problems_view_duration_seconds_bucket{le="0.005"} 3`,
		`problems_store_calls_total{call="commit",outcome="ok"} 1`,
		`problems_store_calls_total{call="commit",outcome="conflict"} 2`,
		`problems_store_calls_total{call="commit",outcome="outcome-unknown"} 1`,
		`problems_store_calls_total{call="view",outcome="ok"} 2`,
		`problems_store_calls_total{call="view",outcome="busy"} 1`,
		`problems_store_calls_total{call="versions",outcome="ok"} 0`,
		`problems_store_calls_total{call="versions",outcome="unavailable"} 2`,
		`problems_store_calls_total{call="reserve",outcome="unavailable"} 1`,
		`problems_store_calls_total{call="restore",outcome="ok"} 1`,
		`problems_outcomes_total{result="stored"} 1`,
		`problems_outcomes_total{result="ruled-out"} 2`,
		`problems_outcomes_total{result="unknown"} 1`,
		`problems_confirms_total{result="ok"} 1`,
		`problems_confirms_total{result="unavailable"} 1`,
	)
}

// Each series with a closed set of labels is there before its first event.
func TestCountersBeginWithZero(t *testing.T) {
	t.Parallel()
	m := metrics.New("v1", start)
	for _, kind := range append([]fault.Kind{"ok"}, observe.Kinds...) {
		expect(t, m, `problems_commits_total{outcome="`+string(kind)+`"} 0`, `problems_confirms_total{result="`+string(kind)+`"} 0`)
		for _, call := range observe.Names {
			expect(t, m, `problems_store_calls_total{call="`+string(call)+`",outcome="`+string(kind)+`"} 0`)
		}
	}
	expect(t, m,
		`problems_store_calls_total{call="view",outcome="busy"} 0`,
		`problems_confirms_total{result="busy"} 0`,
		`problems_outcomes_total{result="stored"} 0`,
		`problems_outcomes_total{result="ruled-out"} 0`,
		`problems_outcomes_total{result="unknown"} 0`,
		`problems_connections_refused_total{limit="address"} 0`,
		`problems_connections_refused_total{limit="all"} 0`,
		`problems_files_reread_total{file="certificate",result="ok"} 0`,
		`problems_files_reread_total{file="certificate",result="failed"} 0`,
		`problems_files_reread_total{file="password",result="ok"} 0`,
		`problems_files_reread_total{file="password",result="failed"} 0`,
		`problems_housekeeping_runs_total{result="ok"} 0`,
		`problems_housekeeping_runs_total{result="failed"} 0`,
	)
}

func TestStoreAndItsHost(t *testing.T) {
	t.Parallel()
	m := metrics.New("v1", start)
	up, host := true, ""
	m.StoreUp("reads", func() bool { return up })
	m.StoreUp("writes", func() bool { return false })
	m.StoreHost(func() string { return host })
	expect(t, m, `problems_store_up{use="reads"} 1`, `problems_store_up{use="writes"} 0`)
	lacks(t, m, "problems_store_host_info{")
	up = false
	for _, host = range []string{"a:5432", "b:5432"} {
		expect(t, m, `problems_store_up{use="reads"} 0`, `problems_store_host_info{host="`+host+`"} 1`)
	}
	lacks(t, m, `host="a:5432"`)
}

func TestWhatIsUnderWayAndDropped(t *testing.T) {
	t.Parallel()
	m := metrics.New("v1", start)
	m.Searches(func() (waiting, underWay int) { return 3, 2 })
	m.Memory(func() (held int64, waiting int) { return 4096, 7 })
	m.Log(func() uint64 { return 7 })
	expect(t, m, "problems_log_lines_dropped_total 7")
	m.UnderWay(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		expect(t, m, "problems_http_requests_under_way 1", "problems_searches_waiting 3", "problems_searches_under_way 2",
			"problems_memory_held_bytes 4096", "problems_memory_waiting 7")
	})).ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", "/", nil))
	expect(t, m, "problems_http_requests_under_way 0")
}

func TestHousekeepingAndReplays(t *testing.T) {
	t.Parallel()
	m := metrics.New("v1", start)
	expect(t, m, "problems_housekeeping_last_success_timestamp_seconds 0.5", "problems_replays_total 0")
	m.Housekept(time.UnixMilli(1500), nil)
	m.Housekept(time.UnixMilli(2500), errors.New("gone"))
	m.Replayed()
	expect(t, m,
		`problems_housekeeping_runs_total{result="ok"} 1`,
		`problems_housekeeping_runs_total{result="failed"} 1`,
		"problems_housekeeping_last_success_timestamp_seconds 1.5",
		"problems_replays_total 1",
	)
}

func BenchmarkCall(b *testing.B) {
	m := metrics.New("v1", start)
	b.ReportAllocs()
	for b.Loop() {
		m.Call(observe.Call{Name: observe.View, Took: time.Millisecond})
	}
}

func TestRequests(t *testing.T) {
	t.Parallel()
	m := metrics.New("v1", start)
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 100 {
				m.Request("/a", "GET", 200, 2*time.Millisecond)
				m.Request("/a", "GET", 404, 20*time.Millisecond)
			}
			m.Request("/a", "PUT", 200, time.Millisecond)
			m.Request("/b", "GET", 200, time.Millisecond)
		})
	}
	all.Wait()
	expect(t, m,
		`problems_http_requests_total{method="GET",route="/a",status="200"} 800`,
		`problems_http_requests_total{method="GET",route="/a",status="404"} 800`,
		`problems_http_requests_total{method="PUT",route="/a",status="200"} 8`,
		`problems_http_requests_total{method="GET",route="/b",status="200"} 8`,
		`problems_http_request_duration_seconds_count{method="GET",route="/a"} 1600`,
		`problems_http_request_duration_seconds_bucket{method="GET",route="/a",le="0.0025"} 800`,
		`problems_http_request_duration_seconds_count{method="PUT",route="/a"} 8`,
		`problems_http_request_duration_seconds_count{method="GET",route="/b"} 8`,
	)
}

func TestConnections(t *testing.T) {
	t.Parallel()
	m := metrics.New("v1", start)
	connected := metrics.Connected(func() metrics.Connections {
		return metrics.Connections{Open: 5, InUse: 2, Most: 16, Waited: 9, WaitedFor: 1500 * time.Millisecond}
	})
	if err := m.Store(connected); err != nil {
		t.Fatal(err)
	}
	if err := m.Store(connected); err == nil {
		t.Error("the same figures are reported twice")
	}
	expect(t, m,
		`go_sql_max_open_connections{db_name="store"} 16`,
		`go_sql_open_connections{db_name="store"} 5`,
		`go_sql_in_use_connections{db_name="store"} 2`,
		`go_sql_idle_connections{db_name="store"} 3`,
		`go_sql_wait_count_total{db_name="store"} 9`,
		`go_sql_wait_duration_seconds_total{db_name="store"} 1.5`,
	)
}

func TestBehind(t *testing.T) {
	t.Parallel()
	m := metrics.New("v1", start)
	left := func(step func(string, float64)) { step("0007_latest", 0.43) }
	if err := m.Store([]prometheus.Collector{metrics.Behind(left)}); err != nil {
		t.Fatal(err)
	}
	expect(t, m, `problems_store_background_ratio{step="0007_latest"} 0.43`)
}

func TestClock(t *testing.T) {
	t.Parallel()
	m := metrics.New("v1", start)
	m.Clock(func() uint64 { return 7 }, func() time.Duration { return -1500 * time.Millisecond })
	expect(t, m, `problems_clock_refusals_total 7`, `problems_clock_offset_seconds -1.5`)
}

// The page for operators has every metric of the service, and no other.
func TestPageHasAllMetrics(t *testing.T) {
	t.Parallel()
	guide, err := os.ReadFile("../../docs/metrics.md")
	if err != nil {
		t.Fatal(err)
	}
	names := regexp.MustCompile(`(?m)^# TYPE (problems_\w+)`).FindAllStringSubmatch(page(complete(t)), -1)
	for _, name := range names {
		if !strings.Contains(string(guide), "`"+name[1]+"`") {
			t.Errorf("the page does not have %s", name[1])
		}
	}
	for _, shown := range regexp.MustCompile(`problems_\w+`).FindAllString(string(guide), -1) {
		if !slices.ContainsFunc(names, func(name []string) bool { return name[1] == shown }) {
			t.Errorf("the page has %s, which is no metric", shown)
		}
	}
	if len(names) < 20 {
		t.Errorf("only %d metrics were found", len(names))
	}
}

// complete returns metrics with a series of each metric of a service.
func complete(t *testing.T) *metrics.Metrics {
	t.Helper()
	m := metrics.New("v1", start)
	m.StoreUp("reads", func() bool { return true })
	m.StoreHost(func() string { return "a:5432" })
	m.Searches(func() (waiting, underWay int) { return 0, 0 })
	m.Memory(func() (int64, int) { return 0, 0 })
	m.Clock(func() uint64 { return 0 }, func() time.Duration { return 0 })
	if err := m.Store(metrics.GroupCommit(func() (transactions, changes uint64) { return 0, 0 })); err != nil {
		t.Fatal(err)
	}
	m.Log(func() uint64 { return 0 })
	m.Files(metrics.Files{Store: ".", Backups: ".", Start: start})
	m.Request("/", "GET", 200, time.Second)
	m.Housekept(time.Unix(0, 0), nil)
	m.ConnectionRefused("all")
	m.Connected(func() int { return 0 })
	m.Reread("certificate", nil)
	m.Certificate(func() time.Time { return time.Unix(0, 0) })
	m.Events(func() int { return 0 }, func() uint64 { return 0 }, metrics.NewEventLag())
	m.Webhooks(func() []webhookworker.Stat { return []webhookworker.Stat{{Webhook: "one"}} }, func(webhook.Outcome) int64 { return 0 }, func() int64 { return 0 })
	m.Mail(func() (mailworker.Stat, bool) { return mailworker.Stat{}, true }, func(mailworker.Outcome) int64 { return 0 })
	m.Replies()
	for _, call := range observe.Names {
		m.Call(observe.Call{Name: call})
	}
	left := func(step func(string, float64)) { step("0007_latest", 0.43) }
	if err := m.Store([]prometheus.Collector{metrics.Behind(left)}); err != nil {
		t.Fatal(err)
	}
	for _, c := range metrics.Connected(func() metrics.Connections { return metrics.Connections{} }) {
		if err := m.Store([]prometheus.Collector{c}); err != nil {
			t.Fatal(err)
		}
	}
	return m
}

// TestQueriesNameMetrics holds that the rules and the dashboard ask for series that a
// service has, by labels that these have.
func TestQueriesNameMetrics(t *testing.T) {
	t.Parallel()
	labels := map[string]string{} // of each series, in one text
	for _, line := range regexp.MustCompile(`(?m)^([a-z_]+)(\{.*\})? `).FindAllStringSubmatch(page(complete(t)), -1) {
		labels[line[1]] += line[2]
	}
	// With their quotes as the language of Prometheus has them.
	plain := strings.NewReplacer(`\"`, `"`)
	selector := regexp.MustCompile(`\b((?:problems|go|process)_[a-z_]+)\b(?:\{([^}]*)\})?`)
	for _, file := range []string{"rules.yaml", "dashboard.json"} {
		content, err := os.ReadFile("../../deploy/monitoring/" + file)
		if err != nil {
			t.Fatal(err)
		}
		if file == "dashboard.json" && !json.Valid(content) {
			t.Errorf("%s is no JSON", file)
		}
		found := selector.FindAllStringSubmatch(plain.Replace(string(content)), -1)
		if len(found) < 9 {
			t.Errorf("%s has %d queries only", file, len(found))
		}
		for _, query := range found {
			has, known := labels[query[1]]
			if !known {
				t.Errorf("%s asks for %s, which is no metric", file, query[1])
			}
			for _, label := range regexp.MustCompile(`([a-z_]+)(?:=|!)`).FindAllStringSubmatch(query[2], -1) {
				if label[1] != "instance" && !strings.Contains(has, label[1]+"=") { // Prometheus itself adds the instance
					t.Errorf("%s asks for %s by %s, which it does not have", file, query[1], label[1])
				}
			}
		}
	}
}

// TestRules has promtool play series to the rules.
func TestRules(t *testing.T) {
	t.Parallel()
	promtool, err := exec.LookPath("promtool")
	if err != nil {
		t.Fatal("promtool is missing, which tests the rules of Prometheus: run \"make deps\", or install Prometheus")
	}
	for _, args := range [][]string{{"check", "rules", "rules.yaml"}, {"test", "rules", "rules_test.yaml"}} {
		command := exec.Command(promtool, args...)
		command.Dir = "../../deploy/monitoring"
		if output, err := command.CombinedOutput(); err != nil {
			t.Errorf("promtool %s: %v\n%s", strings.Join(args, " "), err, output)
		}
	}
}

// page returns what /metrics shows.
func page(m *metrics.Metrics) string {
	w := httptest.NewRecorder()
	m.Handler().ServeHTTP(w, httptest.NewRequest("GET", "/metrics", nil))
	return w.Body.String()
}

// expect checks that /metrics has some lines.
func expect(t *testing.T, m *metrics.Metrics, lines ...string) {
	t.Helper()
	shown := page(m)
	for _, want := range lines {
		if !strings.Contains(shown, want+"\n") {
			t.Errorf("/metrics does not have %s", want)
		}
	}
}

// lacks checks that /metrics does not have a text.
func lacks(t *testing.T, m *metrics.Metrics, text string) {
	t.Helper()
	if strings.Contains(page(m), text) {
		t.Errorf("/metrics has %s", text)
	}
}

func TestWebhooks(t *testing.T) {
	t.Parallel()
	m := metrics.New("v1", start)
	m.Webhooks(func() []webhookworker.Stat {
		return []webhookworker.Stat{
			{Webhook: "one", Pending: 3, Oldest: time.Unix(1700000000, 5e8), Failures: 2, Active: true},
			{Webhook: "other"},
		}
	}, func(o webhook.Outcome) int64 { return int64(len(o)) }, func() int64 { return 4 })
	expect(t, m,
		`problems_webhook_pending{webhook="one"} 3`,
		`problems_webhook_pending{webhook="other"} 0`,
		`problems_webhook_oldest_timestamp_seconds{webhook="one"} 1.7000000005e+09`,
		`problems_webhook_oldest_timestamp_seconds{webhook="other"} 0`,
		`problems_webhook_failures{webhook="one"} 2`,
		`problems_webhook_active{webhook="one"} 1`,
		`problems_webhook_active{webhook="other"} 0`,
		`problems_webhook_attempts_total{outcome="delivered"} 9`,
		`problems_webhook_attempts_total{outcome="failed"} 6`,
		`problems_webhook_attempts_total{outcome="parked"} 6`,
		`problems_webhooks_locked 4`,
	)
}

func TestFiles(t *testing.T) {
	t.Parallel()
	m, dir := metrics.New("v1", start), t.TempDir()
	missing := filepath.Join(dir, "backups")
	m.Files(metrics.Files{Store: dir, Backups: missing, Start: start})
	for _, name := range []string{`problems_disk_free_bytes{of="store"} `, `problems_disk_size_bytes{of="store"} `} {
		if !strings.Contains(page(m), name) {
			t.Errorf("/metrics does not have %s", name)
		}
	}
	lacks(t, m, `of="backups"`)
	lacks(t, m, "problems_backup_last_success_timestamp_seconds ")
	if err := os.Mkdir(missing, 0o700); err != nil {
		t.Fatal(err)
	}
	expect(t, m, "problems_backup_last_success_timestamp_seconds 0.5")
	if err := os.WriteFile(filepath.Join(missing, "1970-01-01T00:00:07.500Z.db"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	expect(t, m, "problems_backup_last_success_timestamp_seconds 7.5")
	none := metrics.New("v1", start)
	none.Files(metrics.Files{})
	lacks(t, none, "problems_disk_")
}

func TestMail(t *testing.T) {
	t.Parallel()
	m := metrics.New("v1", start)
	sends := true
	m.Mail(func() (mailworker.Stat, bool) {
		return mailworker.Stat{Gathering: 2, Pending: 3, Oldest: time.Unix(1700000000, 5e8)}, sends
	}, func(o mailworker.Outcome) int64 { return int64(len(o)) })
	expect(t, m,
		`problems_mail_gathering 2`,
		`problems_mail_pending 3`,
		`problems_mail_oldest_timestamp_seconds 1.7000000005e+09`,
		`problems_mail_attempts_total{outcome="sent"} 4`,
		`problems_mail_attempts_total{outcome="unreachable"} 11`,
		`problems_mail_attempts_total{outcome="deferred"} 8`,
		`problems_mail_attempts_total{outcome="refused"} 7`,
		`problems_mail_attempts_total{outcome="lost"} 4`,
	)
	sends = false
	lacks(t, m, "problems_mail_pending")
}

func TestReplies(t *testing.T) {
	t.Parallel()
	m := metrics.New("v1", start)
	came := m.Replies()
	came(lmtp.Comment)
	came(lmtp.TooLarge)
	came(lmtp.TooLarge)
	expect(t, m,
		`problems_mail_replies_total{outcome="comment"} 1`,
		`problems_mail_replies_total{outcome="too-large"} 2`,
		`problems_mail_replies_total{outcome="deferred"} 0`,
	)
}
