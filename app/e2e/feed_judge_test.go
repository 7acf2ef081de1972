package e2e

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"testing"
	"time"
)

// wholeFeed returns all events, read in pages from the start.
func wholeFeed(t *testing.T, c *client) (all []heard) {
	t.Helper()
	for path := "/events?limit=1000"; ; {
		var page []json.RawMessage
		c.get(t, path, &page)
		if len(page) == 0 {
			return all
		}
		for _, raw := range page {
			e := heard{raw: string(raw)}
			if err := json.Unmarshal(raw, &e); err != nil {
				t.Fatal(err)
			}
			all = append(all, e)
		}
		path = "/events?limit=1000&after=" + url.QueryEscape(all[len(all)-1].Identifier)
	}
}

// sameFeed demands that a reader got exactly the events of the feed, in their order.
func sameFeed(t *testing.T, r *feedReader, feed []heard) {
	t.Helper()
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, wrong := range r.wrong {
		t.Errorf("%s: %s", r.name, wrong)
	}
	if difference := differs(r.events, feed); difference != "" {
		t.Errorf("%s, of a feed with %d: %s", r, len(feed), difference)
	}
}

// differs returns the first difference between the events of a reader and those of the
// feed, or "".
func differs(got, feed []heard) string {
	for i := range min(len(got), len(feed)) {
		if got[i].raw != feed[i].raw {
			return fmt.Sprintf("event %d is\n%s\nin the feed, and was read as\n%s", i, feed[i].raw, got[i].raw)
		}
	}
	if len(got) != len(feed) {
		return fmt.Sprintf("%d events were read instead of %d", len(got), len(feed))
	}
	return ""
}

// feedJudge knows the comments and logs of the problems.
type feedJudge struct {
	comments map[string]string // texts by identifier
	logs     map[int64][]string
}

// judgeFeed demands that the feed has each entry of each log once, in the order of the
// revisions, and that it agrees with the ledger. It returns the verdict.
func judgeFeed(t *testing.T, c *client, l *ledger, feed []heard) verdict {
	t.Helper()
	judge := feedJudge{comments: make(map[string]string), logs: make(map[int64][]string)}
	revisions := make(map[int64]int64)
	places := make(map[string]int) // of the traces
	found := make(map[string]int)
	for i, e := range feed {
		if e.Problem == nil {
			continue
		}
		id := e.Problem.Identifier
		if revisions[id]++; revisions[id] != e.Problem.Revision {
			t.Fatalf("event %d has revision %d of problem %d, want %d", i, e.Problem.Revision, id, revisions[id])
		}
		if e.Problem.Revision == 1 {
			judge.load(t, c, id)
		}
		for _, trace := range judge.traces(t, e) {
			found[trace]++
			places[trace] = i
		}
	}
	for id := range judge.logs {
		var published []string
		for _, e := range feed {
			if e.Problem != nil && e.Problem.Identifier == id {
				for _, entry := range e.Logs {
					published = append(published, entry.Identifier)
				}
			}
		}
		if !slices.Equal(published, judge.logs[id]) {
			t.Errorf("problem %d has the log %v, and the events have %v", id, judge.logs[id], published)
		}
	}
	for _, wrong := range misplaced(l, places) {
		t.Error(wrong)
	}
	return l.judge(found)
}

// load loads the log and the comments of a problem.
func (j *feedJudge) load(t *testing.T, c *client, id int64) {
	t.Helper()
	var p struct{ Logs []struct{ Identifier string } }
	c.get(t, fmt.Sprintf("/problems/%d", id), &p)
	for _, entry := range p.Logs {
		j.logs[id] = append(j.logs[id], entry.Identifier)
	}
	var comments []struct{ Identifier, Text string }
	c.get(t, fmt.Sprintf("/problems/%d/comments", id), &comments)
	for _, comment := range comments {
		j.comments[comment.Identifier] = comment.Text
	}
}

// traces returns the traces of writes in an event: see write.trace.
func (j *feedJudge) traces(t *testing.T, e heard) (all []string) {
	t.Helper()
	read := func(raw json.RawMessage, value any) {
		if err := json.Unmarshal(raw, value); err != nil {
			t.Errorf("%v in %s", err, raw)
		}
	}
	for _, entry := range e.Logs {
		text := ""
		switch entry.Type {
		case "ProblemCreated":
			var to struct{ Title string }
			read(entry.To, &to)
			text = to.Title
		case "FieldChanged":
			read(entry.To, &text)
		case "CommentAdded":
			read(entry.To, &text)
			text = j.comments[text]
		case "KeywordSet":
			text = *entry.Field
		case "RelationshipAdded":
			if *entry.Field != "BlockerOf" {
				continue // the other side
			}
			var to struct{ ProblemIdentifier int64 }
			read(entry.To, &to)
			text = write{kind: "relate", problem: e.Problem.Identifier, other: to.ProblemIdentifier}.trace()
		}
		all = append(all, text)
	}
	return all
}

