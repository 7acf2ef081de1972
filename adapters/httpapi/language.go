package httpapi

import (
	"bytes"
	"io/fs"
	"net/http"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2/negotiation"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"

	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/rules"
)

// languagePath is the path of the page about predicates, below the base path.
const languagePath = "/docs/predicates"

// addLanguage serves the page about predicates, as HTML and as Markdown.
func (s *server) addLanguage() {
	page := languagePage
	page.policy = languagePolicy
	s.mux.HandleFunc("GET "+s.BasePath+languagePath, s.public(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Add("Vary", "Accept")
		if prefersMarkdown(r.Header) {
			s.sendFile(w, r, languageSource)
			return
		}
		s.sendFile(w, r, page)
	}))
	s.addFile(languagePath+".md", languageSource)
	s.addFile(languagePath+".css", newFile("text/css; charset=utf-8", fixed(languageStyle)))
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

// The page has a style sheet of its own, because tables without lines are hard to read.
// The policy refuses everything else.
const (
	languagePolicy = "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
	languageStyle  = `body { font-family: sans-serif; line-height: 1.5; margin: 2em auto; max-width: 60em; padding: 0 1em; }
table { border-collapse: collapse; display: block; overflow-x: auto; }
td, th { border: 1px solid #ccc; padding: 0.2em 0.6em; text-align: left; vertical-align: top; }
code { background: #f3f3f3; }
pre { background: #f3f3f3; overflow-x: auto; padding: 0.6em; }
`
)

// The page is the same for every handler.
var (
	languageSource = newFile("text/markdown; charset=utf-8", readLanguage)
	languagePage   = newFile("text/html; charset=utf-8", func() ([]byte, error) {
		source, err := readLanguage()
		if err != nil {
			return nil, err
		}
		page := bytes.NewBufferString(`<!DOCTYPE html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>The predicate language</title>
<link rel="stylesheet" href="predicates.css"></head>
<body>
`)
		markdown := goldmark.New(goldmark.WithExtensions(extension.Table), goldmark.WithParserOptions(parser.WithAutoHeadingID()))
		if err := markdown.Convert(source, page); err != nil {
			return nil, err
		}
		page.WriteString("</body>\n</html>\n")
		return page.Bytes(), nil
	})
)

func readLanguage() ([]byte, error) { return fs.ReadFile(rules.Pages(), "predicates.md") }
