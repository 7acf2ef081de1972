package httpapi

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/problemtracking/problems/adapters/httpapi/internal/samples"
	"github.com/problemtracking/problems/adapters/httpapi/internal/wire"
	"github.com/problemtracking/problems/domain/access"
	"github.com/problemtracking/problems/domain/event"
	"github.com/problemtracking/problems/domain/fault"
)

// published returns n entries: about problem 12, about problem 13 and of administration, in
// turn.
func published(n int) []event.Entry {
	sample := samples.Events()
	feed := make([]event.Entry, n)
	for i := range feed {
		e := sample[0].Event
		switch i % 3 {
		case 1:
			e.Problem = 13
		case 2:
			e = sample[1].Event
		}
		feed[i] = event.Entry{Number: int64(i + 1), Batch: samples.Identifier(200 + i), At: samples.Time, Author: samples.Ann.ID, Events: []event.Event{e}}
	}
	return feed
}

// eventsIn reads the body of an answer.
func eventsIn(t *testing.T, body string) (all []wire.Event) {
	t.Helper()
	if err := json.Unmarshal([]byte(body), &all); err != nil {
		t.Fatalf("%v: %s", err, body)
	}
	return all
}

// Events as clients read them.
func TestEvents(t *testing.T) {
	t.Parallel()
	f := setup(t)
	f.feed = published(3)
	w := f.send(t, request("GET", api+"/events", ""), 200, "")
	all := eventsIn(t, w.Body.String())
	if len(all) != 3 {
		t.Fatalf("there are %d events, want 3: %s", len(all), w.Body)
	}
	e, admin := all[0], all[2]
	if e.Identifier != f.feed[0].Cursor(0).String() || e.Type != "problem.changed" || e.Author.Name != "Ann" || e.BatchIdentifier != f.feed[0].Batch.String() ||
		e.Problem.Identifier != 12 || e.Problem.State.Name == "" || e.Problem.Revision == 0 || len(e.Logs) != 1 || e.Audit != nil {
		t.Errorf("the first event is %+v", e)
	}
	if admin.Type != "state.changed" || admin.Problem != nil || len(admin.Logs) != 0 || len(admin.Audit) != 1 || admin.Audit[0].Object.Name != "Open" {
		t.Errorf("the event of administration is %+v", admin)
	}
	link := func(cursor event.Cursor, more string) string {
		return "<" + api + "/events?after=" + cursor.String() + more + `>; rel="next"`
	}
	header(t, w, map[string]string{"Link": link(f.feed[2].End(), "")})

	reader := []string{"Authorization", secretOf(access.Read).Reveal()}
	for _, test := range []struct {
		rule, query string
		headers     []string
		want        []int // of the feed, from 1
		next        string
	}{
		{"a reader sees no administration", "", reader, []int{1, 2}, link(f.feed[2].End(), "")},
		{"after an event", "?after=" + f.feed[0].End().String(), nil, []int{2, 3}, link(f.feed[2].End(), "")},
		{"after the last", "?after=" + f.feed[2].End().String(), nil, nil, link(f.feed[2].End(), "")},
		{"from now on", "?after=now", nil, nil, link(f.feed[2].End(), "")},
		{"Last-Event-ID", "", []string{"Last-Event-ID", f.feed[1].End().String()}, []int{3}, link(f.feed[2].End(), "")},
		{"Last-Event-ID overrides now", "?after=now", []string{"Last-Event-ID", f.feed[1].End().String()}, []int{3}, link(f.feed[2].End(), "")},
		{"the same position twice", "?after=" + f.feed[1].End().String(), []string{"Last-Event-ID", f.feed[1].End().String()}, []int{3}, link(f.feed[2].End(), "")},
		{"from the start", "?after=" + event.Start.String(), nil, []int{1, 2, 3}, link(f.feed[2].End(), "")},
		{"a limit", "?limit=1", nil, []int{1}, link(f.feed[0].End(), "&limit=1")},
		{"one problem", "?problem=13", nil, []int{2}, link(f.feed[2].End(), "&problem=13")},
		{"a problem without events", "?problem=14", nil, nil, link(f.feed[2].End(), "&problem=14")},
		{"a predicate", "?predicate=identifier+%3D+12", nil, []int{1}, link(f.feed[2].End(), "&predicate=identifier+%3D+12")},
		{"a predicate that nothing satisfies", "?predicate=FALSEPREDICATE", nil, nil, link(f.feed[2].End(), "&predicate=FALSEPREDICATE")},
	} {
		w := f.send(t, request("GET", api+"/events"+test.query, "", test.headers...), 200, "")
		var got []int
		for _, e := range eventsIn(t, w.Body.String()) {
			got = append(got, 1+slices.IndexFunc(f.feed, func(entry event.Entry) bool { return entry.Batch.String() == e.BatchIdentifier }))
		}
		if !slices.Equal(got, test.want) {
			t.Errorf("%s: the events are %v, want %v", test.rule, got, test.want)
		}
		header(t, w, map[string]string{"Link": test.next})
	}
	if w := f.send(t, request("HEAD", api+"/events", ""), 200, ""); w.Body.Len() > 0 || w.Header().Get("Link") == "" {
		t.Errorf("HEAD has the body %q and the headers %v", w.Body, w.Header())
	}
}

