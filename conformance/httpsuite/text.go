package httpsuite

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// titled is the body of a problem with this title.
func titled(text string) string { return `{"title":` + encode(text) + `}` }

// textCases are about what text may hold and how it comes out again (D9).
func textCases() []demand {
	return []demand{
		{extended, "HTTP-TEXT-001", "D9", "titles and names are trimmed of White_Space", titlesAndNamesAreTrimmed},
		{extended, "HTTP-TEXT-002", "D9", "text is normalised to NFC before it is stored", textIsNormalised},
		{extended, "HTTP-TEXT-003", "D1, D9", "a title has 1 to 1000 code points after trimming and normalising", lengthOfATitle},
		{extended, "HTTP-TEXT-004", "D9", "a title has no control characters", titleHasNoControlCharacters},
		{extended, "HTTP-TEXT-005", "D9", "comments and keyword values may have tab, CR and LF, and no other control character", controlCharactersInCommentsAndKeywords},
		{core, "HTTP-TEXT-006", "D9", "what was stored comes out as it went in", storedTextComesOutUnchanged},
		{extended, "HTTP-TEXT-007", "D9", "comments and keyword values are normalised to NFC too, but not trimmed", commentsAndKeywordsAreNormalised},
		{core, "HTTP-TEXT-008", "D9", "a comment and the value of a keyword keep their spaces, tabs and line ends", commentsAndKeywordsKeepTheirSpaces},
	}
}

func titlesAndNamesAreTrimmed(s *session) {
	for _, space := range []string{" ", "\t", "\n", "\r", "\v", "\f", "\u0085", "\u00a0", "\u1680", "\u2000", "\u2028", "\u2029", "\u202f", "\u205f", "\u3000"} {
		s.admin.post("/problems", titled(space+"Lamp is broken"+space+space)).is(201).has("/title", "Lamp is broken")
	}
	s.admin.post("/problems", titled("\u200bLamp\ufeff")).is(201).has("/title", "\u200bLamp\ufeff")
}

func textIsNormalised(s *session) {
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
		s.admin.post("/problems", titled(text)).is(201).has("/title", want)
	}
}

func lengthOfATitle(s *session) {
	for _, text := range []string{"x", strings.Repeat("x", 1000), strings.Repeat("😀", 1000), strings.Repeat("e\u0301", 1000), " " + strings.Repeat("x", 1000) + " "} {
		a := s.admin.post("/problems", titled(text)).is(201)
		if n := utf8.RuneCountInString(a.text("/title")); n > 1000 {
			s.Fatalf("a title of %d characters was stored", n)
		}
	}
	for _, text := range []string{"", " ", "\u3000\t\n", strings.Repeat("x", 1001), strings.Repeat("😀", 1001)} {
		s.admin.post("/problems", titled(text)).fault(422, "invalid-value", "/title")
	}
}

func titleHasNoControlCharacters(s *session) {
	for _, text := range []string{"a\x00b", "a\x01b", "a\tb", "a\nb", "a\rb", "a\x7fb", "a\u0080b", "a\u0085b", "a\u009fb", "\x1fa"} {
		s.admin.post("/problems", titled(text)).fault(422, "invalid-value", "/title")
	}
}

func controlCharactersInCommentsAndKeywords(s *session) {
	p := s.problem()
	text := " \tline 1\r\nline 2\r\u00a0\n"
	s.admin.post(p.path+"/comments", text, plain()).is(201).has("/text", text)
	s.admin.post(p.path+"/comments", `{"text":`+encode(text)+`,"html":`+encode(text)+`}`).is(201).has("/text", text).has("/html", text)
	s.admin.put(p.keyword("k"), encode(text)).is(201).has("/value", text)
	s.untouched(p, func() {
		for _, text := range []string{"a\x00b", "a\x07b", "a\x0bb", "a\x1bb", "a\x7fb", "a\u0085b"} {
			s.admin.post(p.path+"/comments", text, plain()).fault(422, "invalid-value")
			s.admin.post(p.path+"/comments", `{"text":`+encode(text)+`}`).fault(422, "invalid-value", "/text")
			s.admin.post(p.path+"/comments", `{"text":"x","html":`+encode(text)+`}`).fault(422, "invalid-value", "/html")
			s.admin.put(p.keyword("k"), encode(text)).fault(422, "invalid-value", "")
		}
	})
}

func storedTextComesOutUnchanged(s *session) {
	p := s.problem()
	text := `<script>alert("1")</script> & 'x' \ / ` + "\u2028 \ufeff \u200d 👩‍💻 𐍈 \U0010ffff \ufffd ﷽ ü"
	s.admin.patch(p.path, titled(text)).is(200)
	s.admin.post(p.path+"/comments", text, plain()).is(201)
	s.admin.put(p.keyword("k"), encode(text)).is(201)
	p.load(s.admin).has("/title", text).has("/keywords/0/value", text)
	s.admin.get(p.path+"/comments").is(200).has("/0/text", text)
}

func commentsAndKeywordsAreNormalised(s *session) {
	p := s.problem()
	s.admin.post(p.path+"/comments", " e\u0301 ", plain()).is(201).has("/text", " é ")
	s.admin.put(p.keyword("k"), `" e\u0301 "`).is(201).has("/value", " é ")
}

func commentsAndKeywordsKeepTheirSpaces(s *session) {
	p := s.problem()
	for i, text := range []string{"  indented\n", "a\r\nb", "a\rb\n\n", "\ttab\t", " "} {
		s.admin.post(p.path+"/comments", text, plain()).is(201).has("/text", text)
		s.admin.get(p.path+"/comments").is(200).has(fmt.Sprintf("/%d/text", i), text)
		s.admin.put(p.keyword("k"), encode(text)).has("/value", text)
		p.load(s.admin).has("/keywords/0/value", text)
	}
}
