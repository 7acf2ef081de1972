// Package web serves the client application to people at a browser.
//
// It is a driving adapter beside httpapi. It calls the use cases, and never the HTTP
// API. Every page works without JavaScript.
package web
