package httpapi

import (
	"io/fs"
	"net/http"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2/negotiation"

	"github.com/problemtracking/problems/adapters/httpapi/internal/pages"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/rules"
)

// addLanguage serves the page about predicates, as HTML and as Markdown.
func (s *server) addLanguage() {
	page := newPage(func() ([]byte, error) {
		source, err := readLanguage()
		if err != nil {
			return nil, err
		}
		return s.site().Language(source)
	})
	s.mux.HandleFunc("GET "+s.BasePath+pages.LanguagePath, s.public(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Add("Vary", "Accept")
		if prefersMarkdown(r.Header) {
			s.sendFile(w, r, languageSource)
			return
		}
		s.sendFile(w, r, page)
	}))
	s.addFile(pages.LanguagePath+".md", languageSource)
}

// prefersMarkdown reports whether a client wants Markdown rather than HTML. Clients with
// "*/*" get HTML.
func prefersMarkdown(header http.Header) bool {
	const markdown = "text/markdown"
	accept := strings.ToLower(strings.Join(header.Values("Accept"), ","))
	return negotiation.SelectQValue(accept, []string{"text/html", markdown}) == markdown
}

// isAboutPredicate reports whether the page about predicates helps with an error. The
// predicate of a saved query is a member of the body.
func isAboutPredicate(e *fault.Error) bool {
	return isOfSearch(e.Kind) || slices.ContainsFunc(e.Items, func(item fault.Item) bool {
		return item.Kind == fault.InvalidValue && item.At.Equal(fault.At(paramPredicate))
	})
}

// isOfSearch reports whether an error is about the predicate of a search.
func isOfSearch(kind fault.Kind) bool {
	return kind == fault.InvalidPredicate || kind == fault.QueryTooExpensive
}

// languageSource is the same for every handler.
var languageSource = newFile("text/markdown; charset=utf-8", readLanguage)

func readLanguage() ([]byte, error) { return fs.ReadFile(rules.Pages(), "predicates.md") }