// Whoever follows the links reads all events once, in their order.
func TestEventPages(t *testing.T) {
	t.Parallel()
	for _, limit := range []string{"", "?limit=1", "?limit=50", "?limit=1000"} {
		f := setup(t, func(o *Options) { o.BasePath = "/tracker" })
		f.feed = published(205)
		path, seen := "/tracker"+api+"/events"+limit, 0
		for {
			w := f.send(t, request("GET", path, ""), 200, "")
			page := eventsIn(t, w.Body.String())
			for _, e := range page {
				if want := f.feed[seen].Batch.String(); e.BatchIdentifier != want {
					t.Fatalf("%s: event %d is of the batch %s, not %s", limit, seen, e.BatchIdentifier, want)
				}
				seen++
			}
			path = strings.TrimSuffix(strings.TrimPrefix(w.Header().Get("Link"), "<"), `>; rel="next"`)
			if len(page) == 0 {
				break
			}
		}
		if seen != 205 {
			t.Errorf("%s: %d events on all pages", limit, seen)
		}
	}
}

// farFetched returns a predicate that refers to 45 objects, where 32 are allowed.
func farFetched() string {
	var conditions []string
	for n := range 9 {
		conditions = append(conditions, "component"+strings.Repeat(".parent", n)+strings.Repeat(".successor", 8-n)+".name = 'x'")
	}
	return strings.Join(conditions, " OR ")
}

func TestEventsRefuse(t *testing.T) {
	t.Parallel()
	f := setup(t)
	f.feed = published(2)
	first, last := f.feed[0].End(), f.feed[1].End()
	foreign := event.Cursor{Number: 2, Index: 1, Batch: samples.Ann.ID}
	future := event.Cursor{Number: 3, Index: 1, Batch: last.Batch}
	cut := last.String()[:len(last.String())-2]
	stream := []string{"Accept", "text/event-stream"}
	for _, test := range []struct {
		query   string
		headers []string
		status  int
		kind    fault.Kind
	}{
		{"?wait=61", nil, 400, fault.MalformedRequest},
		{"?wait=-1", nil, 400, fault.MalformedRequest},
		{"?wait=1s", nil, 400, fault.MalformedRequest},
		{"?limit=0", nil, 400, fault.MalformedRequest},
		{"?limit=1001", nil, 400, fault.MalformedRequest},
		{"?problem=0", nil, 400, fault.MalformedRequest},
		{"?problem=012", nil, 400, fault.MalformedRequest},
		{"?after=", nil, 400, fault.MalformedRequest},
		{"?after=2", nil, 400, fault.MalformedRequest},
		{"?after=Now", nil, 400, fault.MalformedRequest},
		{"?after=" + cut, nil, 400, fault.MalformedRequest},
		{"?after=" + first.String() + "&after=" + last.String(), nil, 400, fault.MalformedRequest},
		{"?before=" + first.String(), nil, 400, fault.MalformedRequest},
		{"", []string{"Last-Event-ID", "7"}, 400, fault.MalformedRequest},
		{"?after=" + first.String(), []string{"Last-Event-ID", last.String()}, 400, fault.MalformedRequest},
		{"?predicate=title+%3D", nil, 400, fault.InvalidPredicate},
		{"?predicate=" + url.QueryEscape(farFetched()), nil, 422, fault.QueryTooExpensive},
		{"?after=" + foreign.String(), nil, 410, fault.CursorGone},
		{"?after=" + future.String(), nil, 410, fault.CursorGone},
		{"", []string{"Last-Event-ID", foreign.String()}, 410, fault.CursorGone},
		{"", []string{"Authorization", ""}, 401, fault.Unauthenticated},
	} {
		for _, more := range [][]string{nil, stream} {
			f.send(t, request("GET", api+"/events"+test.query, "", append(test.headers, more...)...), test.status, test.kind)
		}
	}
	for _, query := range []string{"?limit=10", "?wait=10"} {
		f.send(t, request("GET", api+"/events"+query, "", stream...), 400, fault.MalformedRequest)
	}
	w := f.send(t, request("GET", api+"/events?after="+foreign.String(), ""), 410, fault.CursorGone)
	var gone wire.Error
	if err := json.Unmarshal(w.Body.Bytes(), &gone); err != nil || gone.Oldest != event.Start.String() || gone.Newest != last.String() {
		t.Errorf("the ends of the feed are %q and %q (%v), want %q and %q", gone.Oldest, gone.Newest, err, event.Start, last)
	}
}

func TestStreamsAreLimited(t *testing.T) {
	t.Parallel()
	f := setup(t, func(o *Options) { o.Streams = NewStreams(1, 0, nil) })
	w := f.send(t, request("GET", api+"/events?wait=1", ""), http.StatusTooManyRequests, fault.RateLimited)
	if after := w.Header().Get("Retry-After"); after != "5" || !strings.Contains(w.Body.String(), fmt.Sprintf("you have %d streams", 0)) {
		t.Errorf("the refusal has Retry-After: %q, and is %s", after, w.Body)
	}
	f.send(t, request("GET", api+"/events", ""), 200, "")
}
