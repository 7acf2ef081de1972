package httpsuite

import (
	"fmt"
	"reflect"
	"strings"
	"time"
)

// commentCases are about comments (W3, R2).
func commentCases() []demand {
	return []demand{
		{core, "HTTP-W3-001", "D5, D10", "a plain text is answered with 201 and the comment", textCommentIsCreated},
		{extended, "HTTP-W3-002", "D12", "a comment may be JSON with text and html", commentWithTextAndHTML},
		{extended, "HTTP-W3-003", "D12", "text is UTF-8, also when nothing says so; other charsets are 415", commentCharsets},
		{extended, "HTTP-W3-004", "D12", "an empty text is invalid-value", emptyCommentIsInvalid},
		{extended, "HTTP-W3-005", "D12, D18", "the faults of a JSON comment", faultsOfAJSONComment},
		{extended, "HTTP-W3-006", "D9", "text that is not UTF-8 is refused", commentThatIsNotUTF8},
		{core, "HTTP-W3-007", "D12", "JSON in a text comment stays text", jsonInATextCommentStaysText},
		{core, "HTTP-W3-008", "D9", "a long comment is stored whole", longCommentIsStoredWhole},
		{core, "HTTP-R2-001", "D10", "comments are an array, oldest first", commentsAreOldestFirst},
		{core, "HTTP-R2-002", "spec section 4, D10", "all comments are listed, however many there are", manyCommentsAreListed},
		{extended, "HTTP-R2-005", "D38", "with a limit, comments come in pages, and links lead through all of them, in order and once", commentsComeInPages},
		{extended, "HTTP-R2-003", "D5, D12", "comments are listed with their html as it was given, and null without", commentsKeepTheirHTML},
		{extended, "HTTP-R2-004", "D5, D9", "a comment is dated when it was made, in the answer and in the list", commentsAreDated},
	}
}

func textCommentIsCreated(s *session) {
	bob, p := s.user(), s.problem()
	a := bob.post(p.path+"/comments", "It flickers.\n", plain()).is(201)
	a.json()
	a.members("", "identifier", "author", "creationDate", "text", "html").timed("/creationDate")
	a.has("/text", "It flickers.\n").has("/html", nil).has("/author", bob.ref())
	if a.text("/identifier") == "" {
		s.Fatalf("%v\nhas no identifier", a)
	}
}

func commentWithTextAndHTML(s *session) {
	p := s.problem()
	s.admin.post(p.path+"/comments", `{"text":"It *flickers*","html":"It <em>flickers</em>"}`).is(201).
		has("/text", "It *flickers*").has("/html", "It <em>flickers</em>")
	s.admin.post(p.path+"/comments", `{"text":"plain"}`, typed("application/json;charset=UTF-8")).is(201).has("/html", nil)
	s.admin.post(p.path+"/comments", `{"text":"plain","html":null}`).is(201).has("/html", nil)
}

