package main

import (
	"fmt"
	"net/http"
	"strings"
)

// milestones and queries are the attacked lists.
const (
	milestones = "many milestones"
	queries    = "many saved queries"
)

func prepareMilestones(s *stage) error {
	return s.once(milestones, func() (int64, error) {
		n, err := s.repeat(s.sizes.milestones, func(n int) error {
			return s.make("creating milestones", sendJSON(http.MethodPost, "/milestones", map[string]string{"name": fmt.Sprintf("%0255d", n)}), nil)
		})
		return int64(n), err
	})
}

func prepareQueries(s *stage) error {
	return s.once(queries, func() (int64, error) {
		n, err := s.repeat(s.sizes.queries, func(n int) error {
			return s.make("saving queries", sendJSON(http.MethodPost, "/queries", map[string]string{"name": fmt.Sprint("query ", n), "predicate": longPredicate(n)}), nil)
		})
		return int64(n), err
	})
}

var metadataAttacks = []attack{
	{name: "milestones", title: "list {milestones} milestones, {many} at once", prepare: prepareMilestones, run: func(s *stage) {
		s.storm(s.sizes.many, same(get("/milestones")))
	}},
	{name: "audit", title: "read the audit of them as an administrator, {many} at once", prepare: prepareMilestones, run: func(s *stage) {
		s.stormAs(s.admin, s.sizes.many, same(get("/audit")))
	}},
	{name: "ambiguous", title: "bodies of 1 MiB with a partial that matches nothing among them, {many} at once", prepare: prepareMilestones, run: func(s *stage) {
		body := sendJSON(http.MethodPost, "/problems?dryRun=true", map[string]any{"title": "victim", "milestone": map[string]string{"name": strings.Repeat("m", 1_000_000)}})
		s.storm(s.sizes.many, same(body))
	}, right: []int{422}},
	{name: "queries", title: "list {queries} saved queries of 16 KiB, {many} at once", prepare: prepareQueries, run: func(s *stage) {
		s.storm(s.sizes.many, same(get("/queries")))
	}},
}
