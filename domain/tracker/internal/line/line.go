// Package line lets waiting requests try something in the order of their arrival, each user one
// by one.
package line

import (
	"context"
	"slices"
	"sync"

	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/store"
)

// Line is the requests that wait, the oldest one first. The zero Line is empty. Its methods may
// be called from many goroutines at once.
type Line struct {
	mu      sync.Mutex
	places  []*Place
	round   int
	changed chan struct{} // closed by the next change; nil until somebody waits for it
}

// Place is a place in a Line. It is for one goroutine.
type Place struct {
	line  *Line
	user  ident.ID
	tried int // the last round in which it tried
}

// Join takes the last place, for a user.
func (l *Line) Join(user ident.ID) *Place {
	l.mu.Lock()
	defer l.mu.Unlock()
	p := &Place{line: l, user: user, tried: -1}
	l.places = append(l.places, p)
	return p
}

// Leave gives the place up.
func (p *Place) Leave() {
	p.line.change(func() {
		p.line.places = slices.DeleteFunc(p.line.places, func(other *Place) bool { return other == p })
	})
}

// Turn waits until the places ahead have tried in the current round: of its user all, of another
// user no more than are its own. A user with many requests so delays others by one of them. It
// fails when ctx ends.
func (p *Place) Turn(ctx context.Context) (round int, err error) {
	l := p.line
	for {
		l.mu.Lock()
		round = l.round
		waits := l.waits(p)
		changed := l.next()
		l.mu.Unlock()
		if !waits {
			return round, nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return 0, store.Ended(ctx)
		}
	}
}

// waits reports whether a place ahead of p has to try first. The caller holds the lock.
func (l *Line) waits(p *Place) bool {
	ahead := l.places[:slices.Index(l.places, p)]
	own := 1
	for _, other := range ahead {
		if other.user == p.user {
			own++
		}
	}
	counted := map[ident.ID]int{}
	return slices.ContainsFunc(ahead, func(other *Place) bool {
		counted[other.user]++
		return counted[other.user] <= own && other.tried < l.round
	})
}

// Tried says that the place has tried in a round without success.
func (p *Place) Tried(round int) { p.line.change(func() { p.tried = round }) }

// Over reports whether a round is over: it is worth another try. The channel is closed when
// something changes in the line, such as its round.
func (p *Place) Over(round int) (over bool, changed <-chan struct{}) {
	p.line.mu.Lock()
	defer p.line.mu.Unlock()
	return p.line.round != round, p.line.next()
}

// Begin begins the next round for all places, unless the given one is over already.
func (p *Place) Begin(after int) {
	p.line.change(func() {
		if p.line.round == after {
			p.line.round++
		}
	})
}

func (l *Line) change(by func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	by()
	if l.changed != nil {
		close(l.changed)
		l.changed = nil
	}
}

// next returns a channel that the next change closes. The caller holds the lock.
func (l *Line) next() <-chan struct{} {
	if l.changed == nil {
		l.changed = make(chan struct{})
	}
	return l.changed
}
