package site

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/problemtracking/problems/adapters/httpframe"
)

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
func (s Site) addFile(path string, f file) {
	s.Handle("GET "+s.Base+path, func(w http.ResponseWriter, r *http.Request) { s.sendFile(w, r, f) })
}

// sendFile answers with a file, or with 304 to a client with the same file.
func (s Site) sendFile(w http.ResponseWriter, r *http.Request, f file) {
	loaded, err := f.load()
	if err != nil {
		s.Fail(w, r, err)
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
