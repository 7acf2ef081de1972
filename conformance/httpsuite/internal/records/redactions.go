package records

import (
	"fmt"
	"net/url"
	"strings"

	"github.com/problemtracking/problems/conformance/httpsuite/internal/session"
)

// redactionCases are about redactions (D45).
func redactionCases() []session.Case {
	return []session.Case{
		session.Extended("HTTP-REDACT-001", "D45, D8, D36, D20", "a redacted text is in no answer: the problem, its parts, its past and its events; the log has the number of places", textIsNowhere),
		session.Extended("HTTP-REDACT-002", "D45, D24", "a dry redaction counts places by kind; it stores nothing, nor does one of a text that is not there", dryRedactions),
		session.Extended("HTTP-REDACT-003", "D45, D18", "an author redacts a comment, also a deleted one, and nothing else; 403 for anybody else comes after 404", redactionsOfComments),
		session.Extended("HTTP-REDACT-004", "D45, D18", "faults of the body, a current keyword with the text in its name, and a scope that is too small", redactionsThatAreRefused),
		session.Extended("HTTP-REDACT-005", "D45, D39", "events keep their cursors, batches, types and numbers of lines; who follows the feed sees the new texts within 2 seconds", eventsAfterARedaction),
		session.Extended("HTTP-REDACT-006", "D45, D21", "the replay of a redacted answer is idempotency-conflict; that of another comment or problem comes as it was", repliesAfterARedaction),
		session.Extended("HTTP-REDACT-008", "D45, D48", "the names of attachments lose a redacted text; a redacted attachment loses its name, and its bytes are 404", redactionsOfAttachments),
		session.Extended("HTTP-REDACT-007", "D45, D1", "redactions at once, beside edits: each text is gone, and each edit is there", redactionsAtOnce),
	}
}

// secretOf returns a text that no other case has.
func secretOf(s *session.Session) string { return s.Unique(`pass "word" <&> `) }

// redact replaces the text of a path.
func redact(c *session.Client, path, text string) *session.Answer {
	return c.Post(path+"/redactions", session.Encode(map[string]any{"text": text, "replacement": "(gone)"})).Is(200)
}

// without demands that no answer has the text, in any form.
func without(s *session.Session, text string, answers ...*session.Answer) {
	s.Helper()
	quoted := strings.Trim(session.Encode(text), `"`)
	for _, a := range answers {
		if strings.Contains(string(a.Body), text) || strings.Contains(string(a.Body), quoted) {
			s.Fatalf("%v\nhas the redacted text %q", a, text)
		}
	}
}

func textIsNowhere(s *session.Session) {
	bob, secret := s.User(), secretOf(s)
	made := bob.Post("/problems", session.Encode(map[string]any{"title": "My " + secret, "keywords": []any{map[string]any{"name": "key", "value": "=" + secret}}})).Is(201)
	path := "/problems/" + made.Part("/identifier")
	bob.Put(path+"/keywords/"+url.PathEscape("is "+secret), session.Encode(secret)).Is(201)
	bob.Delete(path+"/keywords/"+url.PathEscape("is "+secret), "").Is(204)
	comment := bob.Post(path+"/comments", session.Encode(map[string]any{"text": "a " + secret, "html": "<b>pass</b> " + secret})).Is(201)
	bob.Patch(path+"/comments/"+comment.Text("/identifier"), session.Encode(map[string]any{"text": "b " + secret + secret})).Is(200)
	bob.Patch(path, `{"title":"Mine"}`).Is(200)
	bob.Patch(path, session.Encode(map[string]any{"title": "Again " + secret})).Is(200)
	answers := func() (all []*session.Answer) {
		for _, part := range []string{"", "?asOf=1", "/comments", "/comments?asOf=4", "?asOf=4", "?asOf=6"} {
			all = append(all, bob.Get(path+part).Is(200))
		}
		return append(all, bob.Get("/events?limit=1000&problem="+made.Part("/identifier")).Is(200))
	}
	before := answers()
	a := redact(s.Admin, path, secret)
	a.Members("", "places", "title", "savepoints", "keywords", "comments", "attachments", "log", "events")
	a.Has("/title", 1).Has("/savepoints", 2).Has("/keywords", 1).Has("/comments", 1).Has("/log", 7).Has("/events", 7).Has("/places", 19)
	after := answers()
	without(s, secret, append(after, a)...)
	for i, was := range before[:6] {
		if was.ETag() == after[i].ETag() {
			s.Fatalf("%v\nhas the ETag of the answer with the text", after[i])
		}
	}
	after[0].Has("/title", "Again (gone)")
	after[1].Has("/title", "My (gone)").Has("/keywords/0/value", "=(gone)")
	after[2].Has("/0/text", "b (gone)(gone)")
	after[3].Has("/0/text", "a (gone)").Has("/0/html", "<b>pass</b> (gone)")
	after[0].Has("/logs/last/type", "Redacted").Has("/logs/last/isSignificant", false).Has("/logs/last/field", nil).Has("/logs/last/from", nil).
		Has("/logs/last/to", map[string]any{"places": 19})
	redact(s.Admin, path, secret).Has("/places", 0)
}

