// Package budget bounds the memory of all concurrent requests. Each request reserves the
// memory for its next work from one budget, and waits if the budget has too little left.
package budget

import (
	"context"
	"errors"
	"slices"
	"sync"

	"github.com/problemtracking/problems/domain/ident"
)

// Budget is an amount of memory, in bytes, shared by the requests. One user has at most
// half of it, and users who wait take turns, so some users' requests cannot make all others wait.
type Budget struct {
	mu      sync.Mutex
	total   int64
	held    int64
	users   map[ident.ID]int64 // bytes held by each user; no entry: 0
	free    map[ident.ID]int64 // those of them that are reserved and unused; no entry: 0
	waiting []*waiter          // in the order of their turns
	// turn is that of the request that was granted last, and next that of each user's next
	// request. Both begin anew whenever nobody waits.
	turn int64
	next map[ident.ID]int64
}

// waiter waits for n bytes. Its turn comes once its user was granted as much as the others, so
// many requests of some users do not keep away those of another.
type waiter struct {
	account *Account
	n       int64
	turn    int64
	granted chan struct{} // closed when the bytes are granted
}

// New returns a budget of total bytes.
func New(total int64) *Budget {
	return &Budget{total: total, users: make(map[ident.ID]int64), free: make(map[ident.ID]int64), next: make(map[ident.ID]int64)}
}

// Total returns the size of the budget, in bytes.
func (b *Budget) Total() int64 { return b.total }

// Held returns the number of held bytes and of waiting requests. The bytes can exceed
// the total (see Account.Add).
func (b *Budget) Held() (bytes int64, waiting int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.held, len(b.waiting)
}

// Account is the memory of one request. A nil Account has no limit: code outside of
// requests has no budget. All methods accept a nil Account. One goroutine at a time may
// use an Account.
type Account struct {
	budget *Budget
	user   ident.ID
	gone   <-chan struct{}
	held   int64
	// reserved is the part of held from Reserve, without the bytes of Keep. used is the loaded
	// part of reserved.
	reserved, used int64
}

// ErrGone reports a disconnected client.
var ErrGone = errors.New("the client has gone")

// Open returns an empty account. Close returns all its memory. After gone is closed, the
// account waits for nothing. A nil gone stays open.
func (b *Budget) Open(gone <-chan struct{}) *Account { return &Account{budget: b, gone: gone} }

// Crowded reports whether the account should start no work. Either the other requests of
// its user use the user's share, or all others together hold one and a half times the
// total. Reserved and unused bytes of the user do not count: they are there for a read, which
// ends soon, and no client can prolong it.
func (a *Account) Crowded() bool {
	if a == nil {
		return false
	}
	b := a.budget
	b.mu.Lock()
	defer b.mu.Unlock()
	used := b.users[a.user] - b.free[a.user] - (a.held - a.free())
	return used >= b.share() || b.held-a.held >= b.total+b.share()
}

// For sets the user of the account. An account without a user is anonymous. All
// anonymous accounts together have the share of one user.
func (a *Account) For(user ident.ID) {
	if a == nil {
		return
	}
	a.budget.mu.Lock()
	defer a.budget.mu.Unlock()
	a.budget.charge(a.user, -a.held, -a.free())
	a.user = user
	a.budget.charge(a.user, a.held, a.free())
}

// Reserve makes n bytes Free, or fewer if a user's share has fewer left. It waits for
// them. If ctx ends first, it returns the error of ctx. If the client disconnects first,
// it returns ErrGone.
func (a *Account) Reserve(ctx context.Context, n int64) error {
	if a == nil {
		return nil
	}
	b := a.budget
	b.mu.Lock()
	n = min(a.used+n-a.reserved, b.share()-a.held)
	if n <= 0 {
		b.mu.Unlock()
		return nil
	}
	w := &waiter{account: a, n: n, turn: max(b.turn, b.next[a.user]), granted: make(chan struct{})}
	b.next[a.user] = w.turn + n
	last := len(b.waiting)
	for last > 0 && b.waiting[last-1].turn > w.turn {
		last--
	}
	b.waiting = slices.Insert(b.waiting, last, w)
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
	case <-w.granted: // granted meanwhile
		return nil
	default:
	}
	for i := range b.waiting {
		if b.waiting[i] == w {
			b.waiting = slices.Delete(b.waiting, i, i+1)
			break
		}
	}
	b.grant() // later requests may need less
	return ended
}

