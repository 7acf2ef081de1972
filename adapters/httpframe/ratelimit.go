package httpframe

import (
	"fmt"
	"math"
	"net/http"
	"net/netip"
	"strconv"
	"time"

	"github.com/problemtracking/problems/adapters/httpframe/peer"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
)

// maxAddresses is how many addresses the table has at most: some 20 MB.
const maxAddresses = 1 << 16

// RateLimits bound how many requests each token or session makes, and each address without
// a valid one (D22). A request counts for one of the two.
type RateLimits struct {
	noun      string                    // "token" or "session", for the texts
	callers   *peer.Rates[ident.ID]     // nil: no bound. As many as tokens were used since the start: only valid ones get here
	addresses *peer.Rates[netip.Prefix] // nil: no bound
	trusted   peer.Proxies              // have no bound of their own
}

// NewRateLimits returns limits of so many requests per minute: for each caller, and for
// each address without one. noun says by what a caller is known: a "token" or a "session".
// 0 stands for any number. Trusted networks have no limit of their own.
func NewRateLimits(noun string, perCaller, perAddress int, trusted peer.Proxies, now func() time.Time) *RateLimits {
	r := &RateLimits{noun: noun, trusted: trusted}
	if perCaller > 0 {
		r.callers = peer.NewRates[ident.ID](perCaller, math.MaxInt, now)
	}
	if perAddress > 0 {
		r.addresses = peer.NewRates[netip.Prefix](perAddress, maxAddresses, now)
	}
	return r
}

// TakeCaller counts a request of a token or a session, and notes the rest in the header. It
// fails with fault.RateLimited when nothing was left.
func (r *RateLimits) TakeCaller(caller ident.ID, header http.Header) error {
	if r.callers == nil {
		return nil
	}
	quota := r.callers.Take(caller)
	note(header, r.noun, r.callers.PerMinute(), quota)
	if quota.Allowed {
		return nil
	}
	return fault.New(fault.RateLimited, "a %s may make %d requests per minute: try again in %d s", r.noun, r.callers.PerMinute(), quota.Wait)
}

// TakeAddress counts a request without a valid caller, for the address of its client,
// and notes the rest in the header. It fails with fault.RateLimited when nothing
// was left.
func (r *RateLimits) TakeAddress(req *http.Request, header http.Header) error {
	client, bound := r.client(req)
	if !bound {
		return nil
	}
	quota := r.addresses.Take(client)
	note(header, "address", r.addresses.PerMinute(), quota)
	if quota.Allowed {
		return nil
	}
	return fault.New(fault.RateLimited, "an address may make %d requests per minute without a valid %s: try again in %d s", r.addresses.PerMinute(), r.noun, quota.Wait)
}

// Spent reports whether the next request without a valid caller would be refused.
func (r *RateLimits) Spent(req *http.Request) bool {
	client, bound := r.client(req)
	return bound && r.addresses.Spent(client)
}

// client returns the client to be charged for a request without a valid caller. bound is
// false when there is none.
func (r *RateLimits) client(req *http.Request) (client netip.Prefix, bound bool) {
	if r.addresses == nil {
		return client, false
	}
	address := peer.Client(req.RemoteAddr, req.Header, r.trusted)
	return peer.Subnet(address), !r.trusted.Contain(address)
}

// note tells a client how many requests it has left.
func note(header http.Header, policy string, perMinute int, quota peer.Quota) {
	header.Set("RateLimit-Policy", fmt.Sprintf(`"%s";q=%d;w=60`, policy, perMinute))
	header.Set("RateLimit", fmt.Sprintf(`"%s";r=%d;t=%d`, policy, quota.Left, quota.Full))
	if !quota.Allowed {
		header.Set("Retry-After", strconv.Itoa(quota.Wait))
	}
}

// Public returns a handler of a path without need of a token. When an address has no
// request left, it gets an answer only with a valid token, as known reports. OPTIONS costs
// nothing: browsers ask by themselves, once for each path. fail answers a refused request.
func (r *RateLimits) Public(next http.HandlerFunc, known func(*http.Request) bool, fail func(http.ResponseWriter, *http.Request, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, req *http.Request) {
		header := w.Header()
		if req.Method != http.MethodOptions {
			if err := r.TakeAddress(req, header); err != nil {
				if !known(req) {
					fail(w, req, err)
					return
				}
				header.Del("RateLimit-Policy")
				header.Del("RateLimit")
				header.Del("Retry-After")
			}
		}
		next(w, req)
	}
}
