package httpapi

import (
	"net/http"

	"github.com/problemtracking/problems/adapters/httpapi/internal/pages"
	"github.com/problemtracking/problems/adapters/httpframe"
	"github.com/problemtracking/problems/domain/fault"
)

// addErrorPages serves the list of all errors, and a page at the type of each (D18).
func (s *server) addErrorPages() {
	var all []pages.Error
	single := map[string]file{}
	for _, f := range httpframe.Failures() {
		e := pages.Error{Slug: f.Slug, Status: f.Status, Title: f.Title, Description: f.Description, Search: isOfSearch(f.Kind)}
		all = append(all, e)
		single[f.Slug] = newPage(func() ([]byte, error) { return s.site().Error(e) })
	}
	s.addPage(pages.ErrorsPath, func() ([]byte, error) { return s.site().Errors(all) })
	s.mux.HandleFunc("GET "+s.BasePath+pages.ErrorsPath+"/{slug}", s.public(func(w http.ResponseWriter, r *http.Request) {
		page, ok := single[r.PathValue("slug")]
		if !ok {
			s.fail(w, r, fault.New(fault.NotFound, "there is no error of this name"))
			return
		}
		s.sendFile(w, r, page)
	}))
}
