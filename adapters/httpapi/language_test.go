package httpapi

import (
	"encoding/json"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/problemtracking/problems/adapters/httpapi/internal/pages"
	"github.com/problemtracking/problems/domain/fault"
)

// The page about predicates is there for people and for programs, and errors lead to it.
func TestLanguagePage(t *testing.T) {
	t.Parallel()
	f := setup(t, func(o *Options) { o.BasePath = "/tracker" })
	page := f.send(t, request("GET", "/tracker/docs/predicates", "", "Authorization", ""), http.StatusOK, "")
	header(t, page, map[string]string{"Content-Type": "text/html; charset=utf-8", "Vary": "Accept, Accept-Encoding", "X-Content-Type-Options": "nosniff"})
	for _, want := range []string{"<h1 id=", "<table>", `there are \\ \' \&quot; \/ \b`, "state.resolved = NO AND assignee.identifier = $ApiUser", "<h2 id=\"6-limits\">"} {
		if !strings.Contains(page.Body.String(), want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	if got := page.Header().Get("Content-Security-Policy"); !strings.Contains(got, "default-src 'none'") || !strings.Contains(got, "style-src 'self'") || strings.Contains(got, "unsafe") {
		t.Errorf("the policy of the page is %q", got)
	}
	source := f.send(t, request("GET", "/tracker/docs/predicates.md", "", "Authorization", ""), http.StatusOK, "")
	if !strings.HasPrefix(source.Body.String(), "# The predicate language\n") || source.Header().Get("Content-Type") != "text/markdown; charset=utf-8" {
		t.Errorf("the source is %s: %.60s", source.Header().Get("Content-Type"), source.Body)
	}
	if got, want := strings.Count(page.Body.String(), "<table>"), strings.Count(source.Body.String(), "\n|---|"); got != want {
		t.Errorf("the page has %d of %d tables", got, want)
	}
	again := f.do(request("GET", "/tracker/docs/predicates", "", "Authorization", "", "If-None-Match", page.Header().Get("ETag")))
	if again.Code != http.StatusNotModified {
		t.Errorf("the page is sent again to a client that has it: %d", again.Code)
	}
	for _, link := range regexp.MustCompile(`(?:href|src)="([^"]+)"`).FindAllStringSubmatch(page.Body.String(), -1) {
		if !strings.HasPrefix(link[1], "#") {
			f.send(t, request("GET", link[1], "", "Authorization", ""), http.StatusOK, "")
		}
	}
}

// Programs that accept Markdown get the source, and all others the page.
func TestLanguagePageByAccept(t *testing.T) {
	t.Parallel()
	f := setup(t)
	for accept, media := range map[string]string{
		"":                                   "text/html",
		"*/*":                                "text/html",
		"application/json":                   "text/html",
		"text/html, text/markdown;q=0.5":     "text/html",
		"text/html,application/xml,*/*":      "text/html",
		"text/markdown;q=0":                  "text/html",
		"text/markdown":                      "text/markdown",
		"Text/Markdown, */*;q=0.1":           "text/markdown",
		"text/markdown, text/html;q=0.5":     "text/markdown",
		"text/markdown;charset=utf-8, */*":   "text/markdown",
		"application/pdf, text/markdown;q=1": "text/markdown",
	} {
		r := request("GET", pages.LanguagePath, "", "Authorization", "", "Accept", accept)
		w := f.send(t, r, http.StatusOK, "")
		header(t, w, map[string]string{"Content-Type": media + "; charset=utf-8", "Vary": "Accept, Accept-Encoding", "Cache-Control": "no-cache"})
		start := map[string]string{"text/html": "<!DOCTYPE html>", "text/markdown": "# The predicate language"}[media]
		if !strings.HasPrefix(w.Body.String(), start) {
			t.Errorf("Accept: %s gets %.40s", accept, w.Body)
		}
		tag := w.Header().Get("ETag")
		unchanged := f.send(t, request("GET", pages.LanguagePath, "", "Accept", accept, "If-None-Match", tag), http.StatusNotModified, "")
		header(t, unchanged, map[string]string{"ETag": tag, "Vary": "Accept, Accept-Encoding"})
		other := map[string]string{"text/html": "text/markdown", "text/markdown": "text/html"}[media]
		f.send(t, request("GET", pages.LanguagePath, "", "Accept", other, "If-None-Match", tag), http.StatusOK, "")
	}
}

// Errors of predicates lead to the page about the language.
func TestErrorsLeadToLanguage(t *testing.T) {
	t.Parallel()
	f := setup(t, func(o *Options) { o.BasePath = "/tracker" })
	var joins []string // more objects than a predicate may refer to
	for start, longest := range map[string]int{
		"component": 8, "component.successor": 7, "milestone.component": 7, "milestone.component.successor": 6,
	} {
		for n := range longest + 1 {
			joins = append(joins, start+strings.Repeat(".parent", n)+".name = 'a'")
		}
	}
	many, err := json.Marshal(map[string]string{"predicate": strings.Join(joins, " OR ")})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		r      *http.Request
		status int
		kind   fault.Kind
	}{
		{request("GET", "/tracker"+api+"/problems/search?predicate=titel", ""), http.StatusBadRequest, fault.InvalidPredicate},
		{request("POST", "/tracker"+api+"/problems/search", `{"predicate":"titel"}`), http.StatusBadRequest, fault.InvalidPredicate},
		{request("GET", "/tracker"+api+"/states/search?predicate=titel", ""), http.StatusBadRequest, fault.InvalidPredicate},
		{request("POST", "/tracker"+api+"/queries", `{"name":"a","predicate":"titel"}`), http.StatusUnprocessableEntity, fault.InvalidValue},
		{request("POST", "/tracker"+api+"/queries", `{"predicate":"titel"}`), http.StatusUnprocessableEntity, fault.ValidationFailed},
		{request("POST", "/tracker"+api+"/problems/search", string(many)), http.StatusUnprocessableEntity, fault.QueryTooExpensive},
	} {
		w := f.send(t, c.r, c.status, c.kind)
		if got := w.Header().Get("Link"); got != `</tracker/docs/predicates>; rel="help"` {
			t.Errorf("%s %s: the error leads to %q", c.r.Method, c.r.URL, got)
		}
	}
	other := f.send(t, request("GET", "/tracker"+api+"/problems/99", ""), http.StatusNotFound, fault.ProblemNotFound)
	header(t, other, map[string]string{"Link": ""})
	unnamed := f.send(t, request("POST", "/tracker"+api+"/queries", `{"predicate":"TRUEPREDICATE"}`), http.StatusUnprocessableEntity, fault.RequiredField)
	header(t, unnamed, map[string]string{"Link": ""})
	for _, slug := range []string{"invalid-predicate", "query-too-expensive"} {
		explained := f.send(t, request("GET", "/tracker/errors/"+slug, "", "Authorization", ""), http.StatusOK, "")
		if !strings.Contains(explained.Body.String(), `<a href="/tracker/docs/predicates">`) {
			t.Errorf("the page about %s does not lead to the language: %s", slug, explained.Body)
		}
	}
}

// The OpenAPI document leads to the page about the language. Its links are relative to
// the document, and to the page that shows it.
func TestOpenAPILeadsToLanguage(t *testing.T) {
	t.Parallel()
	f := setup(t, func(o *Options) { o.BasePath = "/tracker" })
	var document struct {
		Tags []struct {
			Name         string
			ExternalDocs struct{ URL string }
		}
		Components struct {
			Parameters map[string]struct{ Name, Description string }
		}
	}
	w := f.send(t, request("GET", "/tracker/openapi.json", ""), http.StatusOK, "")
	if err := json.Unmarshal(w.Body.Bytes(), &document); err != nil {
		t.Fatal(err)
	}
	linked := map[string]bool{}
	for _, tag := range document.Tags {
		if tag.ExternalDocs.URL != "" {
			linked[tag.ExternalDocs.URL] = true
		}
	}
	for _, parameter := range document.Components.Parameters {
		if parameter.Name != paramPredicate {
			continue
		}
		link := regexp.MustCompile(`\]\(([^)]+)\)`).FindStringSubmatch(parameter.Description)
		if link == nil {
			t.Fatalf("the parameter has no link: %s", parameter.Description)
		}
		linked[link[1]] = true
	}
	if len(linked) != 1 || !linked["docs/predicates"] {
		t.Errorf("the document leads to %v", linked)
	}
	for path := range linked {
		f.send(t, request("GET", "/tracker/"+path, "", "Authorization", ""), http.StatusOK, "")
	}
}
