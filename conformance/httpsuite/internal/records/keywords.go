package records

import (
	"net/url"
	"strings"

	"github.com/problemtracking/problems/conformance/httpsuite/internal/session"
)

// keywordCases are about keywords (W4, W5).
func keywordCases() []session.Case {
	return []session.Case{
		session.Core("HTTP-W4-001", "D4, D10", "a new keyword is answered with 201, an existing one with 200, and the keyword", keywordIsCreatedOrReplaced),
		session.Core("HTTP-W4-002", "D13", "null is a keyword without value, and so is an empty body", keywordWithoutValue),
		session.Core("HTTP-W4-003", "D13", "PATCH on the path does the same as PUT", patchSetsAKeyword),
		session.Extended("HTTP-W4-004", "D8", "setting the value that a keyword has changes nothing", sameKeywordValueChangesNothing),
		session.Core("HTTP-W4-005", "D13", "the name is percent-decoded once and may hold any character", keywordNameIsDecodedOnce),
		session.Extended("HTTP-W4-006", "D9", "the name in a path is trimmed and normalised", keywordNameIsNormalised),
		session.Extended("HTTP-W4-007", "D4, D9", "a name has 1 to 255 characters, no control character, and is neither . nor ..", keywordNamesThatAreRefused),
		session.Extended("HTTP-W4-008", "D9", "a name that is not UTF-8 is refused", keywordNameThatIsNotUTF8),
		session.Extended("HTTP-W4-009", "D4, D18", "a value is a string of up to 64 KiB or null", keywordValuesThatAreRefused),
		session.Core("HTTP-W4-010", "D1", "keywords are sorted by name", keywordsAreSortedByName),
		session.Extended("HTTP-W4-011", "D1", "names that differ in letter case are different keywords", keywordNamesDifferByLetterCase),
		session.Core("HTTP-W4-012", "D4, D9", "a value of up to 64 KiB is stored whole", longKeywordValueIsStoredWhole),
		session.Core("HTTP-W5-001", "D10", "deleting a keyword is answered with 204 and no body", keywordIsDeleted),
		session.Extended("HTTP-W5-002", "D10", "deleting what is not there is keyword-not-found", missingKeywordIsNotDeleted),
		session.Extended("HTTP-W5-003", "D9", "the longest name can be set and deleted", longestKeywordNameIsDeleted),
	}
}

func keywordIsCreatedOrReplaced(s *session.Session) {
	p := s.Problem()
	s.Admin.Put(p.Keyword("color"), `"red"`).Is(201).JSON().Has("", session.Raw(`{"name":"color","value":"red"}`))
	s.Admin.Put(p.Keyword("color"), `"blue"`).Is(200).JSON().Has("", session.Raw(`{"name":"color","value":"blue"}`))
	p.Load(s.Admin).Has("/keywords", session.Raw(`[{"name":"color","value":"blue"}]`))
}

func keywordWithoutValue(s *session.Session) {
	p := s.Problem()
	s.Admin.Put(p.Keyword("a"), `null`).Is(201).Has("", session.Raw(`{"name":"a","value":null}`))
	s.Admin.Put(p.Keyword("b"), "", session.Typed("application/json")).Is(201).Has("", session.Raw(`{"name":"b","value":null}`))
	s.Admin.Put(p.Keyword("c"), "", session.Typed("")).Is(201).Has("/value", nil)
	s.Admin.Patch(p.Keyword("d"), "", session.Typed("application/json")).Is(201).Has("/value", nil)
	s.Admin.Put(p.Keyword("e"), "", session.Typed("application/json"), session.Unsized()).Is(201).Has("/value", nil)
	s.Admin.Put(p.Keyword("f"), `""`).Is(201).Has("/value", "")
	p.Load(s.Admin).Has("/keywords", session.Raw(`[{"name":"a","value":null},{"name":"b","value":null},{"name":"c","value":null},
				{"name":"d","value":null},{"name":"e","value":null},{"name":"f","value":""}]`))
}

