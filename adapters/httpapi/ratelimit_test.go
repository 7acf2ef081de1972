package httpapi

import (
	"fmt"
	"testing"

	"github.com/problemtracking/problems/domain/access"
	"github.com/problemtracking/problems/domain/fault"
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
