package web

import (
	"net/http"
	"strings"
	"testing"

	"github.com/problemtracking/problems/domain/access"
)

// The navigation leads nobody to a page that is refused.
func TestLinksAreForTheScope(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	for _, scope := range access.Scopes() {
		b := s.as(t, "Anna-"+string(scope), scope)
		seen := map[string]bool{}
		for _, from := range []string{"/problems", "/milestones", "/administration/milestones", "/settings"} {
			page := b.get(from).is(200)
			for n := range page.root.Descendants() {
				to := attribute(n, "href")
				if n.Data != "a" || seen[to] || !strings.HasPrefix(to, "/") || strings.HasPrefix(to, "/docs") {
					continue
				}
				seen[to] = true
				if p := b.get(to); p.status != http.StatusOK {
					t.Errorf("%s: %s leads to %s, with the status %d", scope, from, to, p.status)
				}
			}
		}
		if len(seen) < 15 {
			t.Errorf("%s: only %d links were tried", scope, len(seen))
		}
	}
}

// The milestones have their own place in the navigation.
func TestCurrentSection(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	b := s.signedIn(t)
	for path, want := range map[string]string{
		"/problems": "Problems", "/problems/new": "New problem", "/milestones": "Milestones", "/administration/milestones": "Administration", "/administration/states": "Administration",
		"/settings": "AAdministrator",
	} {
		current := ""
		for n := range b.get(path).is(200).root.Descendants() {
			if n.Data == "a" && attribute(n, "aria-current") == "true" { // in the narrow bar, and in the wide one
				current = ""
				for c := range n.Descendants() {
					if c.FirstChild == nil {
						current += strings.TrimSpace(c.Data)
					}
				}
			}
		}
		if current != want {
			t.Errorf("%s: the current section is %q, want %q", path, current, want)
		}
	}
}

// Somebody who ticks nothing learns that the form is about the whole query.
func TestNothingSelected(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.problem(t, "The door is open")
	b := s.signedIn(t)
	const nothing = "You selected no problem"
	list := b.get("/problems?query=all")
	form := list.form("/problems/bulk")
	form.Set("selected", "yes")
	b.get("/problems/bulk?"+form.Encode()).is(200).has(nothing, "TRUEPREDICATE")
	form.Set("problem", "1")
	b.get("/problems/bulk?"+form.Encode()).is(200).lacks(nothing, "TRUEPREDICATE")
	form.Del("problem")
	form.Del("selected")
	form.Set("all", "yes")
	b.get("/problems/bulk?" + form.Encode()).is(200).lacks(nothing)
	if !strings.Contains(list.body, `name="selected" value="yes"`) {
		t.Error("the button does not say that it is about selected problems")
	}
}

// People name scopes in their own language, and watch only as somebody.
func TestNewcomersTexts(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	path := s.problem(t, "The door is open")
	b := s.signedIn(t)
	german := func(path string) *shownPage {
		r, err := http.NewRequest("GET", s.URL+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Accept-Language", "de")
		return b.do(r).is(200)
	}
	german("/settings").has("Recht verwalten").lacks("admin ")
	german("/administration/tokens").has("Administrator verwalten")
	german("/problems/bulk").has("Gelesen oder ungelesen").lacks("Lesezeichen")
	for _, path := range []string{path, "/administration/tokens"} { // nobody is chosen before a person chooses
		for n := range b.get(path).root.Descendants() {
			if n.Data == "select" && attribute(n, "name") == "user" && (attribute(n.FirstChild.NextSibling, "value") != "" || !strings.Contains(b.get(path).body, `name="user" required`)) {
				t.Errorf("%s chooses somebody", path)
			}
		}
	}
}

// The number of a problem in the search leads to it.
func TestSearchForANumber(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	path := s.problem(t, "The door of room 1 is open")
	b := s.signedIn(t)
	b.get("/problems?query=open&title=%231").is(200).at(path)
	b.get("/problems?query=open&title=1").is(200).at("/problems?query=open&title=1").has("The door of room 1")
	b.get("/problems?query=open&title=%232").is(200).at("/problems?query=open&title=%232").has("no such problem")
	b.get("/problems?query=open&title=%23x").is(200).at("/problems?query=open&title=%23x")
}
