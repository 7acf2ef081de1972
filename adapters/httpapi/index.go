package httpapi

import (
	"encoding/json"
	"net/http"
	"strings"

	"github.com/danielgtaylor/huma/v2/negotiation"

	"github.com/problemtracking/problems/adapters/httpapi/internal/pages"
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

// addIndex serves the root: a page to browsers, and JSON to everybody else.
func (s *server) addIndex() {
	at := index{
		API:           s.BasePath + prefix,
		Documentation: s.BasePath + pages.ReferencePath,
		OpenAPI:       s.BasePath + pages.DocumentPath,
		Errors:        s.BasePath + pages.ErrorsPath,
		Healthz:       s.BasePath + "/healthz",
		Readyz:        s.BasePath + "/readyz",
	}
	page := newPage(func() ([]byte, error) { return s.site().Index(at.API) })
	object, err := json.Marshal(at)
	if err != nil {
		panic(err)
	}
	path := s.BasePath
	if path == "" {
		path = "/{$}"
	}
	s.mux.HandleFunc("GET "+path, s.public(func(w http.ResponseWriter, r *http.Request) {
		header := w.Header()
		header.Add("Vary", "Accept")
		if prefersPage(r.Header) {
			s.sendFile(w, r, page)
			return
		}
		header.Set("Content-Type", mediaJSON)
		sendLine(w, r, http.StatusOK, object)
	}))
}

// prefersPage reports whether a client wants HTML rather than JSON. Clients with "*/*"
// get JSON.
func prefersPage(header http.Header) bool {
	const page = "text/html"
	accept := strings.ToLower(strings.Join(header.Values("Accept"), ","))
	return negotiation.SelectQValue(accept, []string{mediaJSON, page}) == page
}
