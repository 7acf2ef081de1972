package httpapi

import (
	"net/http"

	"github.com/swaggest/swgui/v5/static"
	"github.com/vearutop/statigz"
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

// addDocs serves the page about the API.
func (s *server) addDocs() {
	docs := s.BasePath + "/docs"
	s.mux.HandleFunc("GET "+docs, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Security-Policy", docsPolicy)
		sendPage(w, r, []byte(docsPage))
	})
	s.mux.HandleFunc("GET "+docs+"/init.js", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/javascript; charset=utf-8")
		send(w, r, http.StatusOK, []byte(docsScript))
	})
	assets := http.StripPrefix(docs, statigz.FileServer(static.FS))
	for _, name := range []string{"swagger-ui.css", "swagger-ui-bundle.js", "favicon-32x32.png"} {
		s.mux.Handle("GET "+docs+"/"+name, assets)
	}
}
