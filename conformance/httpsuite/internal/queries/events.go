package queries

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/problemtracking/problems/conformance/httpsuite/internal/session"
)

// eventCases are about the feed (D39). Others may use the server meanwhile, so each case
// looks at the events of its own problems.
func eventCases() []session.Case {
	const source = "D39"
	return []session.Case{
		session.Extended("HTTP-EV-001", source, "creating and changing a problem are events with its new log entries", writesAreEvents),
		session.Extended("HTTP-EV-002", source, "the header Link leads on, also from an empty page, and to nothing that was read before", linksLeadOn),
		session.Extended("HTTP-EV-003", source, "pages of any size make up the same feed, and each event is the cursor behind itself", pagesMakeUpTheFeed),
		session.Extended("HTTP-EV-004", source, "a request that concerns several problems is one event for each, with one batch", oneBatchOfSeveralEvents),
		session.Extended("HTTP-EV-005", source, "problem and predicate leave out all other events", filtersLeaveOut),
		session.Extended("HTTP-EV-006", source, "events of metadata, users and tokens are for the scope admin alone", administrationIsForAdministrators),
		session.Extended("HTTP-EV-007", source, "impossible parameters and cursors are refused", eventsAreRefused),
		session.Extended("HTTP-EV-008", source, "with wait, a request is answered when there is an event", waitEndsWithAnEvent),
		session.Extended("HTTP-EV-010", source, "what was refused, a dry run, and a write that changes nothing are no events", nothingIsNoEvent),
		session.Extended("HTTP-EV-011", source, "while many write, a reader gets each event once, in the order of the revisions", readersGetEachEventOnce),
		session.Extended("HTTP-EV-017", source, "a request that waits gets no event from after the revocation of its token", revokedTokenEndsWaits),
	}
}

// now returns the cursor at the end of the feed.
func now(s *session.Session) string {
	s.Helper()
	a := s.Admin.Get("/events?after=now").Offered("D39").Is(200).JSON() // others may write meanwhile
	return nextAfter(s, a)
}

// nextAfter returns the cursor of the link to the next events.
func nextAfter(s *session.Session, a *session.Answer) string {
	s.Helper()
	match := session.NextLink.FindStringSubmatch(strings.Join(a.Header.Values("Link"), ","))
	if match == nil {
		s.Fatalf("%v\nhas no link to the next events", a)
	}
	link, err := url.Parse(match[1])
	if err != nil || link.Query().Get("after") == "" {
		s.Fatalf("%v\nlinks to %q, without a cursor", a, match[1])
	}
	return link.Query().Get("after")
}

// eventsAfter returns all events of the query behind a cursor, page by page.
func eventsAfter(s *session.Session, c *session.Client, after, query string) (all []any) {
	s.Helper()
	for {
		a := c.Get("/events?after=" + url.QueryEscape(after) + query).Is(200).JSON()
		page := a.List("")
		all = append(all, page...)
		if after = nextAfter(s, a); len(page) == 0 {
			return all
		}
	}
}

func of(p session.Problem) string { return fmt.Sprintf("&problem=%d", p.ID) }

// member returns a member of each event, as JSON.
func member(events []any, pointer string) (all []string) {
	for _, e := range events {
		all = append(all, session.Encode(session.At(e, pointer)))
	}
	return all
}

func wantEvents(s *session.Session, events []any, pointer string, want ...string) {
	s.Helper()
	if got := member(events, pointer); !slices.Equal(got, want) {
		s.Fatalf("%s of the events is %v, want %v", pointer, got, want)
	}
}

func writesAreEvents(s *session.Session) {
	start := now(s)
	p := s.Problem()
	s.Admin.Patch(p.Path, `{"title":"The door is open"}`).Is(200)
	s.Admin.Post(p.Path+"/comments", `{"text":"Since yesterday."}`).Is(201)
	events := eventsAfter(s, s.Admin, start, of(p))
	wantEvents(s, events, "/type", `"problem.created"`, `"problem.changed"`, `"problem.changed"`)
	wantEvents(s, events, "/problem/revision", "1", "2", "3")
	wantEvents(s, events, "/problem/identifier", fmt.Sprint(p.ID), fmt.Sprint(p.ID), fmt.Sprint(p.ID))
	log := p.Load(s.Admin).List("/logs")
	var entries []any
	for _, e := range events {
		for _, name := range []string{"identifier", "type", "timestamp", "author", "via", "batchIdentifier", "problem", "logs"} {
			if _, ok := e.(map[string]any)[name]; !ok {
				s.Fatalf("the event %s has no %s", session.Encode(e), name)
			}
		}
		logs, _ := session.At(e, "/logs").([]any)
		for _, entry := range logs {
			if session.Encode(session.At(entry, "/batchIdentifier")) != session.Encode(session.At(e, "/batchIdentifier")) {
				s.Fatalf("the event %s has a log entry of another batch", session.Encode(e))
			}
		}
		entries = append(entries, logs...)
	}
	if got, want := session.Encode(entries), session.Encode(log); got != want {
		s.Fatalf("the log entries of the events are\n%s\nand the log of the problem is\n%s", got, want)
	}
	if title := session.At(events[1], "/problem/title"); title != "The door is open" {
		s.Fatalf("the second event has the title %v, want the one after the change", title)
	}
}

