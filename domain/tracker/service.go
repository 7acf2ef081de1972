// Package tracker is the driving port of the service: its use cases. Whatever
// drives the service, an HTTP adapter or the command line, calls a Service.
package tracker
