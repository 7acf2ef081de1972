package httpsuite

import (
	"net/url"
	"strings"
)

// keywordCases are about keywords (W4, W5).
func keywordCases() []demand {
	return []demand{
		{core, "HTTP-W4-001", "D4, D10", "a new keyword is answered with 201, an existing one with 200, and the keyword", keywordIsCreatedOrReplaced},
		{core, "HTTP-W4-002", "D13", "null is a keyword without value, and so is an empty body", keywordWithoutValue},
		{core, "HTTP-W4-003", "D13", "PATCH on the path does the same as PUT", patchSetsAKeyword},
		{extended, "HTTP-W4-004", "D8", "setting the value that a keyword has changes nothing", sameKeywordValueChangesNothing},
		{core, "HTTP-W4-005", "D13", "the name is percent-decoded once and may hold any character", keywordNameIsDecodedOnce},
		{extended, "HTTP-W4-006", "D9", "the name in a path is trimmed and normalised", keywordNameIsNormalised},
		{extended, "HTTP-W4-007", "D4, D9", "a name has 1 to 255 characters, no control character, and is neither . nor ..", keywordNamesThatAreRefused},
		{extended, "HTTP-W4-008", "D9", "a name that is not UTF-8 is refused", keywordNameThatIsNotUTF8},
		{extended, "HTTP-W4-009", "D4, D18", "a value is a string of up to 64 KiB or null", keywordValuesThatAreRefused},
		{core, "HTTP-W4-010", "D1", "keywords are sorted by name", keywordsAreSortedByName},
		{extended, "HTTP-W4-011", "D1", "names that differ in letter case are different keywords", keywordNamesDifferByLetterCase},
		{core, "HTTP-W4-012", "D4, D9", "a value of up to 64 KiB is stored whole", longKeywordValueIsStoredWhole},
		{core, "HTTP-W5-001", "D10", "deleting a keyword is answered with 204 and no body", keywordIsDeleted},
		{extended, "HTTP-W5-002", "D10", "deleting what is not there is keyword-not-found", missingKeywordIsNotDeleted},
		{extended, "HTTP-W5-003", "D9", "the longest name can be set and deleted", longestKeywordNameIsDeleted},
	}
}

func keywordIsCreatedOrReplaced(s *session) {
	p := s.problem()
	s.admin.put(p.keyword("color"), `"red"`).is(201).json().has("", raw(`{"name":"color","value":"red"}`))
	s.admin.put(p.keyword("color"), `"blue"`).is(200).json().has("", raw(`{"name":"color","value":"blue"}`))
	p.load(s.admin).has("/keywords", raw(`[{"name":"color","value":"blue"}]`))
}

func keywordWithoutValue(s *session) {
	p := s.problem()
	s.admin.put(p.keyword("a"), `null`).is(201).has("", raw(`{"name":"a","value":null}`))
	s.admin.put(p.keyword("b"), "", typed("application/json")).is(201).has("", raw(`{"name":"b","value":null}`))
	s.admin.put(p.keyword("c"), "", typed("")).is(201).has("/value", nil)
	s.admin.patch(p.keyword("d"), "", typed("application/json")).is(201).has("/value", nil)
	s.admin.put(p.keyword("e"), "", typed("application/json"), unsized()).is(201).has("/value", nil)
	s.admin.put(p.keyword("f"), `""`).is(201).has("/value", "")
	p.load(s.admin).has("/keywords", raw(`[{"name":"a","value":null},{"name":"b","value":null},{"name":"c","value":null},
				{"name":"d","value":null},{"name":"e","value":null},{"name":"f","value":""}]`))
}

func patchSetsAKeyword(s *session) {
	p := s.problem()
	s.admin.patch(p.keyword("color"), `"red"`).is(201).has("/value", "red")
	s.admin.patch(p.keyword("color"), `"blue"`).is(200).has("/value", "blue")
	s.admin.put(p.keyword("color"), `"blue"`).is(200)
	p.load(s.admin).has("/revision", 3)
}

func sameKeywordValueChangesNothing(s *session) {
	p := s.problem()
	s.admin.put(p.keyword("a"), `"x"`).is(201)
	s.admin.put(p.keyword("b"), `null`).is(201)
	s.untouched(p, func() {
		s.admin.put(p.keyword("a"), `"x"`).is(200)
		s.admin.put(p.keyword("b"), `null`).is(200)
		s.admin.put(p.keyword("b"), "").is(200)
	})
	s.admin.put(p.keyword("b"), `""`).is(200)
	p.load(s.admin).has("/revision", 4)
}

