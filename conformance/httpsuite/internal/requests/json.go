package requests

import (
	"fmt"
	"strings"

	"github.com/problemtracking/problems/conformance/httpsuite/internal/session"
)

// jsonCases are about the syntax of JSON (D11, D18, D22).
func jsonCases() []session.Case {
	return []session.Case{
		session.Extended("HTTP-JSON-001", "D18", "what is not exactly one JSON value is malformed-json, on every endpoint that reads one", oneJSONValueAndNothingElse),
		session.Extended("HTTP-JSON-002", "D18", "an absent body is malformed-json where one is needed", absentBodyIsMalformed),
		session.Extended("HTTP-JSON-003", "D18, D22", "32 levels are read, 33 are malformed-json", depthOfJSON),
		session.Extended("HTTP-JSON-004", "D9, D18", "U+0000 in a string is valid JSON and an invalid-value", nulCharacterIsInvalidValue),
		session.Extended("HTTP-JSON-005", "D11", "names that differ in letter case are unknown", letterCaseOfNamesCounts),
		session.Core("HTTP-JSON-006", "RFC 8259", "escapes, white space and pairs of surrogates are read", escapesAndSpacesAreRead),
		session.Extended("HTTP-JSON-007", "D18", "an integer is written as one", integersAreWrittenAsIntegers),
		session.Extended("HTTP-JSON-008", "D18", "answers have no member of a framework, and the characters that were sent, escaped or not", answersHoldWhatWasSent),
		session.Extended("HTTP-JSON-009", "D20", "what has not changed is answered with the same bytes, as its strong ETag says", unchangedAnswersHaveTheSameBytes),
	}
}

func oneJSONValueAndNothingElse(s *session.Session) {
	p, q := s.Problem(), s.Problem()
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
	s.Untouched(p, func() {
		for name, body := range bodies {
			for _, a := range []*session.Answer{
				s.Admin.Post("/problems", body),
				s.Admin.Patch(p.Path, body),
				s.Admin.Patch(p.Path, body, session.Typed("application/merge-patch+json")),
				s.Admin.Post(p.Path+"/comments", body),
				s.Admin.Put(p.Keyword("k"), body),
				s.Admin.Put(p.Path+"/relationships", body),
				s.Admin.Delete(p.Path+"/relationships", body),
				s.Admin.Put(p.Path+"/watchers", body),
				s.Admin.Post("/users", body),
				s.Admin.Post("/tokens", body),
			} {
				if a.Status != 400 || a.Slug() != "malformed-json" {
					s.Errorf("%s: %v\nwant 400 malformed-json", name, a)
				}
			}
		}
	})
	s.Linked(q)
}

func absentBodyIsMalformed(s *session.Session) {
	p := s.Problem()
	for _, mediaType := range []string{"", "application/json"} {
		s.Admin.Post("/problems", "", session.Typed(mediaType)).Fault(400, "malformed-json")
		s.Admin.Patch(p.Path, "", session.Typed(mediaType)).Fault(400, "malformed-json")
		s.Admin.Put(p.Path+"/watchers", "", session.Typed(mediaType)).Fault(400, "malformed-json")
		s.Admin.Put(p.Path+"/relationships", "", session.Typed(mediaType)).Fault(400, "malformed-json")
		s.Admin.Delete(p.Path+"/relationships", "", session.Typed(mediaType)).Fault(400, "malformed-json")
	}
}

func depthOfJSON(s *session.Session) {
	nested := func(depth int) string {
		return `{"title":"x","deep":` + strings.Repeat("[", depth-1) + strings.Repeat("]", depth-1) + `}`
	}
	s.Admin.Post("/problems", nested(32)).Fault(422, "unknown-field", "/deep")
	s.Admin.Post("/problems", nested(33)).Fault(400, "malformed-json")
	s.Admin.Post("/problems", nested(100_000)).Fault(400, "malformed-json")
	s.Admin.Post("/problems", `{"a":`+strings.Repeat(`{"a":`, 31)+`1`+strings.Repeat("}", 31)+`}`).Fault(422, "", "/a", "/title")
	s.Admin.Post("/problems", `{"a":`+strings.Repeat(`{"a":`, 32)+`1`+strings.Repeat("}", 32)+`}`).Fault(400, "malformed-json")
}

func nulCharacterIsInvalidValue(s *session.Session) {
	p := s.Problem()
	s.Untouched(p, func() {
		s.Admin.Patch(p.Path, `{"title":"a\u0000b"}`).Fault(422, "invalid-value", "/title")
		s.Admin.Put(p.Keyword("k"), `"a\u0000b"`).Fault(422, "invalid-value", "")
		s.Admin.Post(p.Path+"/comments", `{"text":"a\u0000b"}`).Fault(422, "invalid-value", "/text")
	})
}

func letterCaseOfNamesCounts(s *session.Session) {
	p := s.Problem()
	s.Untouched(p, func() {
		s.Admin.Patch(p.Path, `{"TITLE":"x","State":{},"READ":true,"tITLE":"x"}`).Fault(422, "unknown-field", "/TITLE", "/State", "/READ", "/tITLE")
		s.Admin.Put(p.Path+"/relationships", fmt.Sprintf(`{"type":"ParentOf","problemIdentifier":%d,"ProblemIdentifier":1}`, p.ID)).Is(422)
		s.Admin.Patch(p.Path, `{"`+"\u017f"+`tate":{"name":"Closed"}}`).Fault(422, "unknown-field", "/\u017ftate")
	})
}

func escapesAndSpacesAreRead(s *session.Session) {
	s.Admin.Post("/problems", " \r\n\t{ \"\\u0074itle\" :\t\"\\ud83d\\ude00 \\\"\\/\\\\ \\u00e9\" } \n").Is(201).Has("/title", `😀 "/\ é`)
}

func integersAreWrittenAsIntegers(s *session.Session) {
	p := s.Problem()
	s.Untouched(p, func() {
		for _, number := range []string{"1.0", "1e0", `"1"`, "1.5", "true", "1E+400", "-0.0"} {
			s.Admin.Patch(p.Path, `{"revision":`+number+`}`).Fault(422, "invalid-type", "/revision")
		}
		if a := s.Admin.Patch(p.Path, `{"revision":99999999999999999999}`); a.Status != 412 && a.Status != 422 {
			s.Fatalf("%v\nwant 412 or 422", a)
		}
	})
}

func answersHoldWhatWasSent(s *session.Session) {
	s.Admin.Post("/problems", `{"title":"<é&😀>"}`).Is(201).Lacks("/$schema").Has("/title", "<é&😀>")
}

func unchangedAnswersHaveTheSameBytes(s *session.Session) {
	bob, p, q := s.User(), s.Create(s.Admin, `"priority":{"name":"High"}`), s.Problem()
	for _, name := range []string{"c", "a", "b"} {
		s.Admin.Put(p.Keyword(name), `"v"`).Is(201)
	}
	s.Relate(p, "ParentOf", q)
	s.Relate(p, "RelatedTo", q)
	s.Admin.Put(p.Path+"/watchers", bob.Part()).Is(201)
	for _, part := range []string{"", "/comments", "/relationships", "/watchers"} {
		first := s.Admin.Get(p.Path + part).Is(200)
		for range 8 {
			if again := s.Admin.Get(p.Path + part).Is(200); string(first.Body) != string(again.Body) {
				s.Fatalf("%v\nwas before\n%s", again, first.Body)
			}
		}
	}
}