func linksLeadOn(s *session.Session) {
	start := now(s)
	p := s.Problem()
	first := s.Admin.Get("/events?after="+start+of(p)).Is(200).Counts("", 1)
	after := nextAfter(s, first)
	if again := nextAfter(s, s.Admin.Get("/events?after="+after+of(p)).Is(200).Counts("", 0)); again == "" {
		s.Fatalf("an empty page has no cursor")
	}
	s.Admin.Patch(p.Path, `{"title":"The door is open"}`).Is(200)
	second := s.Admin.Get("/events?after="+after+of(p)).Is(200).Counts("", 1)
	if second.Text("/0/type") != "problem.changed" {
		s.Fatalf("%v\nhas an event that was read before", second)
	}
}

func pagesMakeUpTheFeed(s *session.Session) {
	start := now(s)
	p := s.Problem()
	for i := range 4 {
		s.Admin.Patch(p.Path, fmt.Sprintf(`{"title":"Title %d"}`, i)).Is(200)
	}
	whole := eventsAfter(s, s.Admin, start, of(p))
	if len(whole) != 5 {
		s.Fatalf("there are %d events, want 5", len(whole))
	}
	for _, limit := range []int{1, 2, 3, 1000} {
		if got := eventsAfter(s, s.Admin, start, of(p)+fmt.Sprintf("&limit=%d", limit)); session.Encode(got) != session.Encode(whole) {
			s.Fatalf("pages of %d make up\n%s\nwant\n%s", limit, session.Encode(got), session.Encode(whole))
		}
	}
	for i, e := range whole {
		id, _ := session.At(e, "/identifier").(string)
		if got := eventsAfter(s, s.Admin, id, of(p)); len(got) != len(whole)-i-1 {
			s.Fatalf("behind event %d there are %d events, want %d", i, len(got), len(whole)-i-1)
		}
	}
}

func oneBatchOfSeveralEvents(s *session.Session) {
	p, q := s.Problem(), s.Problem()
	start := now(s)
	s.Relate(p, "BlockerOf", q)
	one, other := eventsAfter(s, s.Admin, start, of(p)), eventsAfter(s, s.Admin, start, of(q))
	if len(one) != 1 || len(other) != 1 {
		s.Fatalf("the relationship made %d and %d events, want one of each problem", len(one), len(other))
	}
	if a, b := session.At(one[0], "/batchIdentifier"), session.At(other[0], "/batchIdentifier"); a != b {
		s.Fatalf("the events of one request have the batches %v and %v", a, b)
	}
	if a, b := session.At(one[0], "/identifier"), session.At(other[0], "/identifier"); a == b {
		s.Fatalf("two events have the identifier %v", a)
	}
}

func filtersLeaveOut(s *session.Session) {
	start := now(s)
	p, q := s.Problem(), s.Problem()
	title := s.Unique("Wanted")
	s.Admin.Patch(q.Path, `{"title":`+session.Encode(title)+`}`).Is(200)
	predicate := "&predicate=" + url.QueryEscape("title = "+session.Encode(title))
	// The predicate is about the problem of today: its first event counts as well.
	wantEvents(s, eventsAfter(s, s.Admin, start, predicate), "/problem/identifier", fmt.Sprint(q.ID), fmt.Sprint(q.ID))
	wantEvents(s, eventsAfter(s, s.Admin, start, of(p)), "/problem/identifier", fmt.Sprint(p.ID))
	wantEvents(s, eventsAfter(s, s.Admin, start, of(p)+predicate), "/problem/identifier")
}

func administrationIsForAdministrators(s *session.Session) {
	start := now(s)
	component := s.Component()
	about := func(c *session.Client) (found []any) {
		for _, e := range eventsAfter(s, c, start, "&limit=1000") {
			if session.At(e, "/audit/0/object/identifier") == component.Identifier {
				found = append(found, e)
			}
		}
		return found
	}
	events := about(s.Admin)
	wantEvents(s, events, "/type", `"component.created"`)
	wantEvents(s, events, "/problem", "null")
	wantEvents(s, events, "/logs", "[]")
	for _, scope := range []string{"read", "write"} {
		c := s.UserWith(scope)
		for _, e := range eventsAfter(s, c.Client, start, "&limit=1000") {
			if session.At(e, "/problem") == nil {
				s.Fatalf("the scope %s shows the event %s", scope, session.Encode(e))
			}
		}
	}
}

