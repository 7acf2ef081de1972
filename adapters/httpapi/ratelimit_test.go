package httpapi

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/problemtracking/problems/adapters/httpapi/internal/samples"
	"github.com/problemtracking/problems/adapters/httpframe"
	"github.com/problemtracking/problems/adapters/httpframe/peer"
	"github.com/problemtracking/problems/domain/access"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/store"
	"github.com/problemtracking/problems/domain/tracker"
	"github.com/problemtracking/problems/domain/tracker/usecases"
)

func TestRateLimit(t *testing.T) {
	t.Parallel()
	f := setup(t, func(o *Options) { o.Limits.RatePerMinute = 2 })
	for left := 1; left >= 0; left-- {
		w := f.send(t, request("GET", api+"/me", ""), 200, "")
		header(t, w, map[string]string{"RateLimit-Policy": `"token";q=2;w=60`, "RateLimit": fmt.Sprintf(`"token";r=%d;t=%d`, left, 60-30*left)})
	}
	w := f.send(t, request("GET", api+"/me", ""), 429, fault.RateLimited)
	header(t, w, map[string]string{"Retry-After": "30", "RateLimit": `"token";r=0;t=60`})
	f.send(t, request("GET", api+"/me", "", "Authorization", secretOf(access.Read).Reveal()), 200, "") // has its own
	f.send(t, request("GET", api+"/me", "", "Authorization", "x"), 401, fault.Unauthenticated)
}

// from returns the request as it comes from an address, with the given header
// X-Forwarded-For unless that is empty.
func from(r *http.Request, remote, forwarded string) *http.Request {
	r.RemoteAddr = remote
	if forwarded != "" {
		r.Header.Set("X-Forwarded-For", forwarded)
	}
	return r
}

// An address without a valid token is bounded, and nobody else suffers from it: not
// another address, and not a valid token of the same address.
func TestAddressRateLimit(t *testing.T) {
	t.Parallel()
	const flooding = "192.0.2.1:4711"
	unknown := access.NewSecret([32]byte{9}).Reveal()
	for name, wrong := range map[string]string{"no token": "", "no form of a token": "x", "an unknown token": unknown} {
		f := setup(t, func(o *Options) { o.Limits.AddressRatePerMinute = 3 })
		flood := func() *http.Request { return from(request("GET", api+"/me", "", "Authorization", wrong), flooding, "") }
		for left := 2; left >= 0; left-- {
			w := f.send(t, flood(), 401, fault.Unauthenticated)
			header(t, w, map[string]string{"RateLimit-Policy": `"address";q=3;w=60`, "RateLimit": fmt.Sprintf(`"address";r=%d;t=%d`, left, 60-20*left), "Retry-After": ""})
		}
		for range 5 {
			w := f.send(t, flood(), 429, fault.RateLimited)
			header(t, w, map[string]string{"RateLimit": `"address";r=0;t=60`, "Retry-After": "20", "WWW-Authenticate": ""})
			if !strings.Contains(w.Body.String(), "3 requests per minute without a valid token") {
				t.Errorf("%s: the refusal does not say why: %s", name, w.Body)
			}
			w = f.send(t, from(request("GET", api+"/me", ""), flooding, ""), 200, "")
			header(t, w, map[string]string{"RateLimit": ""})
		}
		for _, path := range []string{"/docs", "/openapi.json", "/errors", "/errors/forbidden", "/nothing", "//", api + "/problems/12/keywords", api + "/tokens/search"} {
			f.send(t, from(request("GET", path, "", "Authorization", wrong), flooding, ""), 429, fault.RateLimited)
			if w := f.do(from(request("GET", path, ""), flooding, "")); w.Code == 429 || w.Header().Get("Retry-After")+w.Header().Get("RateLimit") != "" {
				t.Errorf("%s with a valid token: %d, %v", path, w.Code, w.Header())
			}
		}
		for _, path := range []string{"/healthz", "/readyz"} {
			f.send(t, from(request("GET", path, "", "Authorization", wrong), flooding, ""), 200, "")
		}
		f.send(t, from(request("OPTIONS", api+"/me", "", "Authorization", wrong), flooding, ""), 204, "")
		f.send(t, from(request("GET", api+"/me", "", "Authorization", wrong), "192.0.2.2:4711", ""), 401, fault.Unauthenticated)
	}
}

// asked counts how often a store is asked for its versions.
type asked struct {
	store.Store
	times int
}

func (a *asked) Versions(ctx context.Context) (store.Versions, error) {
	a.times++
	return a.Store.Versions(ctx)
}

