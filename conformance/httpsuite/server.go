package httpsuite

import (
	"net/http"
	"sync/atomic"
	"time"

	"github.com/problemtracking/problems/conformance/internal/engine"
	"github.com/problemtracking/problems/conformance/report"
)

// mostOutage is how long a run waits at most for a server that is away.
const mostOutage = 20 * time.Second

// server is the server under test, as all cases of one run share it.
type server struct {
	baseURL string
	token   string // of the administrator
	wire    *http.Client
	limit   time.Duration // of a case

	losses  atomic.Int64 // how often the server was found gone
	outages patience     // with a server that is away
}

// newServer returns the server with this base URL and administrator's token. A case may
// take as long as the limit.
func newServer(baseURL, token string, limit time.Duration) *server {
	return &server{baseURL: baseURL, token: token, limit: limit, outages: patience{limit: mostOutage}, wire: &http.Client{
		Transport: &http.Transport{
			Proxy:               http.ProxyFromEnvironment,
			MaxIdleConnsPerHost: 64,
			DisableCompression:  true,
		},
		Timeout: time.Minute,
		CheckRedirect: func(*http.Request, []*http.Request) error {
			return http.ErrUseLastResponse
		},
	}}
}

// close closes the connections that no case uses.
func (v *server) close() { v.wire.CloseIdleConnections() }

// trial returns the T of a case.
func (v *server) trial(r *engine.Run, level report.Level) *trial {
	return &trial{
		Run: r, level: level, secrets: []string{v.token}, most: mostBody,
		limiters: patience{limit: v.limit / 2}, outages: &v.outages,
		losses: &v.losses, before: v.losses.Load(),
	}
}
