package records

import (
	"fmt"
	"strings"

	"github.com/problemtracking/problems/conformance/httpsuite/internal/session"
)

// reportCases are about reports of faults (D55).
func reportCases() []session.Case {
	return []session.Case{
		session.Extended("HTTP-REPORT-001", "D55, D10", "a report creates a problem with its keyword and comment; the next one adds its comment, and ignores the problem in its body", reportTwice),
		session.Extended("HTTP-REPORT-002", "D55", "of many reports at once, one creates the problem, and no comment is lost", reportTogether),
		session.Extended("HTTP-REPORT-003", "D55", "the unresolved problem with the smallest number gets the comment; without one, another problem is created", reportUnresolved),
		session.Extended("HTTP-REPORT-004", "D55, D21, D24", "the same key gets the same answer, with its status; a dry run stores nothing", reportOnce),
		session.Extended("HTTP-REPORT-005", "D55, D18", "faults are at their place in the body, also when the problem is there", reportBodies),
	}
}

// reportOf is the body of a report with a keyword of this value.
func reportOf(alert, more string) string {
	return fmt.Sprintf(`{"keyword":{"name":"alert","value":%s},"problem":{"title":"T"}%s}`, session.Encode(alert), more)
}

func reportTwice(s *session.Session) {
	bob, alert := s.User(), s.Unique("it's \\ slow"+strings.Repeat("é", 64)) // and of those that begin alike, each is a value of its own
	body := fmt.Sprintf(`{"keyword":{"name":"alert","value":%s},"problem":{"title":"Slow","keywords":[{"name":"zone","value":"a"}]},"comment":"One."}`, session.Encode(alert))
	made := bob.Post("/problems/report", body).Is(201).Has("/title", "Slow").Has("/revision", 1).Counts("/keywords", 2).Counts("/logs", 4)
	made.Has("/keywords/0", map[string]any{"name": "alert", "value": alert})
	path := fmt.Sprint("/problems/", made.Number("/identifier"))
	found := s.Admin.Post("/problems/report", reportOf(alert, `,"comment":"Two."`)).Is(200).Has("/identifier", made.At("/identifier")).Has("/title", "Slow").
		Has("/revision", 2).Counts("/logs", 1).Has("/logs/0/type", "CommentAdded")
	found.Sends("Problem-Revision", "2")
	s.Admin.Get(path+"/comments").Is(200).Counts("", 2).Has("/0/text", "One.").Has("/1/text", "Two.")
	s.Admin.Post("/problems/report", reportOf(alert, "")).Is(200).Has("/revision", 2).Counts("/logs", 0)
	s.Admin.Post("/problems/report", reportOf(alert+"er", "")).Is(201)
	s.UserWith("read").Post("/problems/report", reportOf(alert, "")).Fault(403, "forbidden")
}

func reportTogether(s *session.Session) {
	const n = 8
	alert := s.Unique("alert")
	answers := session.Together(n, func(i int) *session.Answer {
		return s.Admin.Post("/problems/report", reportOf(alert, fmt.Sprintf(`,"comment":"%d"`, i)))
	})
	if created := session.Count(answers, 201); created != 1 || session.Count(answers, 200) != n-1 {
		s.Fatalf("of %d reports at once, %d created a problem", n, created)
	}
	s.Admin.Get(fmt.Sprint("/problems/", answers[0].Number("/identifier"), "/comments")).Is(200).Counts("", n)
}

func reportUnresolved(s *session.Session) {
	alert := s.Unique("alert")
	p, q := s.Problem(), s.Problem()
	for _, each := range []session.Problem{q, p} {
		s.Admin.Put(each.Keyword("alert"), session.Encode(alert)).Is(201)
	}
	for _, each := range []session.Problem{p, q} {
		s.Admin.Post("/problems/report", reportOf(alert, `,"comment":"Seen."`)).Is(200).Has("/identifier", each.ID)
		s.Admin.Patch(each.Path, `{"state":{"name":"Closed"}}`).Is(200)
	}
	s.Admin.Post("/problems/report", reportOf(alert, "")).Is(201)
}

func reportOnce(s *session.Session) {
	alert := s.Unique("alert")
	s.Admin.Post("/problems/report?dryRun=true", reportOf(alert, "")).Is(201).Lacks("/identifier").Sends("Dry-Run", "true")
	for _, status := range []int{201, 200} {
		key := session.With("Idempotency-Key", s.Unique("key"))
		body := reportOf(alert, `,"comment":"Seen."`)
		first := s.Admin.Post("/problems/report", body, key).Is(status)
		s.Admin.Post("/problems/report", body, key).Is(status).Sends("Idempotency-Replayed", "true").Has("", first.Value)
		s.Admin.Post("/problems/report", reportOf(alert, ""), key).Fault(409, "idempotency-conflict")
	}
	p := s.Admin.Post("/problems/report?dryRun=true", reportOf(alert, `,"comment":"Dry."`)).Is(200)
	s.Admin.Get(fmt.Sprint("/problems/", p.Number("/identifier"), "/comments")).Is(200).Counts("", 2)
}

func reportBodies(s *session.Session) {
	alert := s.Unique("alert")
	for range 2 { // without the problem, and with it
		s.Admin.Post("/problems/report", `{}`).Fault(422, "required-field", "/keyword/name", "/keyword/value", "/problem/title")
		s.Admin.Post("/problems/report", `{"keyword":{"name":"alert","value":null},"problem":{"title":"T"}}`).Fault(422, "invalid-value", "/keyword/value")
		s.Admin.Post("/problems/report", `{"keyword":"alert","problem":{"title":"T"}}`).Fault(422, "invalid-type", "/keyword")
		for body, fault := range map[string][2]string{
			`{"title":""}`: {"invalid-value", "/problem/title"}, `{"title":"T","due":7}`: {"invalid-type", "/problem/due"},
			`{"title":"T","colour":1}`: {"unknown-field", "/problem/colour"}, `{"title":"T","priority":{"name":"None such"}}`: {"metadata-not-found", "/problem/priority"},
			`{"title":"T","keywords":[{"name":"alert"}]}`: {"invalid-value", "/keyword"},
		} {
			s.Admin.Post("/problems/report", fmt.Sprintf(`{"keyword":{"name":"alert","value":%s},"problem":%s}`, session.Encode(alert), body)).Fault(422, fault[0], fault[1])
		}
		s.Admin.Post("/problems/report", reportOf(alert, `,"comment":""`)).Fault(422, "invalid-value", "/comment")
		s.Admin.Post("/problems/report", reportOf(alert, "")) // creates it
	}
}
