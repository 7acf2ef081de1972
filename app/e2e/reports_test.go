package e2e

import (
	"errors"
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	api "github.com/problemtracking/problems/adapters/client"
	"github.com/problemtracking/problems/adapters/postgres/postgrestest"
)

// TestReportsUnderFire sends 1,600 reports of 20 faults to 8 servers on one database at once while
// the servers are killed, and repeats those without an answer through any server. Each fault has
// one problem, and each report one comment (D55, D21).
func TestReportsUnderFire(t *testing.T) {
	t.Parallel()
	const servers, each, faults, kills = 8, 200, 20, 8
	store, token := postgrestest.Schema(t), newToken(t)
	all := &anyServer{servers: make([]atomic.Pointer[server], servers), transport: http.Transport{MaxIdleConnsPerHost: servers}}
	defer all.transport.CloseIdleConnections()
	start := func(i int) {
		all.servers[i].Store(serve(t, store, "PROBLEMS_BOOTSTRAP_TOKEN="+token, "PROBLEMS_STORE_CONNECTIONS=4"))
	}
	for i := range servers {
		start(i)
	}
	c, err := api.New("http://balancer", api.Options{Token: token, Transport: all, Attempts: 8, Pause: 50 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	const keyword = "fault"
	var group sync.WaitGroup
	var sent atomic.Int64
	for i := range servers {
		group.Go(func() {
			for n := range each {
				key := api.Key(api.NewKey())
				report := api.Report{
					Keyword: api.Keyword{Name: keyword, Value: new(fmt.Sprint((n + i) % faults))}, Problem: api.NewProblem{Fields: api.Fields{Title: "A fault"}}, Comment: fmt.Sprint(i, n),
				}
				_, _, err := c.Report(t.Context(), report, key)
				for errors.Is(err, api.ErrUnknown) {
					_, _, err = c.Report(t.Context(), report, key)
				}
				if err != nil {
					t.Errorf("report %d of sender %d: %v", n, i, err)
				}
				sent.Add(1)
			}
		})
	}
	for i := range kills {
		for sent.Load() < int64(i*servers*each/kills) { // some reports are under way at each kill
			time.Sleep(time.Millisecond)
		}
		all.servers[i].Swap(nil).kill()
		start(i)
	}
	group.Wait()
	problems, comments := 0, map[string]int{}
	for p, err := range c.Search(t.Context(), api.Search{Predicate: "ANY keywords.name = " + api.Quote(keyword), Fields: []string{"identifier"}}) {
		if err != nil {
			t.Fatal(err)
		}
		problems++
		for comment, err := range c.Comments(t.Context(), p.Identifier) {
			if err != nil {
				t.Fatal(err)
			}
			if comments[comment.Text]++; comments[comment.Text] > 1 {
				t.Errorf("comment %q is there twice", comment.Text)
			}
		}
	}
	if problems != faults || len(comments) != servers*each {
		t.Errorf("%d reports of %d faults have made %d problems with %d comments", servers*each, faults, problems, len(comments))
	}
}