// Free returns the number of reserved and unused bytes. For a nil account it is greater
// than any need.
func (a *Account) Free() int64 {
	if a == nil {
		return 1 << 62
	}
	return a.free()
}

func (a *Account) free() int64 { return a.reserved - a.used }

// Full reports whether Reserve can get no more: the account has the share of one user.
func (a *Account) Full() bool {
	if a == nil {
		return false
	}
	a.budget.mu.Lock()
	defer a.budget.mu.Unlock()
	return a.held >= a.budget.share()
}

// Use marks n of the Free bytes as used. The others stay reserved until Trim.
func (a *Account) Use(n int64) {
	if a != nil {
		n = min(n, a.free())
		a.used += n
		a.change(0, -n)
	}
}

// Keep takes n of the Free bytes out of Reuse and Trim: only Close returns them.
func (a *Account) Keep(n int64) {
	if a != nil {
		n = min(n, a.free())
		a.reserved -= n
		a.change(0, -n)
	}
}

// Trim returns the Free bytes to the budget.
func (a *Account) Trim() {
	if a == nil || a.reserved == a.used {
		return
	}
	back := a.free()
	a.reserved = a.used
	a.change(-back, -back)
}

// Reuse marks all reserved bytes as Free, but for those of Keep.
func (a *Account) Reuse() {
	if a != nil && a.used > 0 {
		n := a.used
		a.used = 0
		a.change(0, n)
	}
}

// Add adds n bytes to the account without waiting; a negative n removes bytes. It is for
// memory already in use. While the budget is over its total, every Reserve waits.
func (a *Account) Add(n int64) {
	if a != nil {
		a.change(n, 0)
	}
}

// change adds to the held bytes, and to the free ones that the budget knows for the user.
func (a *Account) change(held, free int64) {
	a.budget.mu.Lock()
	defer a.budget.mu.Unlock()
	a.held += held
	a.budget.charge(a.user, held, free)
	if held < 0 {
		a.budget.grant()
	}
}

// Close returns all memory of the account.
func (a *Account) Close() {
	if a == nil || a.held == 0 {
		return
	}
	a.change(-a.held, -a.free())
	a.reserved, a.used = 0, 0
}

func (b *Budget) share() int64 { return b.total / 2 }

func (b *Budget) charge(user ident.ID, held, free int64) {
	b.held += held
	add(b.users, user, held)
	add(b.free, user, free)
}

// add adds n to the bytes of a user. Maps have no users without bytes.
func add(bytes map[ident.ID]int64, user ident.ID, n int64) {
	if left := bytes[user] + n; left != 0 {
		bytes[user] = left
	} else {
		delete(bytes, user)
	}
}

// grant serves the waiting requests in the order of their turns. A request of a user with a
// full share lets the others pass. A request for too much memory blocks the ones after
// it; otherwise it could wait for ever.
func (b *Budget) grant() {
	remaining := b.waiting[:0]
	blocked := false
	for _, w := range b.waiting {
		user := b.users[w.account.user]
		switch {
		case blocked, user > 0 && user+w.n > b.share():
			remaining = append(remaining, w)
		case b.held > 0 && b.held+w.n > b.total:
			blocked = true
			remaining = append(remaining, w)
		default:
			w.account.held += w.n
			w.account.reserved += w.n
			b.charge(w.account.user, w.n, w.n)
			b.turn = max(b.turn, w.turn)
			close(w.granted)
		}
	}
	clear(b.waiting[len(remaining):])
	b.waiting = remaining
	if len(remaining) == 0 {
		b.turn = 0
		clear(b.next)
	}
}

type key struct{}

// With returns a context with the account of a request.
func With(ctx context.Context, a *Account) context.Context {
	return context.WithValue(ctx, key{}, a)
}

// From returns the account of the context's request, or nil.
func From(ctx context.Context) *Account {
	a, _ := ctx.Value(key{}).(*Account)
	return a
}
