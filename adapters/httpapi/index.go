package httpapi

import (
	"bytes"
	"encoding/json"
	"html/template"
	"net/http"
	"strings"

	"github.com/danielgtaylor/huma/v2/negotiation"
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

// indexPage is the index for browsers.
var indexPage = template.Must(template.New("").Parse(`<!DOCTYPE html>
<html lang="en">
<head><meta charset="utf-8"><title>Problem Tracking Service</title></head>
<body>
<h1>Problem Tracking Service</h1>
<p>The API is below {{.API}}. Every request to it carries a token in the header Authorization.</p>
<ul>
<li><a href="{{.Documentation}}">Documentation</a></li>
<li><a href="{{.OpenAPI}}">OpenAPI document</a></li>
<li><a href="{{.Errors}}">Errors</a></li>
<li><a href="{{.Readyz}}">Whether the service is ready</a></li>
</ul>
</body>
</html>
`))

// addIndex serves the root: a page to browsers, and JSON to everybody else.
func (s *server) addIndex() {
	at := index{
		API:           s.BasePath + prefix,
		Documentation: s.BasePath + "/docs",
		OpenAPI:       s.BasePath + "/openapi.json",
		Errors:        s.BasePath + "/errors",
		Healthz:       s.BasePath + "/healthz",
		Readyz:        s.BasePath + "/readyz",
	}
	var page bytes.Buffer
	if err := indexPage.Execute(&page, at); err != nil {
		panic(err) // template and data are constant
	}
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
			sendPage(w, r, page.Bytes())
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
