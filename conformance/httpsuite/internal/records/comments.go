package records

import (
	"fmt"
	"reflect"
	"strings"
	"time"

	"github.com/problemtracking/problems/conformance/httpsuite/internal/session"
)

// commentCases are about comments (W3, R2).
func commentCases() []session.Case {
	return []session.Case{
		session.Core("HTTP-W3-001", "D5, D10", "a plain text is answered with 201 and the comment", textCommentIsCreated),
		session.Extended("HTTP-W3-002", "D12", "a comment may be JSON with text and html", commentWithTextAndHTML),
		session.Extended("HTTP-W3-003", "D12", "text is UTF-8, also when nothing says so; other charsets are 415", commentCharsets),
		session.Extended("HTTP-W3-004", "D12", "an empty text is invalid-value", emptyCommentIsInvalid),
		session.Extended("HTTP-W3-005", "D12, D18", "the faults of a JSON comment", faultsOfAJSONComment),
		session.Extended("HTTP-W3-006", "D9", "text that is not UTF-8 is refused", commentThatIsNotUTF8),
		session.Core("HTTP-W3-007", "D12", "JSON in a text comment stays text", jsonInATextCommentStaysText),
		session.Core("HTTP-W3-008", "D9", "a long comment is stored whole", longCommentIsStoredWhole),
		session.Core("HTTP-R2-001", "D10", "comments are an array, oldest first", commentsAreOldestFirst),
		session.Core("HTTP-R2-002", "spec section 4, D10", "all comments are listed, however many there are", manyCommentsAreListed),
		session.Extended("HTTP-R2-005", "D38", "with a limit, comments come in pages, and links lead through all of them, in order and once", commentsComeInPages),
		session.Extended("HTTP-R2-003", "D5, D12", "comments are listed with their html as it was given, and null without", commentsKeepTheirHTML),
		session.Extended("HTTP-R2-004", "D5, D9", "a comment is dated when it was made, in the answer and in the list", commentsAreDated),
	}
}

func textCommentIsCreated(s *session.Session) {
	bob, p := s.User(), s.Problem()
	a := bob.Post(p.Path+"/comments", "It flickers.\n", session.Plain()).Is(201)
	a.JSON()
	a.Members("", "identifier", "author", "creationDate", "text", "html").Timed("/creationDate")
	a.Has("/text", "It flickers.\n").Has("/html", nil).Has("/author", bob.Ref())
	if a.Text("/identifier") == "" {
		s.Fatalf("%v\nhas no identifier", a)
	}
}

func commentWithTextAndHTML(s *session.Session) {
	p := s.Problem()
	s.Admin.Post(p.Path+"/comments", `{"text":"It *flickers*","html":"It <em>flickers</em>"}`).Is(201).
		Has("/text", "It *flickers*").Has("/html", "It <em>flickers</em>")
	s.Admin.Post(p.Path+"/comments", `{"text":"plain"}`, session.Typed("application/json;charset=UTF-8")).Is(201).Has("/html", nil)
	s.Admin.Post(p.Path+"/comments", `{"text":"plain","html":null}`).Is(201).Has("/html", nil)
}

