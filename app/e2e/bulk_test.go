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
	Matched   int
	Changes   []struct{ Identifier, Revision int }
	Unchanged []int
	Refused   []struct {
		Identifier int
		Type       string
	}
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

// TestBulk changes many problems at once: as a dry run has shown, once, and not when
// something has moved or is refused.
func TestBulk(t *testing.T) {
	t.Parallel()
	eachAdapter(t, bulk)
}

func bulk(t *testing.T, store string) {
	const problems = 100
	token := newToken(t)
	admin := serve(t, store, "PROBLEMS_BOOTSTRAP_TOKEN="+token).as(token)
	var group sync.WaitGroup
	for range 10 {
		group.Go(func() {
			for range problems / 10 {
				if status, body := admin.do(http.MethodPost, "/problems", `{"title":"Lamp"}`); status != http.StatusCreated {
					t.Errorf("%d %s", status, body)
				}
			}
		})
	}
	group.Wait()
	titles := func(title string) int {
		var found []struct{ Identifier int }
		admin.get(t, "/problems/search?predicate="+url.QueryEscape("title = '"+title+"'"), &found)
		return len(found)
	}

	const lamps, dryRun, fuse = "title = 'Lamp'", "&dryRun=true", `{"title":"Fuse","state":{"name":"In Progress"}}`
	status, shown := admin.bulk(t, lamps, dryRun, fuse)
	if status != http.StatusOK || shown.Matched != problems || len(shown.Changes) != problems || shown.Preview == nil || titles("Lamp") != problems {
		t.Fatalf("the dry run: %d %+v", status, shown)
	}
	ids := make([]int, problems)
	for i, c := range shown.Changes {
		ids[i] = c.Identifier
	}
	if !slices.IsSorted(ids) {
		t.Errorf("changes are not in ascending order: %v", ids)
	}

	// Something moves in between.
	first := fmt.Sprintf("/problems/%d", ids[0])
	if status, body := admin.do(http.MethodPut, first+"/keywords/a", `"1"`); status != http.StatusCreated {
		t.Fatalf("%d %s", status, body)
	}
	if status, _ := admin.bulk(t, lamps, "&preview="+*shown.Preview, fuse); status != http.StatusPreconditionFailed || titles("Lamp") != problems {
		t.Fatalf("with an outdated preview: %d", status)
	}

	// One of several who send the same preview at once changes the problems.
	_, shown = admin.bulk(t, lamps, dryRun, fuse)
	statuses := make([]int, 4)
	for i := range statuses {
		group.Go(func() { statuses[i], _ = admin.bulk(t, lamps, "&preview="+*shown.Preview, fuse) })
	}
	group.Wait()
	if slices.Sort(statuses); !slices.Equal(statuses, []int{200, 412, 412, 412}) || titles("Fuse") != problems {
		t.Fatalf("four at once: %v, and %d problems are changed", statuses, titles("Fuse"))
	}
	batches := map[string]bool{}
	for i, c := range shown.Changes {
		var p struct {
			Revision int
			Logs     []struct{ BatchIdentifier string }
		}
		admin.get(t, fmt.Sprintf("/problems/%d", c.Identifier), &p)
		if p.Revision != c.Revision {
			t.Errorf("problem %d has the revision %d, not %d", c.Identifier, p.Revision, c.Revision)
		}
		batches[p.Logs[len(p.Logs)-1].BatchIdentifier] = true
		if i == 0 && p.Revision != 3 {
			t.Errorf("the first has the revision %d", p.Revision)
		}
	}
	if len(batches) != 1 {
		t.Errorf("%d batches, not one", len(batches))
	}

	// One that refuses stops all.
	if status, body := admin.do(http.MethodPatch, first, `{"state":{"name":"Closed"}}`); status != http.StatusOK {
		t.Fatalf("%d %s", status, body)
	}
	const progress = `{"title":"Lamp","state":{"name":"In Progress"}}`
	status, shown = admin.bulk(t, "title = 'Fuse'", dryRun, progress)
	if status != http.StatusOK || len(shown.Refused) != 1 || shown.Refused[0].Identifier != ids[0] || len(shown.Changes) != problems-1 {
		t.Fatalf("one that is closed: %d %+v", status, shown)
	}
	if status, _ = admin.bulk(t, "title = 'Fuse'", "&preview="+*shown.Preview, progress); status != http.StatusConflict || titles("Fuse") != problems {
		t.Errorf("a change that one problem refuses: %d", status)
	}
	if status, _ = admin.bulk(t, "title = 'Fuse'", "", progress); status != http.StatusUnprocessableEntity {
		t.Errorf("without a preview: %d", status)
	}
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