// misplaced returns the writes that stand behind a write that began after their
// acknowledgement. The places are those of the traces in the feed.
func misplaced(l *ledger, places map[string]int) (wrong []string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	byPlace := make(map[int]write)
	for _, w := range l.writes {
		if place, ok := places[w.trace()]; ok && w.kind != "relate" { // several writes may relate the same pair
			byPlace[place] = w
		}
	}
	order := make([]int, 0, len(byPlace))
	for place := range byPlace {
		order = append(order, place)
	}
	slices.Sort(order)
	var latest write // the latest begin so far
	for _, place := range order {
		w := byPlace[place]
		if w.outcome == acknowledged && w.ended.Before(latest.began) {
			wrong = append(wrong, fmt.Sprintf("%s was acknowledged %v before %s began, and stands behind it", w.mark, latest.began.Sub(w.ended), latest.mark))
		}
		if w.began.After(latest.began) {
			latest = w
		}
	}
	return wrong
}

// TestFeedJudge shows that TestFeed would find a feed with a fault.
func TestFeedJudge(t *testing.T) {
	t.Parallel()
	event := func(name string) heard { return heard{raw: name} }
	feed := []heard{event("a"), event("b"), event("c")}
	for fault, got := range map[string][]heard{
		"an event is lost":           {event("a"), event("c")},
		"the last event is lost":     {event("a"), event("b")},
		"an event came twice":        {event("a"), event("b"), event("b"), event("c")},
		"events changed places":      {event("b"), event("a"), event("c")},
		"an event was taken back":    {event("a"), event("b"), event("c"), event("d")},
		"an event became another":    {event("a"), event("x"), event("c")},
		"a gap was filled in behind": {event("a"), event("c"), event("b")},
	} {
		if differs(got, feed) == "" {
			t.Errorf("%s: nobody notices", fault)
		}
	}
	if difference := differs(feed, feed); difference != "" {
		t.Error(difference)
	}
	second := func(n int) time.Time { return time.Unix(int64(n), 0) }
	l := &ledger{writes: map[string]write{
		"first":  {mark: "first", kind: "comment", outcome: acknowledged, began: second(1), ended: second(2)},
		"second": {mark: "second", kind: "comment", outcome: unknown, began: second(3)},
		"beside": {mark: "beside", kind: "comment", outcome: acknowledged, began: second(1), ended: second(4)},
	}}
	for _, c := range []struct {
		places map[string]int
		wrong  int
	}{
		{map[string]int{"first": 0, "beside": 1, "second": 2}, 0},
		{map[string]int{"first": 0, "second": 1, "beside": 2}, 0},
		{map[string]int{"second": 0, "first": 1, "beside": 2}, 1},
	} {
		if wrong := misplaced(l, c.places); len(wrong) != c.wrong {
			t.Errorf("%v: got %q, want %d writes", c.places, wrong, c.wrong)
		}
	}
}

// sameAsExport compares the copy with an export of the store, served from a new store.
func sameAsExport(t *testing.T, c *problemCopy, store string) {
	t.Helper()
	archive, restored := t.TempDir()+"/problems.jsonl", newFile(t)
	command(t, []string{"PROBLEMS_STORE=" + store}, "export", "--to="+archive)
	command(t, []string{"PROBLEMS_STORE=" + restored}, "import", "--from="+archive)
	client := serve(t, restored, "PROBLEMS_BOOTSTRAP_TOKEN="+newToken(t)).as(c.token)
	var total []struct{ Identifier int64 }
	client.get(t, "/problems?limit=1000", &total)
	count := len(total)
	for count > 0 && len(total) == 1000 {
		client.get(t, fmt.Sprintf("/problems/search?limit=1000&predicate=%s", url.QueryEscape(fmt.Sprintf("identifier > %d", total[len(total)-1].Identifier))), &total)
		count += len(total)
	}
	if count != len(c.problems) {
		t.Errorf("the copy has %d problems, and the export %d", len(c.problems), count)
	}
	different := 0
	for id, body := range c.problems {
		status, want := client.do(http.MethodGet, fmt.Sprintf("/problems/%d", id), "")
		if status != http.StatusOK || string(body) != string(want) {
			if different++; different < 3 {
				t.Errorf("problem %d is in the export\n%d %s\nand in the copy\n%s", id, status, want, body)
			}
		}
	}
	t.Logf("copy: %d problems by %d loads, %d of them differ from the export", len(c.problems), c.loads, different)
}

// eventually waits until something is so.
func eventually(t *testing.T, what string, is func() bool) {
	t.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	limit := time.After(2 * patience)
	for !is() {
		select {
		case <-tick.C:
		case <-limit:
			t.Fatalf("%s: not so after %v", what, 2*patience)
		}
	}
}
