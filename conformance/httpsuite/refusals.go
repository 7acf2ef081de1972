package httpsuite

import (
	"fmt"
	"strings"
)

// refusalCases are about searches without an answer (D18, query language, section 5).
func refusalCases() []demand {
	return []demand{
		{core, "HTTP-INVALID-001", "query language section 5", "a predicate that means nothing is refused, and not taken for one that finds nothing, or everything", senselessPredicateIsRefused},
		{extended, "HTTP-INVALID-002", "D18, query language section 5", "invalid-predicate tells the kind, and the line and column of the first offending token, in characters", predicateErrorTellsKindAndPlace},
		{extended, "HTTP-INVALID-003", "query language sections 3, 5 and 6", "what types do not meet is typeMismatch, what is too much limitExceeded, what is not done unsupported", typeLimitAndUnsupportedErrors},
		{extended, "HTTP-INVALID-004", "D18, D31", "parameters that a search does not have, or values that they cannot have, are malformed-request", wrongParametersOfASearch},
		{extended, "HTTP-INVALID-005", "query language sections 4 and 7", "text in a predicate is text, whatever it would mean to a database", textInAPredicateIsText},
		{extended, "HTTP-INVALID-006", "D18, query language section 6", "a predicate that refers to more than 32 objects is query-too-expensive, and nothing less is", tooManyReferencesAreTooExpensive},
	}
}

func senselessPredicateIsRefused(s *session) {
	for _, predicate := range []string{
		"", "title =", "title = 'x", "titel = 'x'", "title = 7", "watching", "NOPE(1) = 1", "$x = 1", "title MATCHES '('", "(title = 'x'",
		"title = 'x' title = 'y'", "keywords = nil", "state = 'Open'", "1 = 1; title = 'x'", "title[FIRST] = 'x'", "title BETWEEN {'a'}",
	} {
		s.admin.get(lookup("/problems/search", "predicate", predicate)).refused()
	}
	for _, list := range []string{"/users", "/states", "/components", "/milestones", "/priorities", "/classifications"} {
		s.admin.get(lookup(list+"/search", "predicate", "title = 'x'")).refused()
		s.admin.search(list, "FALSEPREDICATE").has("", []any{})
	}
}

func predicateErrorTellsKindAndPlace(s *session) {
	for _, c := range []struct {
		predicate, kind string
		line, column    int
	}{
		{"title = ", "syntax", 1, 9},
		{"title = 'x' title", "syntax", 1, 13},
		{"title = 'äöü' & 1", "syntax", 1, 15},
		{"title = 'x'\nAND )", "syntax", 2, 5},
		{"titel = 'x'", "unknownKey", 1, 1},
		{"title = 'x' AND\n  naem = 'x'", "unknownKey", 2, 3},
		{"title = 'x' AND FROBNICATE(1) = 1", "unknownFunction", 1, 17},
		{"title = 'x' AND $nobody = 1", "unboundVariable", 1, 17},
		{"title = %@", "unsupported", 1, 9},
		{"title MATCHES '('", "invalidPattern", 1, 15},
		{`title LIKE 'a\\x'`, "invalidPattern", 1, 12},
		{`title LIKE 'a\\'`, "invalidPattern", 1, 12},
		{"CAST(title, 'NSColor') = nil", "unsupported", 1, 13},
		{"CAST(identifier, 'nsstring') = '1'", "unsupported", 1, 18},
		{"ANY history.identifier = 1", "unknownKey", 1, 13},
		{"{1, 2} = 1", "typeMismatch", 1, 8},
		{"{{1}, 2}.@count = 2", "typeMismatch", 1, 2},
	} {
		a := s.admin.get(lookup("/problems/search", "predicate", c.predicate)).fault(400, "invalid-predicate")
		a.has("/kind", c.kind).has("/line", c.line).has("/column", c.column)
		b := s.admin.post("/problems/search", encode(map[string]any{"predicate": c.predicate})).fault(400, "invalid-predicate")
		b.has("/kind", c.kind).has("/line", c.line).has("/column", c.column)
	}
}

