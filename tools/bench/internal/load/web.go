package load

import (
	"net/url"
	"strconv"

	"github.com/problemtracking/problems/conformance/dataset"
)

// webProblem shows a problem with a hundred log entries, as a person opens it.
func webProblem(w *worker) error {
	return w.show("/problems/", w.scene.hundreds[w.IntN(len(w.scene.hundreds))])
}

// webOpen shows the first page of the list, as it is after signing in: all open problems,
// the latest change first.
func webOpen(w *worker) error { return w.show("/problems", 0) }

// webMine shows the first page of the problems assigned to the reader.
func webMine(w *worker) error { return w.show("/problems?query=mine", 0) }

// show asks for a page of the client application as a browser does, on behalf of the user
// with the most problems. The first request of a connection signs in.
func (w *worker) show(path string, problem int64) error {
	if len(w.cookie) == 0 {
		if err := w.signIn(); err != nil {
			return err
		}
	}
	w.path = append(w.path[:0], path...)
	if problem != 0 {
		w.path = strconv.AppendInt(w.path, problem, 10)
	}
	return w.askAs("", "GET", "", nil, 200)
}

// signIn begins a session of the client application with a token.
func (w *worker) signIn() error {
	w.path = append(w.path[:0], "/sign-in"...)
	form := url.Values{"token": {w.scene.tokens[dataset.Busiest]}}.Encode()
	return w.askAs("", "POST", asForm, []byte(form), 303)
}
