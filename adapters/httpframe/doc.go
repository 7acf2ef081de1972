// Package httpframe holds the common parts of all HTTP adapters of the service: the frame
// around a request, its guards, its limits, and the errors of clients.
//
// These parts do not depend on the form of the answers: JSON, HTML or another one. Only
// package look is about HTML.
package httpframe
