package e2e

import (
	"net/http"
	"sync"
	"testing"
)

// BenchmarkCreate creates problems over HTTP on SQLite, by 8 clients at once, and
// reports the rate and how many synced transactions each problem cost.
func BenchmarkCreate(b *testing.B) {
	const clients = 8
	token, address := newToken(b), freeAddress(b)
	s := serve(b, newFile(b), "PROBLEMS_BOOTSTRAP_TOKEN="+token, "PROBLEMS_METRICS_LISTEN="+address, "PROBLEMS_LOG_LEVEL=warn")
	before := metric(b, address, "problems_store_transactions_total")
	work := make(chan struct{})
	var group sync.WaitGroup
	for range clients {
		group.Go(func() {
			c := s.as(token)
			for range work {
				if code, body := c.do(http.MethodPost, "/problems", `{"title":"Benchmark"}`); code != http.StatusCreated {
					b.Errorf("POST /problems: %d %s", code, body)
				}
			}
		})
	}
	for b.Loop() {
		work <- struct{}{}
	}
	close(work)
	group.Wait()
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "creates/s")
	b.ReportMetric((metric(b, address, "problems_store_transactions_total")-before)/float64(b.N), "syncs/create")
}
