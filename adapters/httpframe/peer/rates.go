package peer

import (
	"container/list"
	"math"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// Rates bounds how many requests each client makes: a minute's worth at once,
// refilled steadily. It can be used by several goroutines.
type Rates[K comparable] struct {
	perMinute int
	most      int
	now       func() time.Time

	mu       sync.Mutex
	limiters map[K]*list.Element // of *entry[K]
	used     *list.List          // the least recently used last
}

type entry[K comparable] struct {
	client  K
	limiter *rate.Limiter
}

// Quota is the rest of the requests of a client.
type Quota struct {
	// Allowed is false when nothing was left for the request.
	Allowed bool
	// Left is how many requests the client can make at once.
	Left int
	// Full is in how many seconds the client has all of them again, and Wait in how
	// many it can make the next one, at least 1.
	Full, Wait int
}

// NewRates returns Rates of perMinute requests, at least 1. It keeps the given number
// of clients at most, and forgets the longest absent first.
func NewRates[K comparable](perMinute, most int, now func() time.Time) *Rates[K] {
	return &Rates[K]{perMinute: perMinute, most: most, now: now, limiters: map[K]*list.Element{}, used: list.New()}
}

// PerMinute returns how many requests a client can make in a minute.
func (r *Rates[K]) PerMinute() int { return r.perMinute }

// Take counts a request of a client and returns the rest.
func (r *Rates[K]) Take(client K) Quota {
	now, limiter := r.now(), r.limiter(client)
	allowed := limiter.AllowN(now, 1)
	left := max(limiter.TokensAt(now), 0)
	perSecond := float64(limiter.Limit())
	return Quota{
		Allowed: allowed,
		Left:    int(left),
		Full:    int(math.Ceil((float64(r.perMinute) - left) / perSecond)),
		Wait:    int(max(math.Ceil((1-left)/perSecond), 1)),
	}
}

// Spent reports whether a client has no request left. It counts none.
func (r *Rates[K]) Spent(client K) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	e, ok := r.limiters[client]
	return ok && e.Value.(*entry[K]).limiter.TokensAt(r.now()) < 1
}

// Count returns the number of clients in memory.
func (r *Rates[K]) Count() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.used.Len()
}

func (r *Rates[K]) limiter(client K) *rate.Limiter {
	r.mu.Lock()
	defer r.mu.Unlock()
	if e, ok := r.limiters[client]; ok {
		r.used.MoveToFront(e)
		return e.Value.(*entry[K]).limiter
	}
	if r.used.Len() >= r.most {
		last := r.used.Back()
		delete(r.limiters, r.used.Remove(last).(*entry[K]).client)
	}
	limiter := rate.NewLimiter(rate.Limit(float64(r.perMinute)/60), r.perMinute)
	r.limiters[client] = r.used.PushFront(&entry[K]{client, limiter})
	return limiter
}