func dryRedactions(s *session.Session) {
	bob, p, secret := s.User(), s.Problem(), secretOf(s)
	remark(p, bob, session.Encode(map[string]any{"text": secret}))
	body := session.Encode(map[string]any{"text": secret})
	s.Untouched(p, func() {
		s.Admin.Post(p.Path+"/redactions?dryRun=true", body).Is(200).Sends("Dry-Run", "true").Has("/comments", 1).Has("/places", 1)
		s.Admin.Post(p.Path+"/redactions", session.Encode(map[string]any{"text": strings.ToUpper(secret)})).Is(200).Has("/places", 0)
	})
	s.Admin.Post(p.Path+"/redactions", body).Is(200).Has("/places", 1)
	s.Admin.Get(p.Path+"/comments").Is(200).Has("/0/text", "***")
}

func redactionsOfComments(s *session.Session) {
	ann, bob, p, secret := s.User(), s.User(), s.Problem(), secretOf(s)
	body := session.Encode(map[string]any{"text": secret})
	path, _ := remark(p, ann, body)
	other, _ := remark(p, ann, body)
	ann.Patch(path, `{"text":"gone"}`).Is(200)
	ann.Delete(path, "").Is(204)
	s.Untouched(p, func() {
		bob.Post(path+"/redactions", body).Fault(403, "forbidden")
		bob.Post(p.Path+"/comments/12/redactions", body).Fault(404, "comment-not-found")
	})
	redact(ann.Client, path, secret).Has("/comments", 0).Has("/log", 1).Has("/events", 1).Has("/places", 2)
	without(s, secret, p.Load(ann.Client))
	ann.Get(p.Path+"/comments").Is(200).Has("/0/text", secret)
	redact(s.Admin, other, secret).Has("/comments", 1).Has("/places", 1)
	without(s, secret, ann.Get(p.Path+"/comments").Is(200))
}

func redactionsThatAreRefused(s *session.Session) {
	p, secret := s.Problem(), secretOf(s)
	s.Admin.Put(p.Path+"/keywords/"+url.PathEscape(secret), `null`).Is(201)
	s.Untouched(p, func() {
		for body, fault := range map[string][2]string{
			`{}`:                                    {"required-field", "/text"},
			`{"text":"abc"}`:                        {"invalid-value", "/text"},
			`{"text":null}`:                         {"invalid-value", "/text"},
			`{"text":7}`:                            {"invalid-type", "/text"},
			`{"text":"abcd","replacement":"abcde"}`: {"invalid-value", "/replacement"},
			`{"text":"abcd","replacement":"  "}`:    {"invalid-value", "/replacement"},
			`{"text":"abcd","replacement":"abcd"}`:  {"invalid-value", "/replacement"},
			`{"text":"abcd","everywhere":true}`:     {"unknown-field", "/everywhere"},
		} {
			s.Admin.Post(p.Path+"/redactions", body).Fault(422, fault[0], fault[1])
		}
		body := session.Encode(map[string]any{"text": secret})
		s.Admin.Post(p.Path+"/redactions", body).Fault(409, "in-use")
		s.Admin.Post(p.Path+"/redactions", body, session.With("If-Match", `"1"`)).Fault(412, "stale-revision")
		s.User().Post(p.Path+"/redactions", body).Fault(403, "forbidden")
	})
}

func eventsAfterARedaction(s *session.Session) {
	bob, p, secret := s.User(), s.Problem(), secretOf(s)
	bob.Patch(p.Path, session.Encode(map[string]any{"title": secret})).Is(200)
	events := fmt.Sprintf("/events?limit=1000&problem=%d", p.ID)
	before := bob.Get(events).Is(200).List("")
	stream := bob.OpenStream(fmt.Sprintf("/events?after=now&problem=%d", p.ID)) // so the server holds the end of the feed
	defer stream.Close()
	redact(s.Admin, p.Path, secret)
	stream.Events(1)
	a := bob.Get(events).Is(200).Counts("", len(before)+1)
	without(s, secret, a)
	after := a.List("")
	for i, one := range before {
		was, is := one.(map[string]any), after[i].(map[string]any)
		for _, member := range []string{"identifier", "type", "batchIdentifier", "creationDate"} {
			if fmt.Sprint(was[member]) != fmt.Sprint(is[member]) {
				s.Fatalf("the event has the %s %v, and had %v", member, is[member], was[member])
			}
		}
		if len(was["logs"].([]any)) != len(is["logs"].([]any)) {
			s.Fatalf("the event %v\nhad other lines: %v", is, was)
		}
	}
}