// The store has no work with a flood of unknown tokens, once it is refused.
func TestFloodDoesNotReachTheStore(t *testing.T) {
	t.Parallel()
	counted := &asked{Store: newFixedStore()}
	f := setup(t, func(o *Options) {
		o.Limits.AddressRatePerMinute = 5
		o.Service = usecases.New(tracker.Options{Store: counted, Now: o.Now, Random: zeros{}, Limits: tracker.DefaultLimits()}, nil)
	})
	flood := func(n byte, status int, kind fault.Kind) {
		t.Helper()
		f.send(t, request("GET", api+"/me", "", "Authorization", access.NewSecret([32]byte{9, n}).Reveal()), status, kind)
	}
	for n := range byte(5) {
		flood(n, 401, fault.Unauthenticated)
	}
	before := counted.times
	if before < 5 {
		t.Errorf("the store was asked %d times about 5 unknown tokens", before)
	}
	for n := range byte(50) {
		flood(n, 429, fault.RateLimited)
	}
	if counted.times != before {
		t.Errorf("the store was asked %d times about tokens that are refused", counted.times-before)
	}
}

// Requests with a valid token do not count for their address.
func TestValidTokensDoNotCount(t *testing.T) {
	t.Parallel()
	f := setup(t, func(o *Options) { o.Limits.AddressRatePerMinute = 1 })
	for range 20 {
		f.send(t, request("GET", api+"/me", ""), 200, "")
		f.send(t, request("POST", api+"/users", "{}", "Authorization", secretOf(access.Read).Reveal()), 403, fault.Forbidden)
	}
	f.send(t, request("GET", api+"/me", "", "Authorization", "x"), 401, fault.Unauthenticated)
	f.send(t, request("GET", api+"/me", "", "Authorization", "x"), 429, fault.RateLimited)
}

// The address is that of the client, as far as trusted proxies say.
func TestAddressBehindProxies(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		rule           string
		first, second  [2]string // where from, and X-Forwarded-For
		countsTogether bool
	}{
		{"the same address", [2]string{"192.0.2.1:1", ""}, [2]string{"192.0.2.1:2", ""}, true},
		{"a claim that nobody has to believe", [2]string{"192.0.2.1:1", "198.51.100.1"}, [2]string{"192.0.2.1:1", "198.51.100.2"}, true},
		{"two clients of a proxy", [2]string{"10.0.0.1:1", "198.51.100.1"}, [2]string{"10.0.0.1:1", "198.51.100.2"}, false},
		{"one client of two proxies", [2]string{"10.0.0.1:1", "198.51.100.1"}, [2]string{"10.0.0.2:1", "198.51.100.1"}, true},
		{"a client that invents another one before it", [2]string{"10.0.0.1:1", "1.1.1.1, 198.51.100.1"}, [2]string{"10.0.0.1:1", "2.2.2.2, 198.51.100.1"}, true},
		{"a proxy that names nobody", [2]string{"10.0.0.1:1", ""}, [2]string{"10.0.0.1:1", ""}, false},
		{"one /64", [2]string{"[2001:db8::1]:1", ""}, [2]string{"[2001:db8::ffff:1]:1", ""}, true},
		{"two /64", [2]string{"[2001:db8::1]:1", ""}, [2]string{"[2001:db8:0:1::1]:1", ""}, false},
		{"no address", [2]string{"@", ""}, [2]string{"", ""}, true},
	} {
		f := setup(t, func(o *Options) {
			o.Limits.AddressRatePerMinute = 1
			if err := o.TrustedProxies.UnmarshalText([]byte("10.0.0.0/8")); err != nil {
				t.Fatal(err)
			}
		})
		f.send(t, from(request("GET", api+"/me", "", "Authorization", ""), c.first[0], c.first[1]), 401, fault.Unauthenticated)
		status, kind := 401, fault.Unauthenticated
		if c.countsTogether {
			status, kind = 429, fault.RateLimited
		}
		t.Log(c.rule)
		f.send(t, from(request("GET", api+"/me", "", "Authorization", ""), c.second[0], c.second[1]), status, kind)
	}
}

// What is left comes back, as the clock has it.
func TestAddressRateComesBack(t *testing.T) {
	t.Parallel()
	now := samples.Time
	r := httpframe.NewRateLimits("token", 0, 2, peer.Proxies{}, func() time.Time { return now })
	q := httptest.NewRequest("GET", "/", nil)
	take := func() error { return r.TakeAddress(q, http.Header{}) }
	for _, want := range []bool{true, true, false} {
		if spent := r.Spent(q); spent == want {
			t.Errorf("spent is %t", spent)
		}
		if err := take(); (err == nil) != want {
			t.Errorf("a request gets %v; taken should be %t", err, want)
		}
	}
	now = now.Add(30 * time.Second)
	if err := take(); err != nil || !r.Spent(q) {
		t.Errorf("after half a minute one request is there again: %v", err)
	}
}
