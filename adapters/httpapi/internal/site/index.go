package site

import (
	"encoding/json"
	"net/http"
	"strings"

	"github.com/danielgtaylor/huma/v2/negotiation"

	"github.com/problemtracking/problems/adapters/httpapi/internal/pages"
	"github.com/problemtracking/problems/adapters/httpframe"
)

// index has the links of the service, each as an absolute path.
type index struct {
	API           string `json:"api"`
	Documentation string `json:"documentation"`
	OpenAPI       string `json:"openapi"`
	Errors        string `json:"errors"`
	Healthz       string `json:"healthz"`
	Readyz        string `json:"readyz"`
}

// AddIndex serves the root: a page to browsers, and JSON to everybody else. The paths of the
// API begin with api.
func (s Site) AddIndex(api string) {
	at := index{
		API:           api,
		Documentation: s.Base + pages.ReferencePath,
		OpenAPI:       s.Base + pages.DocumentPath,
		Errors:        s.Base + pages.ErrorsPath,
		Healthz:       s.Base + "/healthz",
		Readyz:        s.Base + "/readyz",
	}
	page := newPage(func() ([]byte, error) { return s.pages().Index(at.API) })
	object, err := json.Marshal(at)
	if err != nil {
		panic(err)
	}
	object = append(object, '\n') // for readers at a terminal
	path := s.Base
	if path == "" {
		path = "/{$}"
	}
	s.Handle("GET "+path, func(w http.ResponseWriter, r *http.Request) {
		header := w.Header()
		header.Add("Vary", "Accept")
		if prefersPage(r.Header) {
			s.sendFile(w, r, page)
			return
		}
		header.Set("Content-Type", mediaJSON)
		httpframe.Send(w, r, http.StatusOK, object)
	})
}

const mediaJSON = "application/json"

// prefersPage reports whether a client wants HTML rather than JSON. Clients with "*/*"
// get JSON.
func prefersPage(header http.Header) bool {
	const page = "text/html"
	accept := strings.ToLower(strings.Join(header.Values("Accept"), ","))
	return negotiation.SelectQValue(accept, []string{mediaJSON, page}) == page
}
