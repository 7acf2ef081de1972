package e2e

import (
	"crypto/rand"
	"errors"
	"fmt"
	"net/http"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	api "github.com/problemtracking/problems/adapters/client"
	"github.com/problemtracking/problems/adapters/postgres"
	"github.com/problemtracking/problems/adapters/postgres/postgrestest"
	"github.com/problemtracking/problems/adapters/sqlite"
	"github.com/problemtracking/problems/domain/access"
	"github.com/problemtracking/problems/domain/patch"
	"github.com/problemtracking/problems/domain/store"
	"github.com/problemtracking/problems/domain/tracker"
)

// TestReportsThroughManyServers sends reports of 20 faults to 8 services, each with its own handle
// on the data: each fault has one problem, with all comments (D55).
func TestReportsThroughManyServers(t *testing.T) {
	t.Parallel()
	const servers, each, faults = 8, 100, 20
	for name, opens := range map[string]func(t *testing.T) func() (store.Store, error){
		"sqlite": func(t *testing.T) func() (store.Store, error) {
			path := filepath.Join(t.TempDir(), "problems.db")
			return func() (store.Store, error) { return sqlite.Open(t.Context(), sqlite.Options{Path: path}) }
		},
		"postgres": func(t *testing.T) func() (store.Store, error) {
			url := postgrestest.Schema(t)
			if _, err := postgres.Migrate(t.Context(), postgres.Options{URL: url}); err != nil {
				t.Fatal(err)
			}
			return func() (store.Store, error) {
				return postgres.Open(t.Context(), postgres.Options{URL: url, Connections: 4})
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			open := opens(t)
			all := make([]*tracker.Service, servers)
			for i := range all {
				data, err := open()
				if err != nil {
					t.Fatal(err)
				}
				t.Cleanup(func() { _ = data.Close() })
				all[i] = tracker.New(tracker.Options{Store: data, Now: time.Now, Random: rand.Reader, Limits: tracker.DefaultLimits()})
			}
			secret := access.NewSecret([32]byte{1})
			if _, err := all[0].Seed(t.Context(), secret); err != nil {
				t.Fatal(err)
			}
			admin, err := all[0].Authenticate(t.Context(), secret)
			if err != nil {
				t.Fatal(err)
			}
			var group sync.WaitGroup
			for i, s := range all {
				for half := range 2 { // two senders a server
					group.Go(func() {
						for n := half; n < each; n += 2 {
							_, err := s.Report(t.Context(), admin, tracker.Report{
								Keyword: tracker.NewKeyword{Name: patch.Set("alert"), Value: patch.Set(fmt.Sprint((n + i) % faults))},
								Problem: tracker.CreateProblem{ProblemPatch: tracker.ProblemPatch{Title: patch.Set("A fault")}},
								Comment: patch.Set(fmt.Sprint(i, n)),
							})
							if err != nil {
								t.Errorf("server %d, report %d: %v", i, n, err)
							}
						}
					})
				}
			}
			group.Wait()
			found, err := all[0].SearchProblems(t.Context(), admin, tracker.SearchProblems{Search: tracker.Search{Predicate: patch.Set("TRUEPREDICATE")}, Parts: store.Comments})
			if err != nil {
				t.Fatal(err)
			}
			comments := map[string]bool{}
			for _, p := range found.First.Value {
				for _, c := range p.Comments {
					comments[c.Text] = true
				}
			}
			if len(found.First.Value) != faults || len(comments) != servers*each {
				t.Errorf("%d reports of %d faults have made %d problems with %d comments", servers*each, faults, len(found.First.Value), len(comments))
			}
		})
	}
}

// TestReportsUnderFire sends 1,600 reports of 20 faults to 8 servers on one database at once, and
// again as many of others while servers are killed, and repeats those without an answer through
// any server. Each fault has one problem, and each report one comment (D55, D21).
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
	for _, keyword := range []string{"calm", "killed"} {
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
			if keyword == "calm" {
				break
			}
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
					t.Errorf("%s: comment %q is there twice", keyword, comment.Text)
				}
			}
		}
		if problems != faults || len(comments) != servers*each {
			t.Errorf("%s: %d reports of %d faults have made %d problems with %d comments", keyword, servers*each, faults, problems, len(comments))
		}
	}
}
