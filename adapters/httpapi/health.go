package httpapi

import (
	"net/http"

	"github.com/problemtracking/problems/domain/fault"
)

// addHealth serves the paths that tell an operator's tools how the server is (D34).
// They are at the root whatever the base path, because such tools ask the process,
// not its public address.
func (s *server) addHealth() {
	healthy := func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Cache-Control", "no-store")
		sendJSON(w, r, http.StatusOK, mediaJSON, []byte(`{"status":"ok"}`))
	}
	s.mux.HandleFunc("GET /healthz", healthy)
	s.mux.HandleFunc("GET /readyz", func(w http.ResponseWriter, r *http.Request) {
		if err := s.Service.Ready(r.Context()); err != nil {
			s.fail(w, r, fault.Wrap(fault.Unavailable, err, "the store does not answer"))
			return
		}
		healthy(w, r)
	})
}
