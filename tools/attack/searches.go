package main

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
)

// largeProblems are the attacked problems.
const largeProblems = "many large problems"

func prepareLarge(s *stage) error {
	return s.once(largeProblems, func() (int64, error) {
		n, err := s.repeat(s.sizes.large, func(n int) error {
			return s.createLarge(fmt.Sprint("large victim ", n))
		})
		return int64(n), err
	})
}

// createLarge makes a large problem. If a server ignores the keywords of a new problem,
// it sends them one by one.
func (s *stage) createLarge(title string) error {
	var made struct {
		Identifier int64
		Keywords   []struct{ Name string }
	}
	if err := s.make("creating large problems", largeProblem(title), &made); err != nil {
		return err
	}
	for n := len(made.Keywords); n < largeKeywords; n++ {
		put := sendJSON(http.MethodPut, fmt.Sprintf("/problems/%d/keywords/k%d", made.Identifier, n), strings.Repeat("v", keywordBytes))
		if err := s.make("setting keywords", put, nil); err != nil {
			return err
		}
	}
	return nil
}

// largeKeywords is the number of keywords within the limit of a body.
const largeKeywords = 15

// largeProblem creates a problem of nearly the size of the largest body.
func largeProblem(title string) request {
	keywords := make([]map[string]string, largeKeywords)
	for i := range keywords {
		keywords[i] = map[string]string{"name": fmt.Sprint("k", i), "value": strings.Repeat("v", keywordBytes)}
	}
	return sendJSON(http.MethodPost, "/problems", map[string]any{"title": title, "keywords": keywords})
}

func prepareSearches(s *stage) error {
	return errors.Join(prepareLarge(s), prepareRewritten(s))
}

// victims is the predicate for all attacked problems.
var victims = url.QueryEscape("title CONTAINS 'victim'")

// longPredicate returns a predicate of almost the greatest length.
func longPredicate(n int) string {
	var text strings.Builder
	fmt.Fprintf(&text, "title CONTAINS[cd] 'x%d'", n)
	for i := 0; text.Len() < 15_500; i++ {
		// Few long operands: there are at most 2,000 operands and operators.
		fmt.Fprintf(&text, " OR title CONTAINS[cd] '%0030d'", i)
	}
	return text.String()
}

var searchAttacks = []attack{
	{name: "list-large", short: true, title: "GET /problems?limit=1000 of {large} problems of 1 MiB, {many} at once", prepare: prepareLarge, run: func(s *stage) {
		s.storm(s.sizes.many, same(get("/problems?limit=1000")))
	}},
	{name: "search-detail", short: true, title: "search with includeDetail for those, and that with the long log, {few} at once", prepare: prepareSearches, run: func(s *stage) {
		s.storm(s.sizes.few, same(get("/problems/search?includeDetail=true&limit=1000&predicate=%s", victims)))
	}},
	{name: "search-matches", title: "search for MATCHES in their keywords, {many} at once", prepare: prepareLarge, run: func(s *stage) {
		s.storm(s.sizes.many, same(searchFor("ANY keywords.value MATCHES '(v|vv)*w'")))
	}, right: []int{422}},
	{name: "search-history", title: "SUBQUERY over history and logs of the long log, {many} at once", prepare: prepareRewritten, run: func(s *stage) {
		s.storm(s.sizes.many, same(searchFor("SUBQUERY(history, $h, $h.title CONTAINS[cd] 'zz').@count > 0 OR SUBQUERY(logs, $l, $l.type MATCHES 'x.*').@count > 0")))
	}, right: []int{422}},
	{name: "search-long", title: "predicates of 15,500 bytes, 2 × {many} at once", run: func(s *stage) {
		s.storm(2*s.sizes.many, func(worker, n int) request { return searchFor(longPredicate(worker<<16 + n)) })
	}, right: []int{422}},
	{name: "bulk-preview", title: "preview of a change of those problems, {few} at once", prepare: prepareLarge, run: func(s *stage) {
		s.storm(s.sizes.few, func(worker, n int) request {
			title := strings.Repeat("t", 900) + fmt.Sprint(worker, n)
			return sendJSON(http.MethodPatch, "/problems?dryRun=true&predicate="+url.QueryEscape("title BEGINSWITH 'large victim'"), map[string]string{"title": title})
		})
	}, right: []int{422}},
}
