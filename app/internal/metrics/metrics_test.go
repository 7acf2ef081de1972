package metrics_test

import (
	"context"
	"errors"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/problemtracking/problems/app/internal/metrics"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/store"
)

// outcomes is a store whose commits end as they are told to.
type outcomes struct {
	store.Store
	next []error
}

func (o *outcomes) Commit(context.Context, store.Change) (store.Receipt, error) {
	err := o.next[0]
	o.next = o.next[1:]
	return store.Receipt{Position: 7}, err
}

func TestCommitsAreCountedByOutcome(t *testing.T) {
	t.Parallel()
	conflict := fault.New(fault.Conflict, "another was first")
	next := []error{nil, conflict, conflict, fault.New(fault.UnknownOutcome, "gone"), errors.New("no fault at all")}
	m := metrics.New("v1")
	clock := time.Unix(0, 0)
	s := m.Store(&outcomes{next: next}, func() time.Time {
		clock = clock.Add(3 * time.Millisecond)
		return clock
	})
	for _, want := range next {
		receipt, err := s.Commit(t.Context(), store.Change{})
		if err != want || receipt.Position != 7 {
			t.Errorf("the commit returns %v, %v; want what the store returns", receipt, err)
		}
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
	)
}

func TestRequests(t *testing.T) {
	t.Parallel()
	m := metrics.New("v1")
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
	m := metrics.New("v1")
	m.Connections(func() metrics.Connections {
		return metrics.Connections{Open: 5, InUse: 2, Most: 16, Waited: 9, WaitedFor: 1500 * time.Millisecond}
	})
	expect(t, m,
		`go_sql_max_open_connections{db_name="store"} 16`,
		`go_sql_open_connections{db_name="store"} 5`,
		`go_sql_in_use_connections{db_name="store"} 2`,
		`go_sql_idle_connections{db_name="store"} 3`,
		`go_sql_wait_count_total{db_name="store"} 9`,
		`go_sql_wait_duration_seconds_total{db_name="store"} 1.5`,
	)
}

// expect checks that /metrics has some lines.
func expect(t *testing.T, m *metrics.Metrics, lines ...string) {
	t.Helper()
	page := httptest.NewRecorder()
	m.Handler().ServeHTTP(page, httptest.NewRequest("GET", "/metrics", nil))
	for _, want := range lines {
		if !strings.Contains(page.Body.String(), want+"\n") {
			t.Errorf("/metrics does not have %s", want)
		}
	}
}
