package site

import (
	"net/http"

	"github.com/problemtracking/problems/adapters/httpapi/internal/pages"
)

// Site serves pages and files to clients without a token. All members have to be given.
type Site struct {
	// Base is the path before all others, such as "/tracker".
	Base string
	// Handle registers a handler for a pattern of http.ServeMux.
	Handle func(pattern string, handler http.HandlerFunc)
	// Fail answers with an error.
	Fail func(http.ResponseWriter, *http.Request, error)
}

// AddDocument serves the OpenAPI document. It renders the document at the first request,
// because that takes as long as the rest of a start.
func (s Site) AddDocument(render func() ([]byte, error)) {
	s.addFile(pages.DocumentPath, newFile("application/openapi+json", render))
}

// AddReference serves the page about the API, and the files of all pages. It asks for what
// the page shows at the first request.
func (s Site) AddReference(shown func() (pages.Reference, error)) {
	s.addPage(pages.ReferencePath, func() ([]byte, error) {
		reference, err := shown()
		if err != nil {
			return nil, err
		}
		return s.pages().Reference(reference)
	})
	s.addFile(pages.StylePath, newFile("text/css; charset=utf-8", fixed(pages.Style())))
	s.addFile(pages.IconPath, newFile("image/svg+xml", fixed(pages.Icon())))
}

// pages makes the pages.
func (s Site) pages() pages.Site { return pages.Site{Base: s.Base} }

// newPage returns a page of the package pages.
func newPage(make func() ([]byte, error)) file {
	page := newFile("text/html; charset=utf-8", make)
	page.policy = pages.Policy
	return page
}

// addPage serves a page of the package pages.
func (s Site) addPage(path string, make func() ([]byte, error)) { s.addFile(path, newPage(make)) }