func typeLimitAndUnsupportedErrors(s *session) {
	for predicate, kind := range map[string]string{
		"title = 7":                 "typeMismatch",
		"creationDate > '2015'":     "typeMismatch",
		"keywords = 'x'":            "typeMismatch",
		"state = 'Open'":            "typeMismatch",
		"keywords.name = 'x'":       "typeMismatch",
		"ANY title = 'x'":           "typeMismatch",
		"title MATCHES[d] 'x'":      "unsupported",
		"keywords[FIRST] != nil":    "unsupported",
		"history.@median.title = 1": "unsupported",
		"title := 'x'":              "unsupported",
		"RANDOM() = 1":              "unknownFunction",
		"title = 'x' AND (1 = 1":    "syntax",
		"watching":                  "syntax",
		"FUNCTION(7, title) = 1":    "syntax",
		"title = 'a\\q'":            "syntax",
		"title = 'x' -- nothing":    "unknownKey",
		strings.Repeat("(", 65):     "limitExceeded",
		strings.Repeat(" ", 16385):  "limitExceeded",
	} {
		s.admin.post("/problems/search", encode(map[string]any{"predicate": predicate})).offered("D31").fault(400, "invalid-predicate").has("/kind", kind)
	}
}

func wrongParametersOfASearch(s *session) {
	for _, query := range []string{
		"", "limit=5", "predicate=TRUEPREDICATE&limit=0", "predicate=TRUEPREDICATE&limit=1001", "predicate=TRUEPREDICATE&limit=x",
		"predicate=TRUEPREDICATE&limit=-1", "predicate=TRUEPREDICATE&cursor=x", "predicate=TRUEPREDICATE&colour=red",
		"predicate=FALSEPREDICATE&predicate=TRUEPREDICATE",
	} {
		for _, list := range []string{"/problems", "/users", "/states"} {
			s.admin.get(list+"/search?"+query).fault(400, "malformed-request")
		}
	}
	s.admin.get("/problems/search?predicate=FALSEPREDICATE&includeDetail=1").fault(400, "malformed-request")
	s.admin.get("/problems?predicate=FALSEPREDICATE").fault(400, "malformed-request")
	for _, sort := range []string{"colour", "title,", "keywords", "--title", "keywords.name"} {
		s.admin.get(lookup("/problems/search", "predicate", "FALSEPREDICATE", "sort", sort)).fault(400, "")
	}
	s.as("").get("/problems/search?predicate=FALSEPREDICATE").fault(401, "unauthenticated")
}

func textInAPredicateIsText(s *session) {
	h := newHerd(s)
	for _, text := range []string{`'; DROP TABLE problems; --`, `%' OR '1'='1`, `a\`, `$1 ? :x @y`, `[a-z]*`, "tab\"s"} {
		p := h.add(s.admin, text)
		literal := strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(text)
		for _, condition := range []string{"title = '%s'", "title ENDSWITH '%s'", "title CONTAINS[c] '%s'"} {
			want := literal
			if strings.HasPrefix(condition, "title =") {
				want = h.title(literal)
			}
			h.finds(s.admin, fmt.Sprintf(condition, want), p)
		}
	}
	h.finds(s.admin, `title LIKE '*%ROP*' OR title LIKE '*_ROP*' OR title LIKE '*[A-Z]ROP*'`)
}

func tooManyReferencesAreTooExpensive(s *session) {
	const most = 32
	// A component, and the ends of chains of its parents and successors.
	path := []string{"component"}
	for n := 0; len(path) <= most; n++ {
		path = append(path, path[n]+".parent", path[n]+".successor")
	}
	for _, separator := range []string{" AND ", " OR "} {
		predicate := func(n int) string { return strings.Join(path[:n], ".name = 'x'"+separator) + ".name = 'x'" }
		s.admin.get(lookup("/problems/search", "predicate", predicate(most)+" AND FALSEPREDICATE")).is(200).has("", []any{})
		s.admin.get(lookup("/problems/search", "predicate", predicate(most+1))).fault(422, "query-too-expensive")
		s.admin.post("/problems/search", encode(map[string]any{"predicate": predicate(most + 1)})).fault(422, "query-too-expensive")
	}
}