func patchSetsAKeyword(s *session.Session) {
	p := s.Problem()
	s.Admin.Patch(p.Keyword("color"), `"red"`).Is(201).Has("/value", "red")
	s.Admin.Patch(p.Keyword("color"), `"blue"`).Is(200).Has("/value", "blue")
	s.Admin.Put(p.Keyword("color"), `"blue"`).Is(200)
	p.Load(s.Admin).Has("/revision", 3)
}

func sameKeywordValueChangesNothing(s *session.Session) {
	p := s.Problem()
	s.Admin.Put(p.Keyword("a"), `"x"`).Is(201)
	s.Admin.Put(p.Keyword("b"), `null`).Is(201)
	s.Untouched(p, func() {
		s.Admin.Put(p.Keyword("a"), `"x"`).Is(200)
		s.Admin.Put(p.Keyword("b"), `null`).Is(200)
		s.Admin.Put(p.Keyword("b"), "").Is(200)
	})
	s.Admin.Put(p.Keyword("b"), `""`).Is(200)
	p.Load(s.Admin).Has("/revision", 4)
}

func keywordNameIsDecodedOnce(s *session.Session) {
	p := s.Problem()
	for escaped, name := range map[string]string{
		"a%2Fb": "a/b", "a%2fc": "a/c", "%2F": "/", "two%20words": "two words", "%F0%9F%98%80": "😀", "😀x": "😀x", "100%25": "100%",
		"%252F": "%2F", "a+b": "a+b", "a%3Fb": "a?b", "a%23b": "a#b", "...": "...", ".x": ".x", "..%2F..": "../..", "%2E%2E%2E": "...",
		"a;b": "a;b", "%22%5C": `"\`, "a:b": "a:b", "~": "~", "%7Bkeyword%7D": "{keyword}", "a%2F%2Fb": "a//b", "a%2F..%2Fb": "a/../b",
	} {
		a := s.Admin.Put(p.Keyword(escaped), session.Encode(name))
		if a.Status != 201 && a.Status != 200 {
			s.Fatalf("%v\nfor the name %q", a, name)
		}
		a.Has("/name", name).Has("/value", name)
	}
	p.Load(s.Admin)
	s.Admin.Delete(p.Keyword("a%2F..%2Fb"), "").Is(204)
	s.Admin.Delete(p.Keyword("%252f"), "").Refused()
	s.Admin.Delete(p.Keyword("%252F"), "").Is(204)
}

func keywordNameIsNormalised(s *session.Session) {
	p := s.Problem()
	s.Admin.Put(p.Keyword("%20e%CC%81%C2%A0"), `"x"`).Is(201).Has("/name", "é")
	s.Admin.Put(p.Keyword("%C3%A9"), `"y"`).Is(200)
	s.Admin.Delete(p.Keyword("e%CC%81"), "").Is(204)
}

func keywordNamesThatAreRefused(s *session.Session) {
	p := s.Problem()
	s.Admin.Put(p.Keyword(strings.Repeat("x", 255)), `"x"`).Is(201)
	s.Admin.Put(p.Keyword(url.PathEscape(strings.Repeat("😀", 255))), `"x"`).Is(201)
	s.Untouched(p, func() {
		for _, escaped := range []string{"%2E%2E", "%2e%2e", "%2E", ".%2E", "%20", "%20..%20", "a%00b", "a%0Ab", "a%09b", "a%7Fb", "a%C2%85b", strings.Repeat("x", 256)} {
			s.Admin.Put(p.Keyword(escaped), `"x"`).Fault(422, "invalid-value")
		}
	})
}

func keywordNameThatIsNotUTF8(s *session.Session) {
	p := s.Problem()
	s.Untouched(p, func() {
		if a := s.Admin.Put(p.Keyword("%FF"), `"x"`); a.Status < 400 {
			s.Fatalf("%v\nwant a refusal", a)
		}
	})
}

func keywordValuesThatAreRefused(s *session.Session) {
	p := s.Problem()
	s.Admin.Put(p.Keyword("k"), session.Encode(strings.Repeat("x", 64<<10))).Is(201)
	s.Admin.Put(p.Keyword("l"), session.Encode(strings.Repeat("é", 32<<10))).Is(201)
	s.Untouched(p, func() {
		s.Admin.Put(p.Keyword("k"), session.Encode(strings.Repeat("x", 64<<10+1))).Fault(422, "invalid-value", "")
		for _, value := range []string{`1`, `true`, `{}`, `[]`, `["x"]`, `{"value":"x"}`} {
			s.Admin.Put(p.Keyword("k"), value).Fault(422, "invalid-type", "")
		}
		for _, value := range []string{`red`, `"red`, ` `, `"a" "b"`, `'red'`} {
			s.Admin.Put(p.Keyword("k"), value).Fault(400, "malformed-json")
		}
		s.Admin.Put(p.Keyword("k"), "red", session.Plain()).Fault(415, "unsupported-media-type")
	})
	s.Admin.Put(p.Keyword("k"), `"red"`, session.Typed("")).Is(200)
}

