package site

import (
	"io/fs"
	"net/http"
	"strings"

	"github.com/danielgtaylor/huma/v2/negotiation"

	"github.com/problemtracking/problems/adapters/httpapi/internal/pages"
	"github.com/problemtracking/problems/domain/rules"
)

// AddLanguage serves the page about predicates, as HTML and as Markdown.
func (s Site) AddLanguage() {
	page := newPage(func() ([]byte, error) {
		source, err := readLanguage()
		if err != nil {
			return nil, err
		}
		return s.pages().Language(source)
	})
	s.Handle("GET "+s.Base+pages.LanguagePath, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Add("Vary", "Accept")
		if prefersMarkdown(r.Header) {
			s.sendFile(w, r, languageSource)
			return
		}
		s.sendFile(w, r, page)
	})
	s.addFile(pages.LanguagePath+".md", languageSource)
}

// prefersMarkdown reports whether a client wants Markdown rather than HTML. Clients with
// "*/*" get HTML.
func prefersMarkdown(header http.Header) bool {
	const markdown = "text/markdown"
	accept := strings.ToLower(strings.Join(header.Values("Accept"), ","))
	return negotiation.SelectQValue(accept, []string{"text/html", markdown}) == markdown
}

// languageSource is the same for every handler.
var languageSource = newFile("text/markdown; charset=utf-8", readLanguage)

func readLanguage() ([]byte, error) { return fs.ReadFile(rules.Pages(), "predicates.md") }
