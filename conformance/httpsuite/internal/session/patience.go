package session

import (
	"sync"
	"time"
)

// patience is a limit for the sum of waits. Waits at the same time count once.
type patience struct {
	limit time.Duration

	mu      sync.Mutex
	spent   time.Duration
	waiting int       // goroutines
	since   time.Time // when the first of them began
}

// begin reports whether there is enough patience for a span. If there is, the caller waits
// and then calls done.
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