func keywordsAreSortedByName(s *session.Session) {
	p := s.Problem()
	for _, name := range []string{"b", "a", "Z", "%C3%A9", "a1", "_", "%F0%9F%98%80", "%EF%BF%BD"} {
		s.Admin.Put(p.Keyword(name), `null`).Is(201)
	}
	for i, name := range []string{"Z", "_", "a", "a1", "b", "é", "\ufffd", "😀"} {
		p.Load(s.Admin).Has("/keywords/"+session.Encode(i)+"/name", name)
	}
}

func keywordNamesDifferByLetterCase(s *session.Session) {
	p := s.Problem()
	s.Admin.Put(p.Keyword("color"), `"a"`).Is(201)
	s.Admin.Put(p.Keyword("Color"), `"b"`).Is(201)
	s.Admin.Delete(p.Keyword("COLOR"), "").Fault(404, "keyword-not-found")
}

func longKeywordValueIsStoredWhole(s *session.Session) {
	p := s.Problem()
	for name, value := range map[string]string{"a": strings.Repeat("x", 64<<10), "b": strings.Repeat("é", 30_000)} {
		set := s.Admin.Put(p.Keyword(name), session.Encode(value)).Is(201)
		loaded := p.Load(s.Admin).Has("/keywords/last/name", name)
		for _, got := range []string{set.Text("/value"), loaded.Text("/keywords/last/value")} {
			if got != value {
				s.Fatalf("a value of %d bytes was set, and one of %d came back, which is another", len(value), len(got))
			}
		}
		s.Admin.Delete(p.Keyword(name), "").Is(204)
	}
}

func keywordIsDeleted(s *session.Session) {
	p := s.Problem()
	s.Admin.Put(p.Keyword("color"), `"red"`).Is(201)
	s.Admin.Delete(p.Keyword("color"), "").Is(204).Empty()
	p.Load(s.Admin).Has("/keywords", session.Raw(`[]`)).Has("/revision", 3)
}

func missingKeywordIsNotDeleted(s *session.Session) {
	p := s.Problem()
	s.Untouched(p, func() { s.Admin.Delete(p.Keyword("color"), "").Fault(404, "keyword-not-found") })
	s.Admin.Put(p.Keyword("color"), `"red"`).Is(201)
	s.Admin.Delete(p.Keyword("color"), "").Is(204)
	s.Admin.Delete(p.Keyword("color"), "").Fault(404, "keyword-not-found")
	s.Admin.Put(p.Keyword("color"), `"red"`).Is(201)
}

func longestKeywordNameIsDeleted(s *session.Session) {
	p := s.Problem()
	name := url.PathEscape(strings.Repeat("😀", 255))
	s.Admin.Put(p.Keyword(name), `"x"`).Is(201)
	s.Admin.Delete(p.Keyword(name), "").Is(204)
}
