package main

import "net/http"

// contender is something that answers HTTP requests and is measured like the server.
type contender struct {
	name   string       // "problems memory", "bare handler, same bytes", …
	url    string       // http://127.0.0.1:port
	token  string       // the value of Authorization, if it wants one
	pids   []int        // the server's processes
	dbPIDs func() []int // those of its database; nil: it has none that can be seen
}

// recorded is an answer of the real server to GET of one problem with 10 log
// entries.
type recorded struct {
	status int
	header http.Header
	body   []byte
}
