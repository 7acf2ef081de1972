package httpsuite

import (
	"fmt"
	"strings"
)

// limitCases are about the limits of D22, at their defaults.
func limitCases() []demand {
	return []demand{
		{extended, "HTTP-LIMIT-001", "D22", "a body of 1 MiB is read, one byte more is too-large, with or without Content-Length", sizeOfABody},
		{extended, "HTTP-LIMIT-002", "D22", "a problem has at most 1,000 keywords; the existing ones can still be set", numberOfKeywords},
		{extended, "HTTP-LIMIT-005", "D38", "a problem takes up to 64 MiB, of which all is shown; what would exceed them is refused, and the problem can still be moved to another state", sizeOfAProblem},
		{extended, "HTTP-LIMIT-004", "D11, D22", "a problem is created with up to 1,000 keywords", keywordsOfANewProblem},
		{extended, "HTTP-LIMIT-003", "D11, D22", "a body within the limits gets an answer of a size to match, however much is wrong with it, and of the right type", sizeOfAnErrorAnswer},
	}
}

func sizeOfABody(s *session) {
	p := s.problem()
	s.admin.post(p.path+"/comments", strings.Repeat("x", 1<<20), plain()).is(201)
	s.admin.patch(p.path, `{}`+strings.Repeat(" ", 1<<20-2)).is(200)
	s.untouched(p, func() {
		s.admin.post(p.path+"/comments", strings.Repeat("x", 1<<20+1), plain()).fault(413, "too-large")
		s.admin.post(p.path+"/comments", strings.Repeat("x", 1<<20+1), plain(), unsized()).fault(413, "too-large")
		s.admin.patch(p.path, `{}`+strings.Repeat(" ", 1<<20)).fault(413, "too-large")
		s.admin.put(p.keyword("k"), `"`+strings.Repeat("x", 1<<20)+`"`, unsized()).fault(413, "too-large")
	})
}

func numberOfKeywords(s *session) {
	p := s.problem()
	const clients = 8
	together(clients, func(i int) (last *answer) {
		for n := i; n < 1000; n += clients {
			if last = s.admin.put(p.keyword(fmt.Sprint(n)), `"v"`); last.status != 201 {
				s.Errorf("keyword %d: %v", n, last)
				break
			}
		}
		return last
	})
	s.untouched(p, func() {
		s.admin.put(p.keyword("one-more"), `"v"`).fault(422, "invalid-value")
	})
	s.admin.put(p.keyword("0"), `"w"`).is(200)
	s.admin.delete(p.keyword("1"), "").is(204)
	s.admin.put(p.keyword("one-more"), `"v"`).is(201)
	if n := len(p.load(s.admin).list("/keywords")); n != 1000 {
		s.Fatalf("the problem has %d keywords", n)
	}
}

func sizeOfAProblem(s *session) {
	p := s.problem()
	comment := strings.Repeat("x", 1<<20)
	n := 0
	for ; n < 70; n++ {
		if a := s.admin.post(p.path+"/comments", comment, plain()); a.status != 201 {
			a.fault(422, "invalid-value")
			break
		}
	}
	if n < 60 || n > 63 {
		s.Fatalf("the problem took %d comments of 1 MiB", n)
	}
	s.untouched(p, func() {
		s.admin.post(p.path+"/comments", comment, plain()).fault(422, "invalid-value")
		s.admin.post(p.path+"/comments?dryRun=true", comment, plain()).fault(422, "invalid-value")
	})
	s.admin.get(p.path+"/comments").is(200).counts("", n)
	s.admin.patch(p.path, `{"state":{"name":"In Progress"}}`).is(200)
}

func keywordsOfANewProblem(s *session) {
	body := func(n int) string {
		keywords := make([]map[string]any, n)
		for i := range keywords {
			keywords[i] = map[string]any{"name": fmt.Sprint(i), "value": "v"}
		}
		return encode(map[string]any{"title": "Full", "keywords": keywords})
	}
	s.admin.post("/problems", body(1001)).fault(422, "invalid-value", "/keywords")
	full := s.admin.post("/problems", body(1000)).is(201).counts("/keywords", 1000).counts("/logs", 1001)
	path := "/problems/" + full.part("/identifier")
	s.admin.get(path).is(200).has("/keywords", full.at("/keywords")).has("/logs", full.at("/logs"))
	s.admin.put(path+"/keywords/one-more", `"v"`).fault(422, "invalid-value")
}

func sizeOfAnErrorAnswer(s *session) {
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
		a := s.admin.post("/problems", body).is(422)
		if a.slug() != slug || len(a.body) > 100_000 {
			s.Fatalf("a body of %d bytes is answered with %s in %d bytes, not with %s", len(body), a.slug(), len(a.body), slug)
		}
		for pointer, kind := range a.kinds() {
			if pointer == "/title" && kind != "invalid-type" {
				s.Fatalf("the title is of the wrong type, not %s", kind)
			}
		}
	}
}