func commentCharsets(s *session) {
	p := s.problem()
	for _, mediaType := range []string{"", "text/plain", "text/plain; charset=utf-8", `text/plain; charset="UTF-8"`, "TEXT/PLAIN;Charset=Utf-8"} {
		s.admin.post(p.path+"/comments", "naïve 😀", typed(mediaType)).is(201).has("/text", "naïve 😀")
	}
	s.untouched(p, func() {
		for _, mediaType := range []string{
			"text/plain; charset=iso-8859-1", "text/plain; charset=utf-16", "text/html", "application/xml",
			"application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "application/merge-patch+json", "*/*", "text", ";",
		} {
			s.admin.post(p.path+"/comments", "x", typed(mediaType)).fault(415, "unsupported-media-type")
		}
	})
}

func emptyCommentIsInvalid(s *session) {
	p := s.problem()
	s.untouched(p, func() {
		s.admin.post(p.path+"/comments", "", plain()).fault(422, "invalid-value")
		s.admin.post(p.path+"/comments", "").fault(422, "invalid-value")
		s.admin.post(p.path+"/comments", `{"text":""}`).fault(422, "invalid-value", "/text")
	})
}

func faultsOfAJSONComment(s *session) {
	p := s.problem()
	s.untouched(p, func() {
		s.admin.post(p.path+"/comments", `{}`).fault(422, "required-field", "/text")
		s.admin.post(p.path+"/comments", `{"html":"x"}`).fault(422, "required-field", "/text")
		s.admin.post(p.path+"/comments", `{"text":null}`).fault(422, "", "/text")
		s.admin.post(p.path+"/comments", `{"text":1,"html":2}`).fault(422, "invalid-type", "/text", "/html")
		s.admin.post(p.path+"/comments", `{"text":"x","Text":"y","author":"z"}`).fault(422, "unknown-field", "/Text", "/author")
		s.admin.post(p.path+"/comments", `"text"`).fault(422, "invalid-type", "")
		s.admin.post(p.path+"/comments", `{"text":"x"`).fault(400, "malformed-json")
	})
}

func commentThatIsNotUTF8(s *session) {
	p := s.problem()
	s.untouched(p, func() {
		for _, text := range []string{"\xff", "a\xc3", "\xed\xa0\x80", "\xc0\x80", "\xf4\x90\x80\x80"} {
			if a := s.admin.post(p.path+"/comments", text, plain()); a.status != 400 && a.status != 422 {
				s.Fatalf("%v\nfor the bytes %x, want 400 or 422", a, text)
			}
		}
	})
}

func jsonInATextCommentStaysText(s *session) {
	p := s.problem()
	s.admin.post(p.path+"/comments", `{"text":"x"}`, plain()).is(201).has("/text", `{"text":"x"}`)
	s.admin.post(p.path+"/comments", `{"text":"x"}`, typed("")).is(201).has("/text", `{"text":"x"}`)
}

func longCommentIsStoredWhole(s *session) {
	p := s.problem()
	for i, text := range []string{strings.Repeat("word ", 20_000), strings.Repeat("é", 100_000)} {
		made := s.admin.post(p.path+"/comments", text, plain()).is(201)
		list := s.admin.get(p.path + "/comments").is(200)
		for _, got := range []string{made.text("/text"), list.text(fmt.Sprintf("/%d/text", i))} {
			if got != text {
				s.Fatalf("a comment of %d bytes was sent, and one of %d came back, which is another", len(text), len(got))
			}
		}
	}
}

func commentsAreOldestFirst(s *session) {
	p := s.problem()
	s.admin.get(p.path+"/comments").is(200).has("", raw(`[]`))
	var want []string
	for i := range 5 {
		a := s.admin.post(p.path+"/comments", fmt.Sprint("comment ", i), plain()).is(201)
		want = append(want, strings.TrimSpace(string(a.body)))
	}
	s.admin.get(p.path+"/comments").is(200).json().has("", raw("["+strings.Join(want, ",")+"]"))
}

func manyCommentsAreListed(s *session) {
	const n = 60
	p := s.problem()
	for i := range n {
		s.admin.post(p.path+"/comments", fmt.Sprint("comment ", i), plain()).is(201)
	}
	a := s.admin.get(p.path+"/comments").is(200).counts("", n)
	for i := range n {
		a.has(fmt.Sprintf("/%d/text", i), fmt.Sprint("comment ", i))
	}
}

func commentsComeInPages(s *session) {
	p := s.problem()
	for i := range 12 {
		s.admin.post(p.path+"/comments", fmt.Sprint("comment ", i), plain()).is(201)
	}
	all := s.admin.get(p.path + "/comments").is(200).list("")
	for _, limit := range []int{1000, 12, 5, 1} {
		var comments []any
		for page := range s.admin.pages(fmt.Sprintf("%s/comments?limit=%d", p.path, limit)) {
			comments = append(comments, page.list("")...)
		}
		if !reflect.DeepEqual(comments, all) {
			s.Fatalf("with limit=%d, the pages have other comments than the list", limit)
		}
	}
	s.admin.get(p.path+"/comments?limit=0").fault(400, "malformed-request")
}

func commentsKeepTheirHTML(s *session) {
	p, html := s.problem(), `It <em class="x">flickers</em> &amp; hums`
	s.admin.post(p.path+"/comments", encode(map[string]any{"text": "It *flickers*", "html": html})).is(201).has("/html", html)
	s.admin.post(p.path+"/comments", "It hums", plain()).is(201)
	s.admin.get(p.path+"/comments").is(200).has("/0/text", "It *flickers*").has("/0/html", html).has("/1/html", nil)
}

func commentsAreDated(s *session) {
	p := s.problem()
	since := p.load(s.admin).text("/creationDate")
	made := s.admin.post(p.path+"/comments", "text", plain()).is(201)
	dated(s, since, made, "/creationDate")
	s.admin.get(p.path+"/comments").is(200).has("/0/creationDate", made.text("/creationDate"))
}

// dated demands a time at the pointer between since and now, by the clock of the server.
// The server tells its time when it makes a problem. Clocks may step by a minute.
func dated(s *session, since string, a *answer, pointer string) {
	s.Helper()
	now := s.admin.post("/problems", `{"title":"What time is it?"}`).is(201).text("/creationDate")
	var times []time.Time
	for _, text := range []string{since, a.text(pointer), now} {
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
