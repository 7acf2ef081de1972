package httpapi

import (
	"cmp"
	"encoding/json"
	"net/http"
	"sync"

	"github.com/problemtracking/problems/adapters/httpapi/internal/pages"
	"github.com/problemtracking/problems/adapters/httpapi/internal/site"
	"github.com/problemtracking/problems/adapters/httpframe"
)

// addDocs serves the OpenAPI document, and the pages about the API. The document is made at
// the first request for it or for its page: a start would take a tenth longer.
func (s *server) addDocs() {
	described := sync.OnceValues(s.document.complete)
	var all []pages.Error
	for _, f := range httpframe.Failures() {
		all = append(all, pages.Error{Slug: f.Slug, Status: f.Status, Title: f.Title, Description: f.Description, Search: isOfSearch(f.Kind)})
	}
	public := site.Site{
		Base:   s.BasePath,
		Handle: func(pattern string, next http.HandlerFunc) { s.mux.HandleFunc(pattern, s.public(next)) },
		Fail:   s.fail,
	}
	// Huma's own handler would render without a lock. Tests ensure that rendering succeeds.
	public.AddDocument(func() ([]byte, error) {
		d, err := described()
		if err != nil {
			return nil, err
		}
		return json.Marshal(d.OpenAPI)
	})
	public.AddReference(func() (pages.Reference, error) {
		d, err := described()
		if err != nil {
			return pages.Reference{}, err
		}
		shown := pages.Reference{OpenAPI: d.OpenAPI, Server: cmp.Or(s.Origin, "http://127.0.0.1:8080"), Asked: map[string][]string{}}
		for _, op := range d.operations {
			shown.Order = append(shown.Order, op.OperationID)
			shown.Asked[op.OperationID] = detailsOf(op).asked
		}
		return shown, nil
	})
	public.AddLanguage()
	public.AddErrors(all)
	public.AddIndex(s.BasePath + prefix)
}