func repliesAfterARedaction(s *session.Session) {
	bob, p, secret := s.User(), s.Problem(), secretOf(s)
	body := session.Encode(map[string]any{"text": secret})
	key := func() session.Option { return session.With("Idempotency-Key", s.Unique("key")) }
	one, two, three := key(), key(), key()
	add := func(k session.Option) *session.Answer { return bob.Post(p.Path+"/comments", body, k) }
	first, second := add(one).Is(201), add(two).Is(201)
	elsewhere := bob.Post("/problems", `{"title":"Elsewhere"}`, three).Is(201)
	redact(bob.Client, p.Path+"/comments/"+first.Text("/identifier"), secret)
	add(one).Fault(409, "idempotency-conflict")
	add(two).Is(201).Sends("Idempotency-Replayed", "true").Has("/identifier", second.Text("/identifier"))
	redact(s.Admin, p.Path, secret)
	add(two).Fault(409, "idempotency-conflict")
	bob.Post("/problems", `{"title":"Elsewhere"}`, three).Is(201).Sends("Idempotency-Replayed", "true").Has("/identifier", elsewhere.At("/identifier"))
	bob.Get(p.Path+"/comments").Is(200).Counts("", 2)
}

func redactionsOfAttachments(s *session.Session) {
	bob, p, secret := s.User(), s.Problem(), s.Unique("name")
	attach := func() string {
		return p.Path + "/attachments/" + bob.Post(p.Path+"/attachments", "x", named("my "+secret+".txt")).Is(201).Text("/identifier")
	}
	events := fmt.Sprintf("/events?limit=1000&problem=%d", p.ID)
	present, deleted := attach(), attach()
	bob.Delete(deleted, "").Is(204)
	s.Untouched(p, func() {
		s.Admin.Post(p.Path+"/redactions", `{"attachment":"7"}`).Fault(404, "attachment-not-found")
		bob.Post(p.Path+"/redactions", `{"attachment":"7"}`).Fault(403, "forbidden")
	})
	s.Admin.Post(p.Path+"/redactions", session.Encode(map[string]any{"text": secret})).Is(200).Has("/attachments", 2).Has("/log", 3).Has("/events", 3)
	without(s, secret, p.Load(bob.Client), bob.Get(events), bob.Get(present).Has("/name", "my ***.txt"), bob.Get(deleted).Has("/name", "my ***.txt"))
	bob.Get(present + "/bytes").Is(200)
	for _, path := range []string{present, deleted} {
		body := session.Encode(map[string]any{"attachment": path[strings.LastIndex(path, "/")+1:], "replacement": "gone"})
		s.Admin.Post(p.Path+"/redactions", body).Is(200).Has("/attachments", 1)
		bob.Get(path).Has("/name", "gone")
		bob.Get(path+"/bytes").Fault(404, "attachment-not-found")
		s.Admin.Post(p.Path+"/redactions", body).Is(200).Has("/places", 0)
	}
	without(s, "***.txt", p.Load(bob.Client), bob.Get(events))
	p.Load(bob.Client).Has("/logs/last/type", "Redacted")
}

func redactionsAtOnce(s *session.Session) {
	bob, p := s.User(), s.Problem()
	one, two := secretOf(s), secretOf(s)
	var paths []string
	for range 4 {
		path, _ := remark(p, bob, session.Encode(map[string]any{"text": one + two}))
		paths = append(paths, path)
	}
	session.Together(6, func(i int) *session.Answer {
		switch {
		case i < 4:
			return bob.Patch(paths[i], session.Encode(map[string]any{"text": fmt.Sprint("edit ", i)})).Is(200)
		case i == 4:
			return redact(s.Admin, p.Path, one)
		}
		return redact(s.Admin, p.Path, two)
	})
	redact(s.Admin, p.Path, one)
	redact(s.Admin, p.Path, two)
	comments := bob.Get(p.Path+"/comments").Is(200).Counts("", 4)
	without(s, one, comments, p.Load(bob.Client))
	without(s, two, comments, p.Load(bob.Client))
	for i := range 4 {
		comments.Has(fmt.Sprintf("/%d/text", i), fmt.Sprint("edit ", i))
	}
}
