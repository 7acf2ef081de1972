package web

import (
	"net/url"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"github.com/problemtracking/problems/adapters/httpframe/xsstest"
	"github.com/problemtracking/problems/domain/predicate"
)

// harmless judges a page as a browser reads it: it has one script and one style sheet, no
// handler of events, and no address with a scheme that runs something.
func (p *shownPage) harmless(from string) {
	p.t.Helper()
	scripts := 0
	for n := range p.root.Descendants() {
		if n.Type != html.ElementNode {
			continue
		}
		switch n.Data {
		case "script":
			scripts++
			if !strings.HasPrefix(attribute(n, "src"), "/assets/") || n.FirstChild != nil {
				p.t.Fatalf("%s of %q has a script:\n%s", p.path, from, p.body)
			}
		case "style", "iframe", "object", "embed", "base", "marquee", "math", "video", "audio", "template":
			p.t.Fatalf("%s of %q has <%s>:\n%s", p.path, from, n.Data, p.body)
		case "form":
			if !strings.HasPrefix(attribute(n, "action"), "/") {
				p.t.Fatalf("%s of %q has a form for %q", p.path, from, attribute(n, "action"))
			}
		case "img":
			if !strings.HasPrefix(attribute(n, "src"), "/assets/") {
				p.t.Fatalf("%s of %q has the picture %q", p.path, from, attribute(n, "src"))
			}
		}
		for _, a := range n.Attr {
			if strings.HasPrefix(a.Key, "on") || a.Key == "style" || a.Key == "formaction" || a.Key == "srcdoc" || a.Key == "ping" {
				p.t.Fatalf("%s of %q has the attribute %s", p.path, from, a.Key)
			}
			if u, err := url.Parse(a.Val); (a.Key == "href" || a.Key == "src") && (err != nil || u.Scheme != "" && u.Scheme != "http" && u.Scheme != "https" && u.Scheme != "mailto") {
				p.t.Fatalf("%s of %q leads to %q", p.path, from, a.Val)
			}
		}
	}
	if scripts != 1 {
		p.t.Fatalf("%s of %q has %d scripts", p.path, from, scripts)
	}
}

// Whatever is typed, wherever, is text on each page.
func TestAttemptsOnPages(t *testing.T) {
	t.Parallel()
	for some := range slices.Chunk(xsstest.Attempts(), attemptsOnOneSite) {
		s := newSite(t)
		attemptsOnPages(t, s, some)
	}
}

// attemptsOnOneSite is the number of attempts on one site. Each one makes the pages longer.
const attemptsOnOneSite = 12

func attemptsOnPages(t *testing.T, s *site, attempts []string) {
	b := s.signedIn(t)
	other := s.problem(t, "The lock is broken")
	for i, attempt := range attempts {
		line := strings.NewReplacer("\n", " ", "\t", " ").Replace(attempt)
		made := b.post("/problems/new", "title", line, "comment", attempt)
		if made.status != 200 {
			t.Fatalf("%q is no title: %s", line, made.text())
		}
		made.harmless(attempt)
		if !strings.Contains(made.text(), strings.Join(strings.Fields(line), " ")) {
			t.Errorf("the title %q is not shown: %s", line, made.text())
		}
		path, _, _ := strings.Cut(made.path, "#")
		for _, form := range [][]string{
			{path + "/keywords", "name", line, "value", attempt},
			{path + "/relationships", "type", "RelatedTo", "problem", strings.TrimPrefix(other, "/problems/")},
			{path, "title", attempt, "revision", attempt},
			{path + "/relationships", "type", attempt, "problem", attempt},
			{"/queries", "name", line, "predicate", "title = " + predicate.Quote(attempt)},
			{"/queries", "name", line, "predicate", attempt},
			{"/problems/bulk", "predicate", attempt, "priority", attempt},
			{"/administration/components", "name", line},
			{"/administration/users", "name", line, "email", line},
			{"/administration/milestones", "name", line, "start", attempt},
			{"/sign-in", "token", attempt, "to", attempt},
			{"/sign-in", "code", attempt},
		} {
			b.post(form[0], form[1:]...).harmless(attempt)
		}
		for _, at := range []string{
			"/problems?title=" + url.QueryEscape(attempt), "/problems?predicate=" + url.QueryEscape(attempt), "/problems?query=" + url.QueryEscape(attempt),
			"/problems?query=all&sort=" + url.QueryEscape(attempt), "/problems?query=all&columns=" + url.QueryEscape(attempt), "/problems?query=all&after=" + url.QueryEscape(attempt),
			"/problems?query=all&" + url.QueryEscape(attempt) + "=" + url.QueryEscape(attempt),
			"/problems/" + url.PathEscape(strings.ReplaceAll(attempt, "/", "")), path + "/past?revision=" + url.QueryEscape(attempt),
			"/problems/bulk?problem=" + url.QueryEscape(attempt), "/problems/bulk?all=yes&predicate=" + url.QueryEscape(attempt),
			"/sign-in?code=" + url.QueryEscape(attempt) + "&to=" + url.QueryEscape(attempt), path + "/past",
		} {
			b.get(at).harmless(attempt)
		}
		if i == len(attempts)-1 {
			for _, at := range []string{"/problems?query=all", path, other, "/administration/users", "/administration/components", "/administration/audit", "/administration/tokens", "/administration/queries", "/problems/new"} {
				b.get(at).harmless(attempt)
			}
		}
	}
}
