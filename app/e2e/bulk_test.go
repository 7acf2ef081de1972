package e2e

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"github.com/problemtracking/problems/adapters/postgres/postgrestest"
)

// changes is the answer to a change of many problems.
type changes struct {
	Changes []struct{ Identifier, Revision int }
	Preview *string
}

// bulk sends a patch for the problems that the predicate holds for.
func (c *client) bulk(t *testing.T, predicate, more, body string) (int, changes) {
	t.Helper()
	status, answer := c.do(http.MethodPatch, "/problems?predicate="+url.QueryEscape(predicate)+more, body, "Content-Type", "application/json")
	var got changes
	if err := json.Unmarshal(answer, &got); err != nil {
		t.Errorf("%d %s: %v", status, answer, err)
	}
	return status, got
}

// TestBulkOnTwoServers sends one preview to two servers on one database at once: one
// of them changes all problems, the other none.
func TestBulkOnTwoServers(t *testing.T) {
	t.Parallel()
	store, token := postgrestest.Schema(t), newToken(t)
	a := serve(t, store, "PROBLEMS_BOOTSTRAP_TOKEN="+token)
	b := serve(t, store, "PROBLEMS_BOOTSTRAP_TOKEN="+token)
	both := []*client{a.as(token), b.as(token)}
	const problems = 50
	for range problems {
		if status, body := both[0].do(http.MethodPost, "/problems", `{"title":"Lamp"}`); status != http.StatusCreated {
			t.Fatalf("%d %s", status, body)
		}
	}
	for round := range 15 {
		patch := fmt.Sprintf(`{"title":"Round %d"}`, round)
		_, shown := both[0].bulk(t, "TRUEPREDICATE", "&dryRun=true", patch)
		if shown.Preview == nil || len(shown.Changes) != problems {
			t.Fatalf("round %d: %+v", round, shown)
		}
		statuses := make([]int, len(both))
		var group sync.WaitGroup
		for i, c := range both {
			group.Go(func() { statuses[i], _ = c.bulk(t, "TRUEPREDICATE", "&preview="+*shown.Preview, patch) })
		}
		group.Wait()
		if slices.Sort(statuses); !slices.Equal(statuses, []int{200, 412}) {
			t.Fatalf("round %d: %v, want one 200 and one 412", round, statuses)
		}
	}
	var first struct{ Revision int }
	both[1].get(t, "/problems/1", &first)
	if first.Revision != 16 {
		t.Errorf("after 15 changes the revision is %d, not 16", first.Revision)
	}
}

// TestUndoBesideWriters undoes a change of 1,000 problems while twelve writers change them. A
// ledger has what was acknowledged: none of it is lost, and the rest goes back.
func TestUndoBesideWriters(t *testing.T) {
	t.Parallel()
	const problems, writers, writes = 1000, 12, 40
	token := newToken(t)
	admin := serve(t, "sqlite://"+filepath.Join(t.TempDir(), "problems.db"), "PROBLEMS_BOOTSTRAP_TOKEN="+token).as(token)
	each := func(n int, do func(i int)) {
		var group sync.WaitGroup
		for i := range n {
			group.Go(func() { do(i) })
		}
		group.Wait()
	}
	each(writers, func(w int) {
		for i := w; i < problems; i += writers {
			if status, body := admin.do(http.MethodPost, "/problems", `{"title":"Lamp"}`, "Content-Type", "application/json"); status != http.StatusCreated {
				t.Errorf("%d %s", status, body)
			}
		}
	})
	const high = `{"priority":{"name":"High"}}`
	_, shown := admin.bulk(t, "TRUEPREDICATE", "&dryRun=true", high)
	if shown.Preview == nil || len(shown.Changes) != problems {
		t.Fatalf("%d problems would change", len(shown.Changes))
	}
	if status, _ := admin.bulk(t, "TRUEPREDICATE", "&preview="+*shown.Preview, high); status != http.StatusOK {
		t.Fatal(status)
	}
	var first struct {
		Logs []struct{ BatchIdentifier string }
	}
	admin.get(t, "/problems/1", &first)
	path := "/problems/1/batches/" + first.Logs[1].BatchIdentifier + "/undo"

	var mu sync.Mutex
	lowered, keywords := map[int]bool{}, map[int]int{} // by problem: what was acknowledged
	var undone struct {
		Changes []struct{ Identifier int }
		Stays   []struct{ Identifier int }
	}
	each(writers+1, func(w int) {
		for n := 0; w == writers; n++ { // the one who undoes
			status, body := admin.do(http.MethodPost, path+"?dryRun=true", `{"scope":"batch"}`, "Content-Type", "application/json")
			var dry struct{ Preview string }
			if err := json.Unmarshal(body, &dry); status != http.StatusOK || err != nil {
				t.Errorf("the dry run: %d %s", status, body)
				return
			}
			status, body = admin.do(http.MethodPost, path+"?preview="+dry.Preview, `{"scope":"batch"}`, "Content-Type", "application/json")
			if err := json.Unmarshal(body, &undone); status == http.StatusOK && err == nil {
				t.Logf("undone in attempt %d: %d problems, and %d have moved on", n+1, len(undone.Changes), len(undone.Stays))
				return
			}
			if status != http.StatusPreconditionFailed {
				t.Errorf("the undo: %d %s", status, body)
				return
			}
		}
		for n := range writes { // problems of its own, so that it knows what comes last
			id := 1 + w + writers*(n*7%(problems/writers))
			method, at, body := http.MethodPut, fmt.Sprintf("/problems/%d/keywords/w", id), fmt.Sprintf(`"%d"`, n)
			if n%4 == 0 {
				method, at, body = http.MethodPatch, fmt.Sprintf("/problems/%d", id), `{"priority":{"name":"Low"}}`
			}
			status, answer := admin.do(method, at, body, "Content-Type", "application/json")
			if status != http.StatusOK && status != http.StatusCreated {
				t.Errorf("%s %s: %d %s", method, at, status, answer)
				continue
			}
			mu.Lock()
			if n%4 == 0 {
				lowered[id] = true
			} else {
				keywords[id] = n
			}
			mu.Unlock()
		}
	})
	if len(undone.Changes)+len(undone.Stays) != problems {
		t.Errorf("%d problems went back and %d stayed, of %d", len(undone.Changes), len(undone.Stays), problems)
	}
	for id := 1; id <= problems; id++ {
		var p struct {
			Priority *struct{ Name string }
			Keywords []struct{ Value string }
		}
		admin.get(t, fmt.Sprintf("/problems/%d", id), &p)
		if lowered[id] != (p.Priority != nil && p.Priority.Name == "Low") || !lowered[id] && p.Priority != nil {
			t.Errorf("problem %d has the priority %v; somebody lowered it: %t", id, p.Priority, lowered[id])
		}
		if n, set := keywords[id]; set != (len(p.Keywords) == 1) || set && p.Keywords[0].Value != fmt.Sprint(n) {
			t.Errorf("problem %d has the keywords %v, want %d", id, p.Keywords, n)
		}
	}
}
