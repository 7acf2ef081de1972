package load

import "net/http"

// Contender answers HTTP requests and is measured like the server.
type Contender struct {
	Name         string       // "problems memory", "bare handler, same bytes", …
	URL          string       // http://127.0.0.1:port
	Token        string       // the value of Authorization, if it wants one
	PIDs         []int        // the server's processes
	DatabasePIDs func() []int // of its database; nil: none is visible
}

// Recorded is an answer of the real server to GET of one problem with 10 log
// entries.
type Recorded struct {
	Status int
	Header http.Header
	Body   []byte
}
