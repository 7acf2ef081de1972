package cache

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/problemtracking/problems/domain/access"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/store"
)

// Tokens holds the tokens of API clients in the process. They can be behind the store by
// a given time.
type Tokens struct {
	store  store.Store
	now    func() time.Time
	maxAge time.Duration
	kept   atomic.Pointer[snapshot]
	// changes counts the changes of tokens by this process. Tokens loaded under an
	// earlier count are not trusted.
	changes atomic.Int64

	mu     sync.Mutex
	asking *inquiry // the one under way, or nil
}

// inquiry reads the tokens from the store for all requests that wait for them.
type inquiry struct {
	done   chan struct{} // closed when there is an answer
	tokens *snapshot
	err    error
}

// askFor limits the time of an inquiry. Every request may have to wait for it, so it is
// well below the time limit of a request (D22).
const askFor = 5 * time.Second

// NewTokens returns a cache of the tokens in a store. They can be behind it by maxAge. It
// reads the store when somebody asks for a token.
func NewTokens(s store.Store, now func() time.Time, maxAge time.Duration) *Tokens {
	return &Tokens{store: s, now: now, maxAge: maxAge}
}

// snapshot is all tokens at one version.
type snapshot struct {
	version  ident.Version
	checked  time.Time
	changes  int64
	byDigest map[access.Digest]access.Token
	byID     map[ident.ID]access.Token
	// history is the History of the View that loaded the tokens. confirmed is set once
	// the store has confirmed this version.
	history   store.History
	confirmed *atomic.Bool
}

// WithDigest returns the token with the given digest. It looks an unknown token up in the
// store, so a new token from any process works at once. The store has to confirm a
// revoked token, because the client may have sent the revocation and takes the answer
// as its success.
func (c *Tokens) WithDigest(ctx context.Context, digest access.Digest) (access.Token, bool, error) {
	now := c.now()
	token, ok, err := c.Known(ctx, digest)
	if ok || err != nil {
		return token, ok, err
	}
	return c.since(ctx, now, digest)
}

// Known returns the token with the given digest. It may miss a token made by
// another process within maxAge.
func (c *Tokens) Known(ctx context.Context, digest access.Digest) (access.Token, bool, error) {
	return c.since(ctx, c.now().Add(-c.maxAge), digest)
}

// WithID returns the token with the given identifier. It may be behind by maxAge, except
// that it looks an unknown token up in the store, as WithDigest does: another process may
// have made the token and begun a session with it.
func (c *Tokens) WithID(ctx context.Context, id ident.ID) (access.Token, bool, error) {
	now := c.now()
	current, err := c.allSince(ctx, now.Add(-c.maxAge))
	if err != nil {
		return access.Token{}, false, err
	}
	if _, ok := current.byID[id]; !ok {
		if current, err = c.allSince(ctx, now); err != nil {
			return access.Token{}, false, err
		}
	}
	token, ok := current.byID[id]
	if ok && !token.Revoked.IsZero() && !current.confirmed.Load() {
		return c.confirm(ctx, current, token.Digest)
	}
	return token, ok, nil
}

// All returns all tokens by identifier, for callers who only read. They may be behind by maxAge.
func (c *Tokens) All(ctx context.Context) (map[ident.ID]access.Token, error) {
	current, err := c.allSince(ctx, c.now().Add(-c.maxAge))
	if err != nil {
		return nil, err
	}
	return current.byID, nil
}

// since returns the token with the given digest, as of some moment after the given
// time.
func (c *Tokens) since(ctx context.Context, oldest time.Time, digest access.Digest) (access.Token, bool, error) {
	current, err := c.allSince(ctx, oldest)
	if err != nil {
		return access.Token{}, false, err
	}
	token, ok := current.byDigest[digest]
	if ok && !token.Revoked.IsZero() && !current.confirmed.Load() {
		return c.confirm(ctx, current, digest)
	}
	return token, ok, nil
}

