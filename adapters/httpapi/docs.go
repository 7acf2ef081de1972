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
)

// docsPage shows the OpenAPI document with Swagger UI. Everything it loads comes
// from this server, so that it works without the internet; its script is a file of
// its own, so that the policy below can refuse all others. Swagger UI sets styles
// inline, and has images in its style sheet.
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

// addDocs serves the page about the API, with all that it loads.
func (s *server) addDocs() error {
	assets, err := docsAssets()
	if err != nil {
		return err
	}
	for path, f := range assets {
		s.addFile(path, f)
	}
	return nil
}

// docsAssets returns the files of the page by path. They are the same for every
// handler, and too long to unpack for each.
var docsAssets = sync.OnceValues(func() (map[string]file, error) {
	page := newFile("text/html; charset=utf-8", []byte(docsPage))
	page.policy = docsPolicy
	files := map[string]file{
		"/docs":         page,
		"/docs/init.js": newFile("text/javascript; charset=utf-8", []byte(docsScript)),
	}
	icon, err := fs.ReadFile(static.FS, "favicon-32x32.png")
	if err != nil {
		return nil, fmt.Errorf("httpapi: %w", err)
	}
	files["/docs/favicon-32x32.png"] = newFile("image/png", icon)
	for name, media := range map[string]string{
		"swagger-ui.css":       "text/css; charset=utf-8",
		"swagger-ui-bundle.js": "text/javascript; charset=utf-8",
	} {
		content, err := unpack(name + ".gz")
		if err != nil {
			return nil, fmt.Errorf("httpapi: %s: %w", name, err)
		}
		files["/docs/"+name] = newFile(media, content)
	}
	return files, nil
})

// unpack reads a file of Swagger UI, which are embedded compressed.
func unpack(name string) ([]byte, error) {
	packed, err := static.FS.Open(name)
	if err != nil {
		return nil, err
	}
	defer packed.Close()
	r, err := gzip.NewReader(packed)
	if err != nil {
		return nil, err
	}
	return io.ReadAll(r)
}

// file is something that is the same for everybody, as long as the program is.
type file struct {
	media   string
	content []byte
	tag     string // its entity tag
	policy  string // its Content-Security-Policy; empty: that of all answers
}

func newFile(media string, content []byte) file {
	sum := sha256.Sum256(content)
	return file{media: media, content: content, tag: `"` + hex.EncodeToString(sum[:16]) + `"`}
}

// addFile serves a file, to those who have it already with 304.
func (s *server) addFile(path string, f file) {
	s.mux.HandleFunc("GET "+s.BasePath+path, func(w http.ResponseWriter, r *http.Request) {
		header := w.Header()
		header.Set("Content-Type", f.media)
		header.Set("ETag", f.tag)
		header.Set("Cache-Control", "no-cache")
		if f.policy != "" {
			header.Set("Content-Security-Policy", f.policy)
		}
		http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(f.content))
	})
}
