package httpapi

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/problemtracking/problems/adapters/httpapi/internal/pages"
	"github.com/problemtracking/problems/adapters/httpframe"
)

// addDocs serves the page about the API, that about predicates, and the files of all pages.
func (s *server) addDocs(d *document) {
	shown := pages.Reference{OpenAPI: d.OpenAPI, Server: cmp.Or(s.Origin, "http://127.0.0.1:8080"), Asked: map[string][]string{}}
	for _, e := range endpoints() {
		shown.Order = append(shown.Order, e.id)
		shown.Asked[e.id] = e.asked
	}
	s.addPage(pages.ReferencePath, func() ([]byte, error) { return s.site().Reference(shown) })
	s.addLanguage()
	s.addFile(pages.StylePath, newFile("text/css; charset=utf-8", fixed(pages.Style())))
	s.addFile(pages.IconPath, newFile("image/svg+xml", fixed(pages.Icon())))
}

// site makes the pages.
func (s *server) site() pages.Site { return pages.Site{Base: s.BasePath} }

// newPage returns a page of the package pages.
func newPage(make func() ([]byte, error)) file {
	page := newFile("text/html; charset=utf-8", make)
	page.policy = pages.Policy
	return page
}

// addPage serves a page of the package pages.
func (s *server) addPage(path string, make func() ([]byte, error)) { s.addFile(path, newPage(make)) }

// file is static content: the same for every client while the program runs.
type file struct {
	media  string
	policy string // its Content-Security-Policy; empty: the policy of all answers
	load   func() (loadedFile, error)
}

// loadedFile is the content of a file, with its entity tag.
type loadedFile struct {
	content []byte
	tag     string
	// zipped returns the content in the coding gzip, made at the first call. nil: it would be
	// no shorter.
	zipped func() []byte
	zipTag string
}

// newFile returns a file with its content loaded at first use.
func newFile(media string, load func() ([]byte, error)) file {
	return file{media: media, load: sync.OnceValues(func() (loadedFile, error) {
		content, err := load()
		if err != nil {
			return loadedFile{}, fmt.Errorf("httpapi: %w", err)
		}
		sum := sha256.Sum256(content)
		name := hex.EncodeToString(sum[:16])
		return loadedFile{content: content, tag: `"` + name + `"`, zipTag: `"` + name + `-gzip"`, zipped: sync.OnceValue(func() []byte {
			if zipped := httpframe.Gzip(content); len(zipped) < len(content) {
				return zipped
			}
			return nil
		})}, nil
	})}
}

// fixed returns a loader for a text in memory.
func fixed(text string) func() ([]byte, error) {
	return func() ([]byte, error) { return []byte(text), nil }
}

// addFile serves a file. Clients with a current copy get 304.
func (s *server) addFile(path string, f file) {
	s.mux.HandleFunc("GET "+s.BasePath+path, s.public(func(w http.ResponseWriter, r *http.Request) { s.sendFile(w, r, f) }))
}

// sendFile answers with a file, or with 304 to a client with the same file.
func (s *server) sendFile(w http.ResponseWriter, r *http.Request, f file) {
	loaded, err := f.load()
	if err != nil {
		s.fail(w, r, err)
		return
	}
	header := w.Header()
	header.Set("Content-Type", f.media)
	header.Add("Vary", "Accept-Encoding")
	if httpframe.AcceptsGzip(r.Header) {
		if zipped := loaded.zipped(); zipped != nil {
			header.Set("Content-Encoding", "gzip")
			loaded.content, loaded.tag = zipped, loaded.zipTag
		}
	}
	header.Set("ETag", loaded.tag)
	header.Set("Cache-Control", "no-cache")
	if f.policy != "" {
		header.Set("Content-Security-Policy", f.policy)
	}
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(loaded.content))
}
