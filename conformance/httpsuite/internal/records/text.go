package records

import (
	"fmt"
	"net/url"
	"strings"
	"unicode/utf8"

	"github.com/problemtracking/problems/conformance/httpsuite/internal/session"
)

// titled is the body of a problem with this title.
func titled(text string) string { return `{"title":` + session.Encode(text) + `}` }

// textCases are about what text may hold and how it comes out again (D9).
func textCases() []session.Case {
	return []session.Case{
		session.Extended("HTTP-TEXT-001", "D9", "titles and names are trimmed of White_Space", titlesAndNamesAreTrimmed),
		session.Extended("HTTP-TEXT-002", "D9", "text is normalised to NFC before it is stored", textIsNormalised),
		session.Extended("HTTP-TEXT-003", "D1, D9", "a title has 1 to 1000 code points after trimming and normalising", lengthOfATitle),
		session.Extended("HTTP-TEXT-004", "D9", "a title has no control characters", titleHasNoControlCharacters),
		session.Extended("HTTP-TEXT-005", "D9", "comments and keyword values may have tab, CR and LF, and no other control character", controlCharactersInCommentsAndKeywords),
		session.Core("HTTP-TEXT-006", "D9", "what was stored comes out as it went in", storedTextComesOutUnchanged),
		session.Extended("HTTP-TEXT-007", "D9", "comments and keyword values are normalised to NFC too, but not trimmed", commentsAndKeywordsAreNormalised),
		session.Core("HTTP-TEXT-008", "D9", "a comment and the value of a keyword keep their spaces, tabs and line ends", commentsAndKeywordsKeepTheirSpaces),
		session.Extended("HTTP-TEXT-009", "D9", "a title, a name and a comment have a character that people can see", requiredTextIsVisible),
	}
}

func titlesAndNamesAreTrimmed(s *session.Session) {
	for _, space := range []string{" ", "\t", "\n", "\r", "\v", "\f", "\u0085", "\u00a0", "\u1680", "\u2000", "\u2028", "\u2029", "\u202f", "\u205f", "\u3000"} {
		s.Admin.Post("/problems", titled(space+"Lamp is broken"+space+space)).Is(201).Has("/title", "Lamp is broken")
	}
	s.Admin.Post("/problems", titled("\u200bLamp\ufeff")).Is(201).Has("/title", "\u200bLamp\ufeff")
}

func textIsNormalised(s *session.Session) {
	for text, want := range map[string]string{
		"e\u0301":                    "é",
		"\u1112\u1161\u11ab":         "한",
		"\u212b":                     "Å",
		"q\u0307\u0323":              "q\u0323\u0307",
		"\u0958":                     "\u0915\u093c",
		"\U0001D15E":                 "\U0001D157\U0001D165",
		"\U0001F469\u200d\U0001F4BB": "\U0001F469\u200d\U0001F4BB",
		"ﬁ":                          "ﬁ",
	} {
		s.Admin.Post("/problems", titled(text)).Is(201).Has("/title", want)
	}
}

func lengthOfATitle(s *session.Session) {
	for _, text := range []string{"x", strings.Repeat("x", 1000), strings.Repeat("😀", 1000), strings.Repeat("e\u0301", 1000), " " + strings.Repeat("x", 1000) + " "} {
		a := s.Admin.Post("/problems", titled(text)).Is(201)
		if n := utf8.RuneCountInString(a.Text("/title")); n > 1000 {
			s.Fatalf("a title of %d characters was stored", n)
		}
	}
	for _, text := range []string{"", " ", "\u3000\t\n", strings.Repeat("x", 1001), strings.Repeat("😀", 1001)} {
		s.Admin.Post("/problems", titled(text)).Fault(422, "invalid-value", "/title")
	}
}

func titleHasNoControlCharacters(s *session.Session) {
	for _, text := range []string{"a\x00b", "a\x01b", "a\tb", "a\nb", "a\rb", "a\x7fb", "a\u0080b", "a\u0085b", "a\u009fb", "\x1fa"} {
		s.Admin.Post("/problems", titled(text)).Fault(422, "invalid-value", "/title")
	}
}