func commentCharsets(s *session.Session) {
	p := s.Problem()
	for _, mediaType := range []string{"", "text/plain", "text/plain; charset=utf-8", `text/plain; charset="UTF-8"`, "TEXT/PLAIN;Charset=Utf-8"} {
		s.Admin.Post(p.Path+"/comments", "naïve 😀", session.Typed(mediaType)).Is(201).Has("/text", "naïve 😀")
	}
	s.Untouched(p, func() {
		for _, mediaType := range []string{
			"text/plain; charset=iso-8859-1", "text/plain; charset=utf-16", "text/html", "application/xml",
			"application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "application/merge-patch+json", "*/*", "text", ";",
		} {
			s.Admin.Post(p.Path+"/comments", "x", session.Typed(mediaType)).Fault(415, "unsupported-media-type")
		}
	})
}

func emptyCommentIsInvalid(s *session.Session) {
	p := s.Problem()
	s.Untouched(p, func() {
		s.Admin.Post(p.Path+"/comments", "", session.Plain()).Fault(422, "invalid-value")
		s.Admin.Post(p.Path+"/comments", "").Fault(422, "invalid-value")
		s.Admin.Post(p.Path+"/comments", `{"text":""}`).Fault(422, "invalid-value", "/text")
	})
}

func faultsOfAJSONComment(s *session.Session) {
	p := s.Problem()
	s.Untouched(p, func() {
		s.Admin.Post(p.Path+"/comments", `{}`).Fault(422, "required-field", "/text")
		s.Admin.Post(p.Path+"/comments", `{"html":"x"}`).Fault(422, "required-field", "/text")
		s.Admin.Post(p.Path+"/comments", `{"text":null}`).Fault(422, "", "/text")
		s.Admin.Post(p.Path+"/comments", `{"text":1,"html":2}`).Fault(422, "invalid-type", "/text", "/html")
		s.Admin.Post(p.Path+"/comments", `{"text":"x","Text":"y","author":"z"}`).Fault(422, "unknown-field", "/Text", "/author")
		s.Admin.Post(p.Path+"/comments", `"text"`).Fault(422, "invalid-type", "")
		s.Admin.Post(p.Path+"/comments", `{"text":"x"`).Fault(400, "malformed-json")
	})
}

func commentThatIsNotUTF8(s *session.Session) {
	p := s.Problem()
	s.Untouched(p, func() {
		for _, text := range []string{"\xff", "a\xc3", "\xed\xa0\x80", "\xc0\x80", "\xf4\x90\x80\x80"} {
			if a := s.Admin.Post(p.Path+"/comments", text, session.Plain()); a.Status != 400 && a.Status != 422 {
				s.Fatalf("%v\nfor the bytes %x, want 400 or 422", a, text)
			}
		}
	})
}

func jsonInATextCommentStaysText(s *session.Session) {
	p := s.Problem()
	s.Admin.Post(p.Path+"/comments", `{"text":"x"}`, session.Plain()).Is(201).Has("/text", `{"text":"x"}`)
	s.Admin.Post(p.Path+"/comments", `{"text":"x"}`, session.Typed("")).Is(201).Has("/text", `{"text":"x"}`)
}

func longCommentIsStoredWhole(s *session.Session) {
	p := s.Problem()
	for i, text := range []string{strings.Repeat("word ", 20_000), strings.Repeat("é", 100_000)} {
		made := s.Admin.Post(p.Path+"/comments", text, session.Plain()).Is(201)
		list := s.Admin.Get(p.Path + "/comments").Is(200)
		for _, got := range []string{made.Text("/text"), list.Text(fmt.Sprintf("/%d/text", i))} {
			if got != text {
				s.Fatalf("a comment of %d bytes was sent, and one of %d came back, which is another", len(text), len(got))
			}
		}
	}
}

func commentsAreOldestFirst(s *session.Session) {
	p := s.Problem()
	s.Admin.Get(p.Path+"/comments").Is(200).Has("", session.Raw(`[]`))
	var want []string
	for i := range 5 {
		a := s.Admin.Post(p.Path+"/comments", fmt.Sprint("comment ", i), session.Plain()).Is(201)
		want = append(want, strings.TrimSpace(string(a.Body)))
	}
	s.Admin.Get(p.Path+"/comments").Is(200).JSON().Has("", session.Raw("["+strings.Join(want, ",")+"]"))
}

func manyCommentsAreListed(s *session.Session) {
	const n = 60
	p := s.Problem()
	for i := range n {
		s.Admin.Post(p.Path+"/comments", fmt.Sprint("comment ", i), session.Plain()).Is(201)
	}
	a := s.Admin.Get(p.Path+"/comments").Is(200).Counts("", n)
	for i := range n {
		a.Has(fmt.Sprintf("/%d/text", i), fmt.Sprint("comment ", i))
	}
}

func commentsComeInPages(s *session.Session) {
	p := s.Problem()
	for i := range 12 {
		s.Admin.Post(p.Path+"/comments", fmt.Sprint("comment ", i), session.Plain()).Is(201)
	}
	all := s.Admin.Get(p.Path + "/comments").Is(200).List("")
	for _, limit := range []int{1000, 12, 5, 1} {
		var comments []any
		for page := range s.Admin.Pages(fmt.Sprintf("%s/comments?limit=%d", p.Path, limit)) {
			comments = append(comments, page.List("")...)
		}
		if !reflect.DeepEqual(comments, all) {
			s.Fatalf("with limit=%d, the pages have other comments than the list", limit)
		}
	}
	s.Admin.Get(p.Path+"/comments?limit=0").Fault(400, "malformed-request")
}

func commentsKeepTheirHTML(s *session.Session) {
	p, html := s.Problem(), `It <em class="x">flickers</em> &amp; hums`
	s.Admin.Post(p.Path+"/comments", session.Encode(map[string]any{"text": "It *flickers*", "html": html})).Is(201).Has("/html", html)
	s.Admin.Post(p.Path+"/comments", "It hums", session.Plain()).Is(201)
	s.Admin.Get(p.Path+"/comments").Is(200).Has("/0/text", "It *flickers*").Has("/0/html", html).Has("/1/html", nil)
}

func commentsAreDated(s *session.Session) {
	p := s.Problem()
	since := p.Load(s.Admin).Text("/creationDate")
	made := s.Admin.Post(p.Path+"/comments", "text", session.Plain()).Is(201)
	dated(s, since, made, "/creationDate")
	s.Admin.Get(p.Path+"/comments").Is(200).Has("/0/creationDate", made.Text("/creationDate"))
}

// dated demands a time at the pointer between since and now, by the clock of the server.
// The server tells its time when it makes a problem. Clocks may step by a minute.
func dated(s *session.Session, since string, a *session.Answer, pointer string) {
	s.Helper()
	now := s.Admin.Post("/problems", `{"title":"What time is it?"}`).Is(201).Text("/creationDate")
	var times []time.Time
	for _, text := range []string{since, a.Text(pointer), now} {
		t, err := time.Parse(time.RFC3339, text)
		if err != nil {
			s.Fatalf("%v\nhas a time that cannot be read: %v", a, err)
		}
		times = append(times, t)
	}
	if times[1].Before(times[0].Add(-time.Minute)) || times[1].After(times[2].Add(time.Minute)) {
		s.Fatalf("%v\nhas at %s a time that is not between %s and %s", a, pointer, since, now)
	}
}
