package web

import (
	"fmt"
	"io"
	"net/http"
	"testing"

	"github.com/problemtracking/problems/domain/patch"
	"github.com/problemtracking/problems/domain/tracker"
)

// ask gets a page in the content coding of browsers, without a look at it.
func (b *browser) ask(path string) {
	r, err := http.NewRequest("GET", b.site.URL+path, nil)
	if err != nil {
		b.t.Fatal(err)
	}
	r.Header.Set("Accept", "text/html")
	r.Header.Set("Accept-Encoding", "gzip")
	response, err := b.Do(r)
	if err != nil {
		b.t.Fatal(err)
	}
	if _, err := io.Copy(io.Discard, response.Body); err != nil || response.StatusCode != http.StatusOK {
		b.t.Fatalf("%s: %d, %v", path, response.StatusCode, err)
	}
	response.Body.Close()
}

// BenchmarkProblem loads a problem with 100 entries in its log, 30 of them comments.
func BenchmarkProblem(b *testing.B) {
	s := newSite(b)
	path := s.problem(b, "The lamp is dark")
	for i := range 99 {
		var err error
		if i%3 == 0 {
			_, err = s.service.AddComment(b.Context(), s.admin, 1, tracker.AddComment{Text: patch.Set(fmt.Sprintf("Comment **%d** about #1, of a usual length: some words more, and then the end.", i))})
		} else {
			_, err = s.service.SetKeyword(b.Context(), s.admin, 1, tracker.SetKeyword{Name: fmt.Sprint("keyword ", i)})
		}
		if err != nil {
			b.Fatal(err)
		}
	}
	page := s.signedIn(b)
	for b.Loop() {
		page.ask(path)
	}
}

// BenchmarkList loads the first 50 of 1,000 problems.
func BenchmarkList(b *testing.B) {
	s := newSite(b)
	for i := range 1000 {
		s.problem(b, fmt.Sprintf("Problem %d with a title of a usual length", i))
	}
	page := s.signedIn(b)
	for b.Loop() {
		page.ask("/problems?query=all")
	}
}
