package httpapi

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

// mostAddresses is how many addresses are kept, whatever comes: some 20 MB.
const mostAddresses = 1 << 16

// rates bounds how many requests each token makes, and each address without a valid
// token (D22). A request counts for one of the two.
type rates struct {
	tokens    *peer.Rates[ident.ID]     // nil: no bound. As many as tokens were used since the start: only valid ones get here
	addresses *peer.Rates[netip.Prefix] // nil: no bound
	trusted   peer.Networks             // have no bound of their own
}

func newRates(limits Limits, trusted peer.Networks, now func() time.Time) rates {
	r := rates{trusted: trusted}
	if limits.RatePerMinute > 0 {
		r.tokens = peer.NewRates[ident.ID](limits.RatePerMinute, math.MaxInt, now)
	}
	if limits.AddressRatePerMinute > 0 {
		r.addresses = peer.NewRates[netip.Prefix](limits.AddressRatePerMinute, mostAddresses, now)
	}
	return r
}

// take counts a request of the token and notes in the header what is left. It
// fails with fault.RateLimited when nothing was.
func (r rates) take(token ident.ID, header http.Header) error {
	if r.tokens == nil {
		return nil
	}
	quota := r.tokens.Take(token)
	note(header, "token", r.tokens.PerMinute(), quota)
	if quota.Allowed {
		return nil
	}
	return fault.New(fault.RateLimited, "a token may make %d requests per minute: try again in %d s", r.tokens.PerMinute(), quota.Wait)
}

// takeAddress counts a request without a valid token, for the address that it comes
// from, and notes in the header what is left. It fails with fault.RateLimited when
// nothing was.
func (r rates) takeAddress(req *http.Request, header http.Header) error {
	client, bound := r.client(req)
	if !bound {
		return nil
	}
	quota := r.addresses.Take(client)
	note(header, "address", r.addresses.PerMinute(), quota)
	if quota.Allowed {
		return nil
	}
	return fault.New(fault.RateLimited, "an address may make %d requests per minute without a valid token: try again in %d s", r.addresses.PerMinute(), quota.Wait)
}

// spent reports whether the next request without a valid token would be refused.
func (r rates) spent(req *http.Request) bool {
	client, bound := r.client(req)
	return bound && r.addresses.Spent(client)
}

// client returns for whom a request without a valid token counts. bound is false when
// it counts for nobody.
func (r rates) client(req *http.Request) (client netip.Prefix, bound bool) {
	if r.addresses == nil {
		return client, false
	}
	address := peer.Client(req.RemoteAddr, req.Header, r.trusted)
	return peer.Subnet(address), !r.trusted.Contain(address)
}

// note tells a client what it has left of its requests.
func note(header http.Header, policy string, perMinute int, quota peer.Quota) {
	header.Set("RateLimit-Policy", fmt.Sprintf(`"%s";q=%d;w=60`, policy, perMinute))
	header.Set("RateLimit", fmt.Sprintf(`"%s";r=%d;t=%d`, policy, quota.Left, quota.Full))
	if !quota.Allowed {
		header.Set("Retry-After", strconv.Itoa(quota.Wait))
	}
}

// public serves what needs no token. An address that has no request left gets it
// with a valid token only. OPTIONS costs nothing: browsers ask by themselves, once for
// each path.
func (s *server) public(next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		header := w.Header()
		if r.Method != http.MethodOptions {
			if err := s.rates.takeAddress(r, header); err != nil {
				if _, unknown := s.Service.Recognize(r.Context(), credential(r)); unknown != nil {
					s.fail(w, r, err)
					return
				}
				header.Del("RateLimit-Policy")
				header.Del("RateLimit")
				header.Del("Retry-After")
			}
		}
		next(w, r)
	}
}
