package httpapi

import (
	"fmt"
	"math"
	"net/http"
	"strconv"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
)

// rates bounds how many requests each token makes (D22): a minute's worth at
// once, refilled steadily.
type rates struct {
	perMinute int // 0: no bound
	now       func() time.Time

	mu     sync.Mutex
	tokens map[ident.ID]*rate.Limiter // as many as tokens were used since the start: only valid ones get here
}

func newRates(perMinute int, now func() time.Time) *rates {
	return &rates{perMinute: perMinute, now: now, tokens: map[ident.ID]*rate.Limiter{}}
}

// take counts a request of the token and notes in the header what is left. It
// fails with fault.RateLimited when nothing was.
func (r *rates) take(token ident.ID, header http.Header) error {
	if r.perMinute == 0 {
		return nil
	}
	now := r.now()
	limiter := r.limiter(token)
	allowed := limiter.AllowN(now, 1)
	left := max(limiter.TokensAt(now), 0)
	perSecond := float64(limiter.Limit())
	untilFull := math.Ceil((float64(r.perMinute) - left) / perSecond)
	header.Set("RateLimit-Policy", fmt.Sprintf(`"token";q=%d;w=60`, r.perMinute))
	header.Set("RateLimit", fmt.Sprintf(`"token";r=%d;t=%.0f`, int(left), untilFull))
	if allowed {
		return nil
	}
	wait := max(math.Ceil((1-left)/perSecond), 1)
	header.Set("Retry-After", strconv.Itoa(int(wait)))
	return fault.New(fault.RateLimited, "a token may make %d requests per minute: try again in %.0f s", r.perMinute, wait)
}

func (r *rates) limiter(token ident.ID) *rate.Limiter {
	r.mu.Lock()
	defer r.mu.Unlock()
	limiter, ok := r.tokens[token]
	if !ok {
		limiter = rate.NewLimiter(rate.Limit(float64(r.perMinute)/60), r.perMinute)
		r.tokens[token] = limiter
	}
	return limiter
}
