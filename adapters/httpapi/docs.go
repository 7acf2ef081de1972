package httpapi

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"sync"
	"time"

	"github.com/swaggest/swgui/v5/static"

	"github.com/problemtracking/problems/adapters/httpframe"
)

// docsPage shows the OpenAPI document with Swagger UI. It loads everything from this
// server, so it works without the internet. Its script is a file of its own, so the
// policy below can refuse all others. Swagger UI sets styles inline, and has images in
// its style sheet.
const (
	docsPage = `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>Problem Tracking Service</title>
<link rel="stylesheet" href="docs/swagger-ui.css">
<link rel="icon" type="image/png" href="docs/favicon-32x32.png">
</head>
<body>
<div id="swagger-ui"></div>
<script src="docs/swagger-ui-bundle.js"></script>
<script src="docs/init.js"></script>
</body>
</html>
`
	docsScript = `"use strict";
SwaggerUIBundle({url: "openapi.json", dom_id: "#swagger-ui", deepLinking: true, validatorUrl: null});
`
	docsPolicy = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; " +
		"base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)

// addDocs serves the page about the API and its files.
func (s *server) addDocs() {
	page := newFile("text/html; charset=utf-8", fixed(docsPage))
	page.policy = docsPolicy
	s.addFile("/docs", page)
	s.addLanguage()
	s.addFile("/docs/init.js", newFile("text/javascript; charset=utf-8", fixed(docsScript)))
	s.addFile("/docs/favicon-32x32.png", favicon)
	s.addFile("/docs/swagger-ui.css", swaggerStyle)
	s.addFile("/docs/swagger-ui-bundle.js", swaggerScript)
}

// The files of Swagger UI are the same for every handler, and unpacked at the first
// request.
var (
	favicon       = newFile("image/png", func() ([]byte, error) { return fs.ReadFile(static.FS, "favicon-32x32.png") })
	swaggerStyle  = newFile("text/css; charset=utf-8", packed("swagger-ui.css.gz"))
	swaggerScript = newFile("text/javascript; charset=utf-8", packed("swagger-ui-bundle.js.gz"))
)

// packed returns a loader for a file embedded in compressed form.
func packed(name string) func() ([]byte, error) {
	return func() ([]byte, error) {
		f, err := static.FS.Open(name)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		r, err := gzip.NewReader(f)
		if err != nil {
			return nil, err
		}
		return io.ReadAll(r)
	}
}

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