// confirm returns the stored token after the store has confirmed it.
func (c *Tokens) confirm(ctx context.Context, current *snapshot, digest access.Digest) (token access.Token, ok bool, err error) {
	shown := current
	err = c.store.Confirm(ctx, shown.history)
	for fault.Is(err, fault.Conflict) && ctx.Err() == nil { // another load may help
		shown = new(snapshot)
		if err = c.store.View(ctx, shown.load(ctx)); err == nil {
			err = c.store.Confirm(ctx, shown.history)
		}
	}
	if err != nil {
		return access.Token{}, false, err
	}
	if shown.version == current.version {
		current.confirmed.Store(true)
	}
	token, ok = shown.byDigest[digest]
	return token, ok, nil
}

// allSince returns the tokens as of some moment after the given time. All waiting
// requests share one read of the store. When the store is away, they thus fail all
// together, not one after the other.
func (c *Tokens) allSince(ctx context.Context, oldest time.Time) (*snapshot, error) {
	for first := true; ; first = false {
		if cached := c.kept.Load(); c.trusted(cached, oldest) {
			return cached, nil
		}
		if err := store.Ended(ctx); err != nil {
			return nil, err
		}
		asked, began := c.ask(ctx)
		select {
		case <-asked.done:
		case <-ctx.Done():
			return nil, store.Ended(ctx)
		}
		// The tokens of an earlier inquiry may be too old. Those of the next one are
		// not.
		if asked.err != nil || began || !first || c.trusted(asked.tokens, oldest) {
			return asked.tokens, asked.err
		}
	}
}

// ask returns the current inquiry, or begins one. The inquiry does not end with the
// request.
func (c *Tokens) ask(ctx context.Context) (asked *inquiry, began bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.asking != nil {
		return c.asking, false
	}
	asked = &inquiry{done: make(chan struct{})}
	c.asking = asked
	go func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), askFor)
		defer cancel()
		asked.tokens, asked.err = c.load(ctx)
		c.mu.Lock()
		defer c.mu.Unlock()
		c.asking = nil
		close(asked.done)
	}()
	return asked, true
}

// load reads the tokens from the store, if they have changed.
func (c *Tokens) load(ctx context.Context) (*snapshot, error) {
	// Later changes outdate these tokens, so the count comes first.
	loaded := &snapshot{checked: c.now(), changes: c.changes.Load()}
	versions, err := c.store.Versions(ctx)
	if err != nil {
		return nil, err
	}
	if cached := c.kept.Load(); cached != nil && cached.version == versions.Access {
		loaded.version, loaded.byDigest, loaded.byID = cached.version, cached.byDigest, cached.byID
		loaded.history, loaded.confirmed = cached.history, cached.confirmed
	} else if err := c.store.View(ctx, loaded.load(ctx)); err != nil {
		return nil, err
	}
	c.kept.Store(loaded)
	return loaded, nil
}

// trusted reports whether t is current as of some moment after the given time. After a
// step of the clock to before the last check, the answer is no.
func (c *Tokens) trusted(t *snapshot, oldest time.Time) bool {
	return t != nil && t.changes == c.changes.Load() && t.checked.After(oldest) && !t.checked.After(c.now())
}

func (t *snapshot) load(ctx context.Context) func(store.Reader) error {
	return func(r store.Reader) error {
		versions, err := r.Versions(ctx)
		if err != nil {
			return err
		}
		all, err := r.Tokens(ctx)
		if err != nil {
			return err
		}
		t.version = versions.Access
		t.history, t.confirmed = r.History(), new(atomic.Bool)
		t.byDigest = make(map[access.Digest]access.Token, len(all))
		t.byID = make(map[ident.ID]access.Token, len(all))
		for _, token := range all {
			t.byDigest[token.Digest], t.byID[token.ID] = token, token
		}
		return nil
	}
}

// Distrust counts a change of tokens by this process.
func (c *Tokens) Distrust(change store.Change) {
	if _, access := change.Raises(); access {
		c.changes.Add(1)
	}
}