func keywordNameIsDecodedOnce(s *session) {
	p := s.problem()
	for escaped, name := range map[string]string{
		"a%2Fb": "a/b", "a%2fc": "a/c", "%2F": "/", "two%20words": "two words", "%F0%9F%98%80": "😀", "😀x": "😀x", "100%25": "100%",
		"%252F": "%2F", "a+b": "a+b", "a%3Fb": "a?b", "a%23b": "a#b", "...": "...", ".x": ".x", "..%2F..": "../..", "%2E%2E%2E": "...",
		"a;b": "a;b", "%22%5C": `"\`, "a:b": "a:b", "~": "~", "%7Bkeyword%7D": "{keyword}", "a%2F%2Fb": "a//b", "a%2F..%2Fb": "a/../b",
	} {
		a := s.admin.put(p.keyword(escaped), encode(name))
		if a.status != 201 && a.status != 200 {
			s.Fatalf("%v\nfor the name %q", a, name)
		}
		a.has("/name", name).has("/value", name)
	}
	p.load(s.admin)
	s.admin.delete(p.keyword("a%2F..%2Fb"), "").is(204)
	s.admin.delete(p.keyword("%252f"), "").refused()
	s.admin.delete(p.keyword("%252F"), "").is(204)
}

func keywordNameIsNormalised(s *session) {
	p := s.problem()
	s.admin.put(p.keyword("%20e%CC%81%C2%A0"), `"x"`).is(201).has("/name", "é")
	s.admin.put(p.keyword("%C3%A9"), `"y"`).is(200)
	s.admin.delete(p.keyword("e%CC%81"), "").is(204)
}

func keywordNamesThatAreRefused(s *session) {
	p := s.problem()
	s.admin.put(p.keyword(strings.Repeat("x", 255)), `"x"`).is(201)
	s.admin.put(p.keyword(url.PathEscape(strings.Repeat("😀", 255))), `"x"`).is(201)
	s.untouched(p, func() {
		for _, escaped := range []string{"%2E%2E", "%2e%2e", "%2E", ".%2E", "%20", "%20..%20", "a%00b", "a%0Ab", "a%09b", "a%7Fb", "a%C2%85b", strings.Repeat("x", 256)} {
			s.admin.put(p.keyword(escaped), `"x"`).fault(422, "invalid-value")
		}
	})
}

func keywordNameThatIsNotUTF8(s *session) {
	p := s.problem()
	s.untouched(p, func() {
		if a := s.admin.put(p.keyword("%FF"), `"x"`); a.status < 400 {
			s.Fatalf("%v\nwant a refusal", a)
		}
	})
}

func keywordValuesThatAreRefused(s *session) {
	p := s.problem()
	s.admin.put(p.keyword("k"), encode(strings.Repeat("x", 64<<10))).is(201)
	s.admin.put(p.keyword("l"), encode(strings.Repeat("é", 32<<10))).is(201)
	s.untouched(p, func() {
		s.admin.put(p.keyword("k"), encode(strings.Repeat("x", 64<<10+1))).fault(422, "invalid-value", "")
		for _, value := range []string{`1`, `true`, `{}`, `[]`, `["x"]`, `{"value":"x"}`} {
			s.admin.put(p.keyword("k"), value).fault(422, "invalid-type", "")
		}
		for _, value := range []string{`red`, `"red`, ` `, `"a" "b"`, `'red'`} {
			s.admin.put(p.keyword("k"), value).fault(400, "malformed-json")
		}
		s.admin.put(p.keyword("k"), "red", plain()).fault(415, "unsupported-media-type")
	})
	s.admin.put(p.keyword("k"), `"red"`, typed("")).is(200)
}

func keywordsAreSortedByName(s *session) {
	p := s.problem()
	for _, name := range []string{"b", "a", "Z", "%C3%A9", "a1", "_", "%F0%9F%98%80", "%EF%BF%BD"} {
		s.admin.put(p.keyword(name), `null`).is(201)
	}
	for i, name := range []string{"Z", "_", "a", "a1", "b", "é", "\ufffd", "😀"} {
		p.load(s.admin).has("/keywords/"+encode(i)+"/name", name)
	}
}

func keywordNamesDifferByLetterCase(s *session) {
	p := s.problem()
	s.admin.put(p.keyword("color"), `"a"`).is(201)
	s.admin.put(p.keyword("Color"), `"b"`).is(201)
	s.admin.delete(p.keyword("COLOR"), "").fault(404, "keyword-not-found")
}

func longKeywordValueIsStoredWhole(s *session) {
	p := s.problem()
	for name, value := range map[string]string{"a": strings.Repeat("x", 64<<10), "b": strings.Repeat("é", 30_000)} {
		set := s.admin.put(p.keyword(name), encode(value)).is(201)
		loaded := p.load(s.admin).has("/keywords/last/name", name)
		for _, got := range []string{set.text("/value"), loaded.text("/keywords/last/value")} {
			if got != value {
				s.Fatalf("a value of %d bytes was set, and one of %d came back, which is another", len(value), len(got))
			}
		}
		s.admin.delete(p.keyword(name), "").is(204)
	}
}

func keywordIsDeleted(s *session) {
	p := s.problem()
	s.admin.put(p.keyword("color"), `"red"`).is(201)
	s.admin.delete(p.keyword("color"), "").is(204).empty()
	p.load(s.admin).has("/keywords", raw(`[]`)).has("/revision", 3)
}

func missingKeywordIsNotDeleted(s *session) {
	p := s.problem()
	s.untouched(p, func() { s.admin.delete(p.keyword("color"), "").fault(404, "keyword-not-found") })
	s.admin.put(p.keyword("color"), `"red"`).is(201)
	s.admin.delete(p.keyword("color"), "").is(204)
	s.admin.delete(p.keyword("color"), "").fault(404, "keyword-not-found")
	s.admin.put(p.keyword("color"), `"red"`).is(201)
}

func longestKeywordNameIsDeleted(s *session) {
	p := s.problem()
	name := url.PathEscape(strings.Repeat("😀", 255))
	s.admin.put(p.keyword(name), `"x"`).is(201)
	s.admin.delete(p.keyword(name), "").is(204)
}
