package site

import (
	"net/http"

	"github.com/problemtracking/problems/adapters/httpapi/internal/pages"
	"github.com/problemtracking/problems/domain/fault"
)

// AddErrors serves the list of all errors, and a page at the type of each (D18).
func (s Site) AddErrors(all []pages.Error) {
	single := map[string]file{}
	for _, e := range all {
		single[e.Slug] = newPage(func() ([]byte, error) { return s.pages().Error(e) })
	}
	s.addPage(pages.ErrorsPath, func() ([]byte, error) { return s.pages().Errors(all) })
	s.Handle("GET "+s.Base+pages.ErrorsPath+"/{slug}", func(w http.ResponseWriter, r *http.Request) {
		page, ok := single[r.PathValue("slug")]
		if !ok {
			s.Fail(w, r, fault.New(fault.NotFound, "there is no error of this name"))
			return
		}
		s.sendFile(w, r, page)
	})
}
