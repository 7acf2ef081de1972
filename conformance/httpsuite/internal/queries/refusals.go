package queries

import (
	"fmt"
	"strings"

	"github.com/problemtracking/problems/conformance/httpsuite/internal/session"
)

// refusalCases are about searches without an answer (D18, query language, section 5).
func refusalCases() []session.Case {
	return []session.Case{
		session.Core("HTTP-INVALID-001", "query language section 5", "a predicate that means nothing is refused, and not taken for one that finds nothing, or everything", senselessPredicateIsRefused),
		session.Extended("HTTP-INVALID-002", "D18, query language section 5", "invalid-predicate tells the kind, and the line and column of the first offending token, in characters", predicateErrorTellsKindAndPlace),
		session.Extended("HTTP-INVALID-003", "query language sections 3, 5 and 6", "what types do not meet is typeMismatch, what is too much limitExceeded, what is not done unsupported", typeLimitAndUnsupportedErrors),
		session.Extended("HTTP-INVALID-004", "D18, D31", "parameters that a search does not have, or values that they cannot have, are malformed-request", wrongParametersOfASearch),
		session.Extended("HTTP-INVALID-005", "query language sections 4 and 7", "text in a predicate is text, whatever it would mean to a database", textInAPredicateIsText),
		session.Extended("HTTP-INVALID-006", "D18, query language section 6", "a predicate that refers to more than 32 objects is query-too-expensive, and nothing less is", tooManyReferencesAreTooExpensive),
	}
}

func senselessPredicateIsRefused(s *session.Session) {
	for _, predicate := range []string{
		"", "title =", "title = 'x", "titel = 'x'", "title = 7", "watching", "NOPE(1) = 1", "$x = 1", "title MATCHES '('", "(title = 'x'",
		"title = 'x' title = 'y'", "keywords = nil", "state = 'Open'", "1 = 1; title = 'x'", "title[FIRST] = 'x'", "title BETWEEN {'a'}",
	} {
		s.Admin.Get(session.Lookup("/problems/search", "predicate", predicate)).Refused()
	}
	for _, list := range []string{"/users", "/states", "/components", "/milestones", "/priorities", "/classifications"} {
		s.Admin.Get(session.Lookup(list+"/search", "predicate", "title = 'x'")).Refused()
		s.Admin.Search(list, "FALSEPREDICATE").Has("", []any{})
	}
}

func predicateErrorTellsKindAndPlace(s *session.Session) {
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
		a := s.Admin.Get(session.Lookup("/problems/search", "predicate", c.predicate)).Fault(400, "invalid-predicate")
		a.Has("/kind", c.kind).Has("/line", c.line).Has("/column", c.column)
		b := s.Admin.Post("/problems/search", session.Encode(map[string]any{"predicate": c.predicate})).Fault(400, "invalid-predicate")
		b.Has("/kind", c.kind).Has("/line", c.line).Has("/column", c.column)
	}
	for predicate, meant := range map[string]string{"titel = 'x'": "title", "LEN(title) = 1": "length", "$apiUser = nil": "$ApiUser"} {
		s.Admin.Get(session.Lookup("/problems/search", "predicate", predicate)).Fault(400, "invalid-predicate").Has("/suggestion", meant)
	}
	s.Admin.Get(session.Lookup("/problems/search", "predicate", "FROBNICATE(1) = 1")).Fault(400, "invalid-predicate").Lacks("/suggestion")
}

func typeLimitAndUnsupportedErrors(s *session.Session) {
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
		s.Admin.Post("/problems/search", session.Encode(map[string]any{"predicate": predicate})).Offered("D31").Fault(400, "invalid-predicate").Has("/kind", kind)
	}
}

func wrongParametersOfASearch(s *session.Session) {
	for _, query := range []string{
		"", "limit=5", "predicate=TRUEPREDICATE&limit=0", "predicate=TRUEPREDICATE&limit=1001", "predicate=TRUEPREDICATE&limit=x",
		"predicate=TRUEPREDICATE&limit=-1", "predicate=TRUEPREDICATE&cursor=x", "predicate=TRUEPREDICATE&colour=red",
		"predicate=FALSEPREDICATE&predicate=TRUEPREDICATE",
	} {
		for _, list := range []string{"/problems", "/users", "/states"} {
			s.Admin.Get(list+"/search?"+query).Fault(400, "malformed-request")
		}
	}
	s.Admin.Get("/problems/search?predicate=FALSEPREDICATE&includeDetail=1").Fault(400, "malformed-request")
	s.Admin.Get("/problems?predicate=FALSEPREDICATE").Fault(400, "malformed-request")
	for _, sort := range []string{"colour", "title,", "keywords", "--title", "keywords.name"} {
		s.Admin.Get(session.Lookup("/problems/search", "predicate", "FALSEPREDICATE", "sort", sort)).Fault(400, "")
	}
	s.As("").Get("/problems/search?predicate=FALSEPREDICATE").Fault(401, "unauthenticated")
}

func textInAPredicateIsText(s *session.Session) {
	h := newHerd(s)
	for _, text := range []string{`'; DROP TABLE problems; --`, `%' OR '1'='1`, `a\`, `$1 ? :x @y`, `[a-z]*`, "tab\"s"} {
		p := h.add(s.Admin, text)
		literal := strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(text)
		for _, condition := range []string{"title = '%s'", "title ENDSWITH '%s'", "title CONTAINS[c] '%s'"} {
			want := literal
			if strings.HasPrefix(condition, "title =") {
				want = h.title(literal)
			}
			h.finds(s.Admin, fmt.Sprintf(condition, want), p)
		}
	}
	h.finds(s.Admin, `title LIKE '*%ROP*' OR title LIKE '*_ROP*' OR title LIKE '*[A-Z]ROP*'`)
}

// mostReferences is the number of objects to which a predicate may refer.
const mostReferences = 32

// referring returns a predicate that refers to n objects: a component, and the ends of
// chains of its parents and successors.
func referring(n int, separator string) string {
	path := []string{"component"}
	for i := 0; len(path) < n; i++ {
		path = append(path, path[i]+".parent", path[i]+".successor")
	}
	return strings.Join(path[:n], ".name = 'x'"+separator) + ".name = 'x'"
}

func tooManyReferencesAreTooExpensive(s *session.Session) {
	for _, separator := range []string{" AND ", " OR "} {
		predicate := func(n int) string { return referring(n, separator) }
		s.Admin.Get(session.Lookup("/problems/search", "predicate", predicate(mostReferences)+" AND FALSEPREDICATE")).Is(200).Has("", []any{})
		s.Admin.Get(session.Lookup("/problems/search", "predicate", predicate(mostReferences+1))).Fault(422, "query-too-expensive")
		s.Admin.Post("/problems/search", session.Encode(map[string]any{"predicate": predicate(mostReferences + 1)})).Fault(422, "query-too-expensive")
	}
}
