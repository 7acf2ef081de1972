package requests

import (
	"fmt"
	"strings"

	"github.com/problemtracking/problems/conformance/httpsuite/internal/session"
)

// limitCases are about the limits of D22, at their defaults.
func limitCases() []session.Case {
	return []session.Case{
		session.Extended("HTTP-LIMIT-001", "D22", "a body of 1 MiB is read, one byte more is too-large, with or without Content-Length", sizeOfABody),
		session.Extended("HTTP-LIMIT-002", "D22", "a problem has at most 1,000 keywords; the existing ones can still be set", numberOfKeywords),
		session.Extended("HTTP-LIMIT-005", "D38", "a problem takes up to 64 MiB, of which all is shown; what would exceed them is refused, and the problem can still be moved to another state", sizeOfAProblem),
		session.Extended("HTTP-LIMIT-004", "D11, D22", "a problem is created with up to 1,000 keywords", keywordsOfANewProblem),
		session.Extended("HTTP-LIMIT-003", "D11, D22", "a body within the limits gets an answer of a size to match, however much is wrong with it, and of the right type", sizeOfAnErrorAnswer),
	}
}

func sizeOfABody(s *session.Session) {
	p := s.Problem()
	s.Admin.Post(p.Path+"/comments", strings.Repeat("x", 1<<20), session.Plain()).Is(201)
	s.Admin.Patch(p.Path, `{}`+strings.Repeat(" ", 1<<20-2)).Is(200)
	s.Untouched(p, func() {
		s.Admin.Post(p.Path+"/comments", strings.Repeat("x", 1<<20+1), session.Plain()).Fault(413, "too-large")
		s.Admin.Post(p.Path+"/comments", strings.Repeat("x", 1<<20+1), session.Plain(), session.Unsized()).Fault(413, "too-large")
		s.Admin.Patch(p.Path, `{}`+strings.Repeat(" ", 1<<20)).Fault(413, "too-large")
		s.Admin.Put(p.Keyword("k"), `"`+strings.Repeat("x", 1<<20)+`"`, session.Unsized()).Fault(413, "too-large")
	})
}

func numberOfKeywords(s *session.Session) {
	p := s.Problem()
	const clients = 8
	session.Together(clients, func(i int) (last *session.Answer) {
		for n := i; n < 1000; n += clients {
			if last = s.Admin.Put(p.Keyword(fmt.Sprint(n)), `"v"`); last.Status != 201 {
				s.Errorf("keyword %d: %v", n, last)
				break
			}
		}
		return last
	})
	s.Untouched(p, func() {
		s.Admin.Put(p.Keyword("one-more"), `"v"`).Fault(422, "invalid-value")
	})
	s.Admin.Put(p.Keyword("0"), `"w"`).Is(200)
	s.Admin.Delete(p.Keyword("1"), "").Is(204)
	s.Admin.Put(p.Keyword("one-more"), `"v"`).Is(201)
	if n := len(p.Load(s.Admin).List("/keywords")); n != 1000 {
		s.Fatalf("the problem has %d keywords", n)
	}
}

func sizeOfAProblem(s *session.Session) {
	p := s.Problem()
	comment := strings.Repeat("x", 1<<20)
	n := 0
	for ; n < 70; n++ {
		if a := s.Admin.Post(p.Path+"/comments", comment, session.Plain()); a.Status != 201 {
			a.Fault(422, "invalid-value")
			break
		}
	}
	if n < 60 || n > 63 {
		s.Fatalf("the problem took %d comments of 1 MiB", n)
	}
	s.Admin.Post(p.Path+"/comments?dryRun=true", comment, session.Plain()).Fault(422, "invalid-value")
	// Untouched would read 64 MiB twice more.
	s.Admin.Get(p.Path+"/comments").Is(200).Counts("", n)
	s.Admin.Patch(p.Path, `{"state":{"name":"In Progress"}}`).Is(200).Has("/revision", n+2)
}

func keywordsOfANewProblem(s *session.Session) {
	body := func(n int) string {
		keywords := make([]map[string]any, n)
		for i := range keywords {
			keywords[i] = map[string]any{"name": fmt.Sprint(i), "value": "v"}
		}
		return session.Encode(map[string]any{"title": "Full", "keywords": keywords})
	}
	s.Admin.Post("/problems", body(1001)).Fault(422, "invalid-value", "/keywords")
	full := s.Admin.Post("/problems", body(1000)).Is(201).Counts("/keywords", 1000).Counts("/logs", 1001)
	path := "/problems/" + full.Part("/identifier")
	s.Admin.Get(path).Is(200).Has("/keywords", full.At("/keywords")).Has("/logs", full.At("/logs"))
	s.Admin.Put(path+"/keywords/one-more", `"v"`).Fault(422, "invalid-value")
}

func sizeOfAnErrorAnswer(s *session.Session) {
	ones := strings.Repeat("1,", 400_000) + "1"
	var unknown strings.Builder
	for i := range 50_000 {
		fmt.Fprintf(&unknown, `"u%d":1,`, i)
	}
	for body, slug := range map[string]string{
		`{"title":"x","state":{"nextStates":[` + ones + `]}}`:           "invalid-value",
		`{"title":"x","state":{` + unknown.String() + `"name":"Open"}}`: "unknown-field",
		`{` + unknown.String() + `"title":5}`:                           "validation-failed",
		`{"title":"x","keywords":[` + ones + `]}`:                       "validation-failed",
	} {
		a := s.Admin.Post("/problems", body).Is(422)
		if a.Slug() != slug || len(a.Body) > 100_000 {
			s.Fatalf("a body of %d bytes is answered with %s in %d bytes, not with %s", len(body), a.Slug(), len(a.Body), slug)
		}
		for pointer, kind := range a.Kinds() {
			if pointer == "/title" && kind != "invalid-type" {
				s.Fatalf("the title is of the wrong type, not %s", kind)
			}
		}
	}
}
