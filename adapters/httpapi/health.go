package httpapi

import (
	"net/http"
	"slices"
)

// addHealth serves the health paths for an operator's tools (D34). They are always at the
// root too, with or without a base path: such tools ask the process, not its public
// address.
func (s *server) addHealth() {
	healthy := func(w http.ResponseWriter, r *http.Request) {
		header := w.Header()
		header.Set("Cache-Control", "no-store")
		header.Set("Content-Type", mediaJSON)
		sendLine(w, r, http.StatusOK, []byte(`{"status":"ok"}`))
	}
	// Public, because all checks together cost the store at most one small write a
	// second.
	ready := func(w http.ResponseWriter, r *http.Request) {
		var err error
		if s.Opened != nil {
			err = s.Opened(r.Context())
		}
		if err == nil {
			err = s.Service.Ready(r.Context())
		}
		if err != nil {
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
