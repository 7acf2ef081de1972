package httpsuite

import (
	"fmt"
	"strings"
)

// commentCases are about comments (W3, R2).
func commentCases() []demand {
	return []demand{
		{core, "HTTP-W3-001", "D5, D10", "a plain text is answered with 201 and the comment", func(s *session) {
			bob, p := s.user(), s.problem()
			a := bob.post(p.path+"/comments", "It flickers.\n", plain()).is(201)
			a.json()
			a.members("", "identifier", "author", "creationDate", "text", "html").timed("/creationDate")
			a.has("/text", "It flickers.\n").has("/html", nil).has("/author", bob.ref())
			if a.text("/identifier") == "" {
				s.Fatalf("%v\nhas no identifier", a)
			}
		}},
		{extended, "HTTP-W3-002", "D12", "a comment may be JSON with text and html", func(s *session) {
			p := s.problem()
			s.admin.post(p.path+"/comments", `{"text":"It *flickers*","html":"It <em>flickers</em>"}`).is(201).
				has("/text", "It *flickers*").has("/html", "It <em>flickers</em>")
			s.admin.post(p.path+"/comments", `{"text":"plain"}`, typed("application/json;charset=UTF-8")).is(201).has("/html", nil)
			s.admin.post(p.path+"/comments", `{"text":"plain","html":null}`).is(201).has("/html", nil)
		}},
		{extended, "HTTP-W3-003", "D12", "text is UTF-8, also when nothing says so; other charsets are 415", func(s *session) {
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
		}},
		{extended, "HTTP-W3-004", "D12", "an empty text is invalid-value", func(s *session) {
			p := s.problem()
			s.untouched(p, func() {
				s.admin.post(p.path+"/comments", "", plain()).fault(422, "invalid-value")
				s.admin.post(p.path+"/comments", "").fault(422, "invalid-value")
				s.admin.post(p.path+"/comments", `{"text":""}`).fault(422, "invalid-value", "/text")
			})
		}},
		{extended, "HTTP-W3-005", "D12, D18", "the faults of a JSON comment", func(s *session) {
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
		}},
		{extended, "HTTP-W3-006", "D9", "text that is not UTF-8 is refused", func(s *session) {
			p := s.problem()
			s.untouched(p, func() {
				for _, text := range []string{"\xff", "a\xc3", "\xed\xa0\x80", "\xc0\x80", "\xf4\x90\x80\x80"} {
					if a := s.admin.post(p.path+"/comments", text, plain()); a.status != 400 && a.status != 422 {
						s.Fatalf("%v\nfor the bytes %x, want 400 or 422", a, text)
					}
				}
			})
		}},
		{core, "HTTP-W3-007", "D12", "JSON in a text comment stays text", func(s *session) {
			p := s.problem()
			s.admin.post(p.path+"/comments", `{"text":"x"}`, plain()).is(201).has("/text", `{"text":"x"}`)
			s.admin.post(p.path+"/comments", `{"text":"x"}`, typed("")).is(201).has("/text", `{"text":"x"}`)
		}},
		{core, "HTTP-R2-001", "D10", "comments are an array, oldest first", func(s *session) {
			p := s.problem()
			s.admin.get(p.path+"/comments").is(200).has("", raw(`[]`))
			var want []string
			for i := range 5 {
				a := s.admin.post(p.path+"/comments", fmt.Sprint("comment ", i), plain()).is(201)
				want = append(want, strings.TrimSpace(string(a.body)))
			}
			s.admin.get(p.path+"/comments").is(200).json().has("", raw("["+strings.Join(want, ",")+"]"))
		}},
	}
}
