package httpsuite

import (
	"fmt"
	"strings"
)

// jsonCases are about the syntax of JSON (D11, D18, D22).
func jsonCases() []demand {
	return []demand{
		{extended, "HTTP-JSON-001", "D18", "what is not exactly one JSON value is malformed-json, on every endpoint that reads one", oneJSONValueAndNothingElse},
		{extended, "HTTP-JSON-002", "D18", "an absent body is malformed-json where one is needed", absentBodyIsMalformed},
		{extended, "HTTP-JSON-003", "D18, D22", "32 levels are read, 33 are malformed-json", depthOfJSON},
		{extended, "HTTP-JSON-004", "D9, D18", "U+0000 in a string is valid JSON and an invalid-value", nulCharacterIsInvalidValue},
		{extended, "HTTP-JSON-005", "D11", "names that differ in letter case are unknown", letterCaseOfNamesCounts},
		{core, "HTTP-JSON-006", "RFC 8259", "escapes, white space and pairs of surrogates are read", escapesAndSpacesAreRead},
		{extended, "HTTP-JSON-007", "D18", "an integer is written as one", integersAreWrittenAsIntegers},
		{extended, "HTTP-JSON-008", "D18", "answers have no member of a framework, and the characters that were sent, escaped or not", answersHoldWhatWasSent},
		{extended, "HTTP-JSON-009", "D20", "what has not changed is answered with the same bytes, as its strong ETag says", unchangedAnswersHaveTheSameBytes},
	}
}

func oneJSONValueAndNothingElse(s *session) {
	p, q := s.problem(), s.problem()
	bodies := map[string]string{
		"truncated":            `{"title":"x"`,
		"trailing comma":       `{"title":"x",}`,
		"trailing data":        `{"title":"x"} {}`,
		"trailing garbage":     `{"title":"x"}x`,
		"single quotes":        `{'title':'x'}`,
		"bare word":            `{"title":x}`,
		"comment":              `{"title":"x"/**/}`,
		"NaN":                  `{"read":NaN}`,
		"leading zero":         `{"revision":01}`,
		"plus sign":            `{"revision":+1}`,
		"hexadecimal":          `{"revision":0x1}`,
		"bare fraction":        `{"revision":1.}`,
		"bad escape":           `{"title":"\x41"}`,
		"short escape":         `{"title":"\u12"}`,
		"raw control":          "{\"title\":\"a\nb\"}",
		"raw NUL":              "{\"title\":\"a\x00b\"}",
		"byte order mark":      "\ufeff" + `{"title":"x"}`,
		"invalid UTF-8":        "{\"title\":\"a\xff\"}",
		"encoded surrogate":    "{\"title\":\"\xed\xa0\x80\"}",
		"overlong":             "{\"title\":\"\xc0\xaf\"}",
		"invalid name":         "{\"ti\xfftle\":\"x\"}",
		"lone high surrogate":  `{"title":"\ud800"}`,
		"lone low surrogate":   `{"title":"\udc00"}`,
		"swapped surrogates":   `{"title":"\udc00\ud800"}`,
		"high surrogate twice": `{"title":"\ud800\ud800"}`,
		"duplicate member":     `{"title":"x","title":"x"}`,
		"duplicate by escape":  `{"title":"x","\u0074itle":"y"}`,
		"duplicate inside":     `{"title":"x","priority":{"name":"High","name":"High"}}`,
		"duplicate unknown":    `{"a":1,"a":1}`,
		"UTF-16":               "\xfe\xff\x00{\x00}",
		"white space":          " \n\t",
		"vertical tab":         "\v{}",
		"no-break space":       "\u00a0{}",
	}
	s.untouched(p, func() {
		for name, body := range bodies {
			for _, a := range []*answer{
				s.admin.post("/problems", body),
				s.admin.patch(p.path, body),
				s.admin.patch(p.path, body, typed("application/merge-patch+json")),
				s.admin.post(p.path+"/comments", body),
				s.admin.put(p.keyword("k"), body),
				s.admin.put(p.path+"/relationships", body),
				s.admin.delete(p.path+"/relationships", body),
				s.admin.put(p.path+"/watchers", body),
				s.admin.post("/users", body),
				s.admin.post("/tokens", body),
			} {
				if a.status != 400 || a.slug() != "malformed-json" {
					s.Errorf("%s: %v\nwant 400 malformed-json", name, a)
				}
			}
		}
	})
	s.linked(q)
}

