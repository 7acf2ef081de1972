// Package budget bounds how much memory requests hold at a time: each takes what it is
// about to need from one budget, and waits while there is too little of it.
package budget

import (
	"context"
	"errors"
	"sync"

	"github.com/problemtracking/problems/domain/ident"
)

// Budget is an amount of memory, in bytes, that requests take from and give back. One
// user has at most half of it, so that others need not wait for whatever that one holds.
type Budget struct {
	mu      sync.Mutex
	total   int64
	held    int64
	users   map[ident.ID]int64 // how much each holds; no entry: nothing
	waiting []*waiter          // the first came first
}

// waiter waits for n bytes.
type waiter struct {
	account *Account
	n       int64
	granted chan struct{} // closed when it has them
}

// New returns a budget of so many bytes.
func New(total int64) *Budget {
	return &Budget{total: total, users: make(map[ident.ID]int64)}
}

// Held returns how many bytes are held at this moment, which can be more than there are
// (see Account.Add), and how many requests wait for more.
func (b *Budget) Held() (bytes int64, waiting int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.held, len(b.waiting)
}

// Account is what one request holds. Its methods can be called on nil, which holds
// whatever it asks for: what does not serve requests has no budget. It is not to be used
// by several goroutines.
type Account struct {
	budget *Budget
	user   ident.ID
	gone   <-chan struct{}
	held   int64
	// reserved is the part of held that Reserve has seen to, and used the part of it
	// that has been loaded.
	reserved, used int64
}

// ErrGone says that nobody waits for the request any more.
var ErrGone = errors.New("the client has gone")

// Open returns an account that holds nothing yet. Everything it holds is given back by
// Close. Once gone is closed, it waits for nothing; nil never is.
func (b *Budget) Open(gone <-chan struct{}) *Account { return &Account{budget: b, gone: gone} }

// Crowded reports whether the account should not begin anything: others of its user hold
// the user's share, or all together hold half as much again as there is.
func (a *Account) Crowded() bool {
	if a == nil {
		return false
	}
	b := a.budget
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.users[a.user]-a.held >= b.share() || b.held-a.held >= b.total+b.share()
}

// For says for which user the account is. Until then it is nobody's, for all of whom
// together the share of one user has to do.
func (a *Account) For(user ident.ID) {
	if a == nil {
		return
	}
	a.budget.mu.Lock()
	defer a.budget.mu.Unlock()
	a.budget.charge(a.user, -a.held)
	a.user = user
	a.budget.charge(a.user, a.held)
}

// Reserve sees to it that n bytes are Free, or as many as are left of the share of one
// user, if that is less. It waits for them until ctx ends, whose error it then returns, or
// until the client has gone, which is ErrGone.
func (a *Account) Reserve(ctx context.Context, n int64) error {
	if a == nil {
		return nil
	}
	b := a.budget
	b.mu.Lock()
	n = min(a.used+n, b.share()) - a.reserved
	if n <= 0 {
		b.mu.Unlock()
		return nil
	}
	w := &waiter{account: a, n: n, granted: make(chan struct{})}
	b.waiting = append(b.waiting, w)
	b.grant()
	b.mu.Unlock()
	var ended error
	select {
	case <-w.granted:
		return nil
	case <-ctx.Done():
		ended = ctx.Err()
	case <-a.gone:
		ended = ErrGone
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	select {
	case <-w.granted: // meanwhile
		return nil
	default:
	}
	for i := range b.waiting {
		if b.waiting[i] == w {
			b.waiting = append(b.waiting[:i], b.waiting[i+1:]...)
			break
		}
	}
	b.grant() // those who came later may need less
	return ended
}

// Free returns how many bytes are reserved and not used; a nil account has all that anybody
// can ask for.
func (a *Account) Free() int64 {
	if a == nil {
		return 1 << 62
	}
	return a.reserved - a.used
}

// Full reports whether no more can be reserved: the account has the share of one user.
func (a *Account) Full() bool { return a != nil && a.reserved >= a.budget.share() }

// Use says how many of the bytes that are Free were needed: n. The others stay reserved,
// until Trim.
func (a *Account) Use(n int64) {
	if a != nil {
		a.used += min(n, a.reserved-a.used)
	}
}

// Trim gives back the bytes that are Free.
func (a *Account) Trim() {
	if a == nil || a.reserved == a.used {
		return
	}
	back := a.reserved - a.used
	a.reserved = a.used
	a.Add(-back)
}

// Reuse says that nothing of what was reserved is used any more: it is Free.
func (a *Account) Reuse() {
	if a != nil {
		a.used = 0
	}
}

// Add adds n bytes to what the account holds, or takes them off when n is negative,
// without waiting: for what is there already. While more is held than there is, all who
// Reserve wait.
func (a *Account) Add(n int64) {
	if a == nil {
		return
	}
	a.budget.mu.Lock()
	defer a.budget.mu.Unlock()
	a.held += n
	a.budget.charge(a.user, n)
	if n < 0 {
		a.budget.grant()
	}
}

// Close gives back all that the account holds.
func (a *Account) Close() {
	if a == nil || a.held == 0 {
		return
	}
	a.Add(-a.held)
	a.reserved, a.used = 0, 0
}

func (b *Budget) share() int64 { return b.total / 2 }

func (b *Budget) charge(user ident.ID, n int64) {
	b.held += n
	if left := b.users[user] + n; left != 0 {
		b.users[user] = left
	} else {
		delete(b.users, user)
	}
}

// grant gives those who wait what they wait for, in the order in which they came. One
// whose user holds a full share lets the others pass; one for whom there is too little
// does not, or it would wait for ever.
func (b *Budget) grant() {
	kept := b.waiting[:0]
	blocked := false
	for _, w := range b.waiting {
		user := b.users[w.account.user]
		switch {
		case blocked, user > 0 && user+w.n > b.share():
			kept = append(kept, w)
		case b.held > 0 && b.held+w.n > b.total:
			blocked = true
			kept = append(kept, w)
		default:
			w.account.held += w.n
			w.account.reserved += w.n
			b.charge(w.account.user, w.n)
			close(w.granted)
		}
	}
	clear(b.waiting[len(kept):])
	b.waiting = kept
}

type key struct{}

// With returns a context that carries the account of a request.
func With(ctx context.Context, a *Account) context.Context {
	return context.WithValue(ctx, key{}, a)
}

// From returns the account of the request that the context is of, or nil.
func From(ctx context.Context) *Account {
	a, _ := ctx.Value(key{}).(*Account)
	return a
}
