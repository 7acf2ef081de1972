package web

import (
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/problemtracking/problems/domain/access"
)

// Words lead to a number, to what has them, and to the list of all; with go, to the first of these.
func TestFind(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	b, reader := s.signedIn(t), s.as(t, "Rita", access.Read)
	for i := range mostFound + 1 {
		s.problem(t, fmt.Sprintf("Lamp %d", i+1))
	}
	s.problem(t, "Nothing special")
	b.post("/problems/10", "comment", "The LÄMP is dark.", "revision", "1").is(200)
	b.post("/queries", "name", "Lamps", "predicate", "TRUEPREDICATE").is(200)
	for words, want := range map[string]string{
		"":         "Search Problems page Board page What changed page People page Milestones page New problem page Your settings page Administration page Keys page Lamps query Unread",
		"10":       "Search #10 Nothing special problem Language",
		"#10":      "Search #10 Nothing special problem Language",
		"lamp is":  "Search #10 Nothing special problem Language",
		"LAMP 9":   "Search #9 Lamp 9 problem Language",
		"board":    "Search Board page Language",
		"' OR 1=1": "Search Nothing has these words. Language",
		"#99":      "Search Nothing has these words. Language",
	} {
		b.get("/find?words=" + url.QueryEscape(words)).is(200).has(want)
	}
	if found := strings.Count(b.get("/find?words=lamp").body, "</small></li>"); found != 1+mostFound+1 {
		t.Errorf("lamp finds %d lines, want a query, %d problems and the list", found, mostFound)
	}
	b.get("/find?words=10&go=first").at("/problems/10")
	b.get("/find?words=milest&go=first").at("/milestones")
	b.get("/find?words=zebra&go=first").is(200).has("Nothing has these words.")
	b.get(link(b.get("/find?words=lamp"), "lamp")).at("/problems?query=all&title=lamp").is(200).has("10 problems")
	b.get("/problems?query=all&title=zebra").is(200).has("There is no such problem").lacks("Create the first one")
	reader.get("/find").is(200).lacks("New problem", "Lamps")
}

// The first eight queries have the number of their problems.
func TestCounts(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	b := s.signedIn(t)
	for range mostCount + 1 {
		s.problem(t, "Lamp")
	}
	for _, name := range []string{"One", "Two", "Three"} {
		b.post("/queries", "name", name, "predicate", "identifier < 3").is(200)
	}
	got := b.get("/queries/counts").is(200)
	got.has("My open problems 0", "Ready to work on 99+", "Overdue 0", "All open 99+", "One 2", "Two 2 Three All", "Recently created Recently")
	if n := strings.Count(got.body, "<small>"); n != mostCounted {
		t.Errorf("%d queries have a number, want %d", n, mostCounted)
	}
}
