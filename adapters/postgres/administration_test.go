package postgres_test

import (
	"crypto/rand"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/problemtracking/problems/adapters/postgres"
	"github.com/problemtracking/problems/domain/access"
	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/patch"
	"github.com/problemtracking/problems/domain/tracker"
	"github.com/problemtracking/problems/domain/tracker/admin"
	"github.com/problemtracking/problems/domain/tracker/usecases"
)

// TestAdministrationIsNotStarved revokes tokens beside 32 writers on two servers, all of
// which depend on the versions that a revocation raises. A commit takes 16 ms, as with a
// standby that is some way off. Each revocation gets its turn after the writes that were
// under way, and those that had queued up before it: it is counted how many pass it.
func TestAdministrationIsNotStarved(t *testing.T) {
	if testing.Short() {
		t.Skip("long: make test-long runs it")
	}
	t.Parallel()
	const writers, most = 32, 4 * 32
	server := newServer(t)
	var servers []*usecases.All
	for range 2 {
		servers = append(servers, usecases.New(tracker.Options{
			Store: open(t, postgres.Options{URL: server.URL() + "&connect_timeout=60", AcquireTimeout: patience}), Now: time.Now, Random: rand.Reader, Limits: tracker.DefaultLimits(),
		}, nil))
	}
	execute(t, connect(t, server.URL()),
		"CREATE FUNCTION slow() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM pg_sleep(0.016); RETURN NULL; END'",
		"CREATE CONSTRAINT TRIGGER slow AFTER INSERT ON batches DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION slow()")
	secret, err := servers[0].NewSecret()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := servers[0].Seed(t.Context(), secret); err != nil {
		t.Fatal(err)
	}
	caller, err := servers[0].Authenticate(t.Context(), secret)
	if err != nil {
		t.Fatal(err)
	}
	var stop atomic.Bool
	var done atomic.Int64
	var all sync.WaitGroup
	defer all.Wait()
	defer stop.Store(true)
	for i := range writers {
		all.Go(func() {
			for n := 0; !stop.Load(); n++ {
				title := patch.Set(fmt.Sprintf("Problem %d of writer %d", n, i))
				if _, err := servers[i%2].CreateProblem(t.Context(), caller, tracker.CreateProblem{ProblemPatch: tracker.ProblemPatch{Title: title}}); err != nil {
					t.Errorf("writer %d: %v", i, err)
					return
				}
				done.Add(1)
			}
		})
	}
	eventually(t, "all writers write", func() bool { return done.Load() > 2*writers })
	for range 10 {
		issue := admin.CreateToken{User: patch.Set[metadata.Partial](metadata.Members{"email": metadata.Text(admin.Email)}), Scope: patch.Set(string(access.Read))}
		passed := -done.Load()
		began := time.Now()
		token, err := servers[0].CreateToken(t.Context(), caller, issue)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := servers[1].RevokeToken(t.Context(), caller, token.Value.ID, tracker.Write{}); err != nil {
			t.Fatal(err)
		}
		passed += done.Load()
		t.Logf("a token was issued and revoked in %v, while %d writes were done", time.Since(began).Round(time.Millisecond), passed)
		if passed > 2*most {
			t.Errorf("%d writes were done while a token was issued and revoked, by %d writers", passed, writers)
		}
	}
}
