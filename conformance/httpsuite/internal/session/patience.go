package session

import (
	"sync"
	"time"
)

// patience is how long something may wait. Goroutines that wait at the same time use
// it up together, and not each its own share.
type patience struct {
	limit time.Duration

	mu      sync.Mutex
	spent   time.Duration
	waiting int       // goroutines
	since   time.Time // when the first of them began
}

// begin reports whether there is enough patience for a span. When there is, done
// has to be called after the wait.
func (p *patience) begin(span time.Duration) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	now, spent := time.Now(), p.spent
	if p.waiting > 0 {
		spent += now.Sub(p.since)
	}
	if span > p.limit-spent {
		return false
	}
	if p.waiting == 0 {
		p.since = now
	}
	p.waiting++
	return true
}

func (p *patience) done() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.waiting--; p.waiting == 0 {
		p.spent += time.Since(p.since)
	}
}
