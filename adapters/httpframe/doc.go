// Package httpframe holds the common parts of all HTTP adapters of the service: the frame
// around a request, its guards, its limits, and the errors of clients.
//
// The parts do not depend on the form of the answers: JSON, HTML or another one.
package httpframe
