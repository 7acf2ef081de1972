package e2e

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"reflect"
	"testing"
	"time"
)

// TestAsOf writes at random and keeps what R1–R4 show of each revision. In the end
// the past is shown as it was: by revision and by time (D36). The other adapters show the same:
// TestAdaptersAgree asks them for the past, too.
func TestAsOf(t *testing.T) {
	t.Parallel()
	const requests = 500
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	x := newTranscript(t, "memory:")
	admin := x.server.as(x.tokens[0])
	seen := map[int][]sight{} // by problem; revision 1 is the first
	for n := range requests {
		r := invent(random)
		if n < 12 {
			r = request{method: http.MethodPost, path: "/problems", body: `{"title":"New"}`}
		}
		if r.method == http.MethodGet || r.method == http.MethodHead {
			continue
		}
		if status, _ := x.send(r); status >= 300 {
			continue
		}
		look(t, admin, seen)
	}
	revisions := 0
	for problem, past := range seen {
		for i, then := range past {
			revisions++
			today(then, seen)
			check(t, admin, problem, fmt.Sprint(i+1), then)
		}
		for _, then := range past {
			at := made(then)
			check(t, admin, problem, at, latest(past, at))
		}
		before := madeTime(t, past[0]).Add(-time.Millisecond)
		for _, asOf := range []string{"0", fmt.Sprint(len(past) + 1), before.Format(time.RFC3339Nano)} {
			if status, body := admin.do(http.MethodGet, fmt.Sprintf("/problems/%d?asOf=%s", problem, asOf), ""); status != http.StatusNotFound {
				t.Errorf("problem %d as of %s: %d %s", problem, asOf, status, body)
			}
		}
	}
	if revisions < 60 {
		t.Errorf("%d requests made %d revisions", requests, revisions)
	}
	t.Logf("%d revisions of %d problems", revisions, len(seen))
}

// sight is what R1–R4 show, by the end of the path.
type sight map[string]any

// shown are the ends of the paths of R1–R4.
var shown = []string{"", "/comments", "/relationships", "/watchers"}

// look keeps what is shown of each problem that has a new revision.
func look(t *testing.T, c *client, seen map[int][]sight) {
	t.Helper()
	var found []struct{ Identifier, Revision int }
	c.get(t, "/problems/search?predicate=identifier+%3C%3D+12", &found) // which are those that invent has
	for _, p := range found {
		if p.Revision == len(seen[p.Identifier]) {
			continue
		}
		if p.Revision != len(seen[p.Identifier])+1 {
			t.Fatalf("problem %d went from revision %d to %d in one request", p.Identifier, len(seen[p.Identifier]), p.Revision)
		}
		now := sight{}
		for _, end := range shown {
			var part any
			c.get(t, fmt.Sprintf("/problems/%d%s", p.Identifier, end), &part)
			now[end] = part
		}
		seen[p.Identifier] = append(seen[p.Identifier], now)
	}
}

// today makes of what was shown what is to be shown: no marks, and other problems as
// they are today.
func today(then sight, seen map[int][]sight) {
	p := then[""].(map[string]any)
	for _, mark := range []string{"watching", "read", "readByAssignee"} {
		p[mark] = nil
	}
	for _, r := range then["/relationships"].([]any) {
		other := r.(map[string]any)["problem"].(map[string]any)
		revisions := seen[int(other["identifier"].(float64))]
		current := revisions[len(revisions)-1][""].(map[string]any)
		state := current["state"].(map[string]any)
		other["title"] = current["title"]
		other["state"] = map[string]any{"identifier": state["identifier"], "name": state["name"]}
	}
}

// made returns the time at which a revision was made.
func made(s sight) string {
	logs := s[""].(map[string]any)["logs"].([]any)
	return logs[len(logs)-1].(map[string]any)["creationDate"].(string)
}

func madeTime(t *testing.T, s sight) time.Time {
	t.Helper()
	at, err := time.Parse(time.RFC3339Nano, made(s))
	if err != nil {
		t.Fatal(err)
	}
	return at
}

// latest returns the last revision that was made by then.
func latest(past []sight, at string) (last sight) {
	for _, s := range past {
		if made(s) <= at { // of one form, as all times are (D9)
			last = s
		}
	}
	return last
}

func check(t *testing.T, c *client, problem int, asOf string, want sight) {
	t.Helper()
	for _, end := range shown {
		var got any
		c.get(t, fmt.Sprintf("/problems/%d%s?asOf=%s", problem, end, url.QueryEscape(asOf)), &got)
		if !reflect.DeepEqual(got, want[end]) {
			t.Errorf("problem %d%s as of %s is\n%v\nand was\n%v", problem, end, asOf, got, want[end])
		}
	}
}