func eventsAreRefused(s *session.Session) {
	cursor := now(s)
	s.Problem()
	later := now(s)
	for _, query := range []string{
		"wait=61", "wait=-1", "wait=soon", "limit=0", "limit=1001", "problem=0", "problem=x", "after=", "after=7", "before=" + cursor,
		"after=" + cursor[:len(cursor)-1], "after=" + cursor + "AA",
	} {
		s.Admin.Get("/events?"+query).Fault(400, "malformed-request")
	}
	s.Admin.Get("/events?after="+cursor, session.With("Last-Event-ID", later)).Fault(400, "malformed-request")
	s.Admin.Get("/events?predicate=title+%3D").Fault(400, "invalid-predicate")
	s.Admin.Get(session.Lookup("/events", "predicate", referring(mostReferences+1, " OR "))).Fault(422, "query-too-expensive")
	s.As("").Get("/events").Fault(401, "unauthenticated")
	s.Admin.Post("/events", `{}`).Fault(405, "method-not-allowed")
	a := s.Admin.Get("/events?after=" + foreignCursor)
	if a.Status == 410 {
		a.Fault(410, "cursor-gone")
		for _, end := range []string{"/oldest", "/newest"} {
			s.Admin.Get("/events?limit=1&after=" + a.Text(end)).Is(200)
		}
	} else {
		a.Fault(400, "malformed-request") // another server has another form
	}
}

// foreignCursor is a cursor of a history that no server under test ever had.
const foreignCursor = "4eQHAQECAwQFBgcICQoLDA0ODxA"

// revokedTokenEndsWaits leaves the server 3 seconds to notice the end of the token.
func revokedTokenEndsWaits(s *session.Session) {
	p := s.Problem()
	made := s.Admin.Post("/tokens", `{"user":`+s.User().Part()+`,"scope":"read"}`).Is(201)
	bob := s.As(session.Secret(made))
	path := "/events?wait=60&after=" + now(s) + of(p)
	answers := session.Together(2, func(i int) *session.Answer {
		if i == 0 {
			return bob.Get(path)
		}
		time.Sleep(time.Second) // the other request has to wait already
		s.Admin.Delete("/tokens/"+made.Text("/identifier"), "").Is(204)
		time.Sleep(3 * time.Second)
		return s.Admin.Patch(p.Path, `{"title":"The door is shut"}`)
	})
	answers[1].Is(200)
	answers[0].Fault(401, "unauthenticated")
}

func waitEndsWithAnEvent(s *session.Session) {
	p := s.Problem()
	start := now(s)
	began := time.Now()
	answers := session.Together(2, func(i int) *session.Answer {
		if i == 0 {
			return s.Admin.Get("/events?wait=60&after=" + start + of(p))
		}
		return s.Admin.Patch(p.Path, `{"title":"The door is open"}`)
	})
	answers[1].Is(200)
	answers[0].Is(200).Counts("", 1).Has("/0/type", "problem.changed")
	if took := time.Since(began); took > 55*time.Second {
		s.Fatalf("the answer took %v, although the event came at once", took)
	}
	after := nextAfter(s, answers[0])
	began = time.Now()
	nextAfter(s, s.Admin.Get("/events?wait=1&after="+after+of(p)).Is(200).Counts("", 0))
	if took := time.Since(began); took < 900*time.Millisecond {
		s.Fatalf("without an event, the answer came after %v, want a wait of 1s", took)
	}
}

func nothingIsNoEvent(s *session.Session) {
	p := s.Problem()
	title := p.Load(s.Admin).Text("/title")
	start := now(s)
	s.Admin.Patch(p.Path, `{"title":""}`).Fault(422, "invalid-value")
	s.Admin.Patch(p.Path+"?dryRun=true", `{"title":"Other"}`).Is(200)
	s.Admin.Patch(p.Path, `{"title":`+session.Encode(title)+`}`).Is(200)
	s.Admin.Patch(p.Path, `{"title":"Other"}`, session.With("If-Match", `"99"`)).Fault(412, "stale-revision")
	if events := eventsAfter(s, s.Admin, start, of(p)); len(events) != 0 {
		s.Fatalf("what changed nothing made the events %s", session.Encode(events))
	}
}

func readersGetEachEventOnce(s *session.Session) {
	const writers, rounds = 4, 6
	p := s.Problem()
	start := now(s)
	var writing sync.WaitGroup
	writing.Add(writers)
	var failed []*session.Answer
	var mu sync.Mutex
	for w := range writers {
		go func() {
			defer writing.Done()
			for i := range rounds {
				if a := s.Admin.Post(p.Path+"/comments", fmt.Sprintf(`{"text":"Comment %d of %d"}`, i, w)); a.Status != 201 {
					mu.Lock()
					failed = append(failed, a)
					mu.Unlock()
				}
			}
		}()
	}
	var read []any
	after := start
	for len(read) < writers*rounds {
		a := s.Admin.Get("/events?wait=5&after=" + after + of(p)).Is(200).JSON()
		page := a.List("")
		mu.Lock()
		stop := len(failed) > 0
		mu.Unlock()
		if stop || len(page) == 0 {
			break
		}
		read, after = append(read, page...), nextAfter(s, a)
	}
	writing.Wait()
	for _, a := range failed {
		a.Is(201)
	}
	var want []string
	for i := range writers * rounds {
		want = append(want, fmt.Sprint(i+2))
	}
	wantEvents(s, read, "/problem/revision", want...)
	if whole := eventsAfter(s, s.Admin, start, of(p)); session.Encode(whole) != session.Encode(read) {
		s.Fatalf("read afterwards, the events are\n%s\nand piece by piece they were\n%s", session.Encode(whole), session.Encode(read))
	}
}
