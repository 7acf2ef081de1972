package lmtp

import (
	"strings"
	"sync"
	"time"
)

// Bounds of the replies to one address. They slow down two programs that answer each other
// without marking their mails as automatic.
const (
	mostReplies = 20
	paceWindow  = 10 * time.Minute
	mostPaces   = 10_000
)

// paces counts the replies to each address, on this server.
type paces struct {
	mu sync.Mutex
	by map[string]pace // by token
}

type pace struct {
	begun   time.Time
	replies int
}

// take counts one more reply. It returns false above the limit.
func (p *paces) take(token string, now time.Time) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.by == nil || len(p.by) >= mostPaces {
		p.by = make(map[string]pace)
	}
	token = strings.ToLower(token)
	current := p.by[token]
	if age := now.Sub(current.begun); age < 0 || age >= paceWindow {
		current = pace{begun: now}
	}
	if current.replies >= mostReplies {
		return false
	}
	current.replies++
	p.by[token] = current
	return true
}