func controlCharactersInCommentsAndKeywords(s *session.Session) {
	p := s.Problem()
	text := " \tline 1\r\nline 2\r\u00a0\n"
	s.Admin.Post(p.Path+"/comments", text, session.Plain()).Is(201).Has("/text", text)
	s.Admin.Post(p.Path+"/comments", `{"text":`+session.Encode(text)+`,"html":`+session.Encode(text)+`}`).Is(201).Has("/text", text).Has("/html", text)
	s.Admin.Put(p.Keyword("k"), session.Encode(text)).Is(201).Has("/value", text)
	s.Untouched(p, func() {
		for _, text := range []string{"a\x00b", "a\x07b", "a\x0bb", "a\x1bb", "a\x7fb", "a\u0085b"} {
			s.Admin.Post(p.Path+"/comments", text, session.Plain()).Fault(422, "invalid-value")
			s.Admin.Post(p.Path+"/comments", `{"text":`+session.Encode(text)+`}`).Fault(422, "invalid-value", "/text")
			s.Admin.Post(p.Path+"/comments", `{"text":"x","html":`+session.Encode(text)+`}`).Fault(422, "invalid-value", "/html")
			s.Admin.Put(p.Keyword("k"), session.Encode(text)).Fault(422, "invalid-value", "")
		}
	})
}

func storedTextComesOutUnchanged(s *session.Session) {
	p := s.Problem()
	text := `<script>alert("1")</script> & 'x' \ / ` + "\u2028 \ufeff \u200d 👩‍💻 𐍈 \U0010ffff \ufffd ﷽ ü"
	s.Admin.Patch(p.Path, titled(text)).Is(200)
	s.Admin.Post(p.Path+"/comments", text, session.Plain()).Is(201)
	s.Admin.Put(p.Keyword("k"), session.Encode(text)).Is(201)
	p.Load(s.Admin).Has("/title", text).Has("/keywords/0/value", text)
	s.Admin.Get(p.Path+"/comments").Is(200).Has("/0/text", text)
}

func commentsAndKeywordsAreNormalised(s *session.Session) {
	p := s.Problem()
	s.Admin.Post(p.Path+"/comments", " e\u0301 ", session.Plain()).Is(201).Has("/text", " é ")
	s.Admin.Put(p.Keyword("k"), `" e\u0301 "`).Is(201).Has("/value", " é ")
}

func commentsAndKeywordsKeepTheirSpaces(s *session.Session) {
	p := s.Problem()
	for i, text := range []string{"  indented\n", "a\r\nb", "a\rb\n\n", "\ttab\t", "\n. "} {
		s.Admin.Post(p.Path+"/comments", text, session.Plain()).Is(201).Has("/text", text)
		s.Admin.Get(p.Path+"/comments").Is(200).Has(fmt.Sprintf("/%d/text", i), text)
		s.Admin.Put(p.Keyword("k"), session.Encode(text)).Has("/value", text)
		p.Load(s.Admin).Has("/keywords/0/value", text)
	}
}

func requiredTextIsVisible(s *session.Session) {
	p := s.Problem()
	s.Untouched(p, func() {
		for _, text := range []string{"\u00ad", "\u034f", "\u115f", "\u200b \u200b", "\u200e", "\u2800", "\u3164", "\ufe0f", "\ufeff", "\U000e0020"} {
			title := titled(text)
			s.Admin.Post("/problems", title).Fault(422, "invalid-value", "/title")
			s.Admin.Patch(p.Path, title).Fault(422, "invalid-value", "/title")
			s.Admin.Put(p.Keyword(url.PathEscape(text)), `"x"`).Fault(422, "invalid-value")
			s.Admin.Post(p.Path+"/comments", text, session.Plain()).Fault(422, "invalid-value")
			s.Admin.Post(p.Path+"/comments", `{"text":`+session.Encode(text+"\n")+`}`).Fault(422, "invalid-value", "/text")
			name := `{"name":` + session.Encode(text) + `}`
			for _, kind := range session.Kinds {
				s.Admin.Post(kind.List, name).Offered("D30").Fault(422, "invalid-value", "/name")
			}
			s.Admin.Post("/users", `{"name":`+session.Encode(text)+`,"email":`+session.Encode(s.Unique("eve")+"@example.org")+`}`).Offered("D30").Fault(422, "invalid-value", "/name")
			s.Admin.Post("/users", `{"name":"Eve","email":`+session.Encode(text+"@example.org")+`}`).Offered("D30").Fault(422, "invalid-value", "/email")
			s.Admin.Post("/queries", `{"predicate":"title = 'x'","name":`+session.Encode(text)+`}`).Offered("D30").Fault(422, "invalid-value", "/name")
		}
		s.Admin.Post("/problems", titled("\u200bLamp\U0001f469\u200d\U0001f4bb")).Is(201)
	})
}
