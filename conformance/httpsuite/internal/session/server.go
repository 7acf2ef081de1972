package session

import (
	"net/http"
	"sync/atomic"
	"time"

	"github.com/problemtracking/problems/conformance/internal/engine"
	"github.com/problemtracking/problems/conformance/report"
)

// mostOutage is the longest time that a run waits for a server, in all.
const mostOutage = 20 * time.Second

// Server is the server under test, as all cases of one run share it.
type Server struct {
	BaseURL string
	token   string // of the administrator
	Wire    *http.Client
	limit   time.Duration // of a case

	losses  atomic.Int64 // the number of times that the server was away
	outages patience     // with a server that is away
}

// NewServer returns the server with this base URL and administrator's token. A case may
// take as long as the limit.
func NewServer(baseURL, token string, limit time.Duration) *Server {
	return &Server{BaseURL: baseURL, token: token, limit: limit, outages: patience{limit: mostOutage}, Wire: &http.Client{
		Transport: &http.Transport{
			Proxy:               http.ProxyFromEnvironment,
			MaxIdleConnsPerHost: 64,
			DisableCompression:  true,
		},
		Timeout: 2 * time.Minute, // a busy machine takes up to one for a problem of 64 MB
		CheckRedirect: func(*http.Request, []*http.Request) error {
			return http.ErrUseLastResponse
		},
	}}
}

// Close closes the connections that no case uses.
func (v *Server) Close() { v.Wire.CloseIdleConnections() }

// Trial returns the T of a case.
func (v *Server) Trial(r *engine.Run, level report.Level) *Trial {
	return &Trial{
		Run: r, level: level, secrets: []string{v.token}, Most: mostBody,
		limiters: patience{limit: v.limit / 2}, outages: &v.outages,
		Losses: &v.losses, before: v.losses.Load(),
	}
}
