package httpapi

import (
	"net/http"
	"slices"
)

// addHealth serves the paths that tell an operator's tools how the server is (D34).
// Whatever the base path, they are at the root too, because such tools ask the
// process, not its public address.
func (s *server) addHealth() {
	healthy := func(w http.ResponseWriter, r *http.Request) {
		header := w.Header()
		header.Set("Cache-Control", "no-store")
		header.Set("Content-Type", mediaJSON)
		sendLine(w, r, http.StatusOK, []byte(`{"status":"ok"}`))
	}
	// Anybody may ask, because all who ask cost the store one small write a second at
	// most.
	ready := func(w http.ResponseWriter, r *http.Request) {
		if err := s.Service.Ready(r.Context()); err != nil {
			s.fail(w, r, err)
			return
		}
		healthy(w, r)
	}
	for _, base := range slices.Compact([]string{"", s.BasePath}) {
		s.mux.HandleFunc("GET "+base+"/healthz", healthy)
		s.mux.HandleFunc("GET "+base+"/readyz", ready)
	}
}