func absentBodyIsMalformed(s *session) {
	p := s.problem()
	for _, mediaType := range []string{"", "application/json"} {
		s.admin.post("/problems", "", typed(mediaType)).fault(400, "malformed-json")
		s.admin.patch(p.path, "", typed(mediaType)).fault(400, "malformed-json")
		s.admin.put(p.path+"/watchers", "", typed(mediaType)).fault(400, "malformed-json")
		s.admin.put(p.path+"/relationships", "", typed(mediaType)).fault(400, "malformed-json")
		s.admin.delete(p.path+"/relationships", "", typed(mediaType)).fault(400, "malformed-json")
	}
}

func depthOfJSON(s *session) {
	nested := func(depth int) string {
		return `{"title":"x","deep":` + strings.Repeat("[", depth-1) + strings.Repeat("]", depth-1) + `}`
	}
	s.admin.post("/problems", nested(32)).fault(422, "unknown-field", "/deep")
	s.admin.post("/problems", nested(33)).fault(400, "malformed-json")
	s.admin.post("/problems", nested(100_000)).fault(400, "malformed-json")
	s.admin.post("/problems", `{"a":`+strings.Repeat(`{"a":`, 31)+`1`+strings.Repeat("}", 31)+`}`).fault(422, "", "/a", "/title")
	s.admin.post("/problems", `{"a":`+strings.Repeat(`{"a":`, 32)+`1`+strings.Repeat("}", 32)+`}`).fault(400, "malformed-json")
}

func nulCharacterIsInvalidValue(s *session) {
	p := s.problem()
	s.untouched(p, func() {
		s.admin.patch(p.path, `{"title":"a\u0000b"}`).fault(422, "invalid-value", "/title")
		s.admin.put(p.keyword("k"), `"a\u0000b"`).fault(422, "invalid-value", "")
		s.admin.post(p.path+"/comments", `{"text":"a\u0000b"}`).fault(422, "invalid-value", "/text")
	})
}

func letterCaseOfNamesCounts(s *session) {
	p := s.problem()
	s.untouched(p, func() {
		s.admin.patch(p.path, `{"TITLE":"x","State":{},"READ":true,"tITLE":"x"}`).fault(422, "unknown-field", "/TITLE", "/State", "/READ", "/tITLE")
		s.admin.put(p.path+"/relationships", fmt.Sprintf(`{"type":"ParentOf","problemIdentifier":%d,"ProblemIdentifier":1}`, p.id)).is(422)
		s.admin.patch(p.path, `{"`+"\u017f"+`tate":{"name":"Closed"}}`).fault(422, "unknown-field", "/\u017ftate")
	})
}

func escapesAndSpacesAreRead(s *session) {
	s.admin.post("/problems", " \r\n\t{ \"\\u0074itle\" :\t\"\\ud83d\\ude00 \\\"\\/\\\\ \\u00e9\" } \n").is(201).has("/title", `😀 "/\ é`)
}

func integersAreWrittenAsIntegers(s *session) {
	p := s.problem()
	s.untouched(p, func() {
		for _, number := range []string{"1.0", "1e0", `"1"`, "1.5", "true", "1E+400", "-0.0"} {
			s.admin.patch(p.path, `{"revision":`+number+`}`).fault(422, "invalid-type", "/revision")
		}
		if a := s.admin.patch(p.path, `{"revision":99999999999999999999}`); a.status != 412 && a.status != 422 {
			s.Fatalf("%v\nwant 412 or 422", a)
		}
	})
}

func answersHoldWhatWasSent(s *session) {
	s.admin.post("/problems", `{"title":"<é&😀>"}`).is(201).lacks("/$schema").has("/title", "<é&😀>")
}

func unchangedAnswersHaveTheSameBytes(s *session) {
	bob, p, q := s.user(), s.create(s.admin, `"priority":{"name":"High"}`), s.problem()
	for _, name := range []string{"c", "a", "b"} {
		s.admin.put(p.keyword(name), `"v"`).is(201)
	}
	s.relate(p, "ParentOf", q)
	s.relate(p, "RelatedTo", q)
	s.admin.put(p.path+"/watchers", bob.part()).is(201)
	for _, part := range []string{"", "/comments", "/relationships", "/watchers"} {
		first := s.admin.get(p.path + part).is(200)
		for range 8 {
			if again := s.admin.get(p.path + part).is(200); string(first.body) != string(again.body) {
				s.Fatalf("%v\nwas before\n%s", again, first.body)
			}
		}
	}
}
