package tracker

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/problemtracking/problems/domain/access"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/store"
)

// cache keeps the catalogue and the tokens in the process. The catalogue is
// looked up by the version that a snapshot names, so it is never behind; tokens
// can be behind by maxAge.
type cache struct {
	store     store.Store
	now       func() time.Time
	maxAge    time.Duration
	catalogue atomic.Pointer[metadata.Catalogue]
	tokens    atomic.Pointer[tokens]
	// outdated counts the changes of tokens that this process made. Tokens
	// loaded under an earlier count are not trusted.
	outdated atomic.Int64

	mu     sync.Mutex
	asking *inquiry // the one under way, or nil
}

// inquiry asks the store for the tokens, for all who wait for it.
type inquiry struct {
	done   chan struct{} // closed when there is an answer
	tokens *tokens
	err    error
}

// askFor is for how long the store may take to answer an inquiry, for which every
// request may have to wait: well under the time that a request may take (D22).
const askFor = 5 * time.Second

// tokens are all tokens at one version.
type tokens struct {
	version  ident.Version
	checked  time.Time
	outdated int64
	byDigest map[access.Digest]access.Token
	// history is that of the View that they were loaded in, and confirmed is set once
	// the store has confirmed this version.
	history   store.History
	confirmed *atomic.Bool
}

// catalogueAt returns the catalogue of the given version, which is that of the
// reader's moment. It keeps the one loaded last, even where its number is lower:
// a store that was set back may not reach the number of the kept one for long. A
// view that began earlier can thus replace a newer catalogue. The next view then
// loads once more, which costs time and is never wrong.
func (c *cache) catalogueAt(ctx context.Context, r store.Reader, version ident.Version) (*metadata.Catalogue, error) {
	kept := c.catalogue.Load()
	if kept != nil && kept.Version == version {
		return kept, nil
	}
	loaded, err := r.Catalogue(ctx)
	if err != nil {
		return nil, err
	}
	// Another view that has loaded one meanwhile is probably the later one.
	c.catalogue.CompareAndSwap(kept, loaded)
	return loaded, nil
}

// catalogueIfKept returns the catalogue of the given version, if it is kept, or nil.
func (c *cache) catalogueIfKept(version ident.Version) *metadata.Catalogue {
	if kept := c.catalogue.Load(); kept != nil && kept.Version == version {
		return kept
	}
	return nil
}

// catalogueNow returns the catalogue at the reader's moment.
func (c *cache) catalogueNow(ctx context.Context, r store.Reader) (*metadata.Catalogue, error) {
	versions, err := r.Versions(ctx)
	if err != nil {
		return nil, err
	}
	return c.catalogueAt(ctx, r, versions.Catalogue)
}

// token returns the token with the given digest. One that is not known is asked
// for in the store, so that a token works as soon as it was made, by whichever
// process. One that is revoked is confirmed to be: whoever is told so may have sent the
// revocation, and takes it for stored.
func (c *cache) token(ctx context.Context, digest access.Digest) (access.Token, bool, error) {
	now := c.now()
	token, ok, err := c.knownToken(ctx, digest)
	if ok || err != nil {
		return token, ok, err
	}
	return c.tokenSince(ctx, now, digest)
}

// knownToken returns the token with the given digest, unless another process made
// it within maxAge.
func (c *cache) knownToken(ctx context.Context, digest access.Digest) (access.Token, bool, error) {
	return c.tokenSince(ctx, c.now().Add(-c.maxAge), digest)
}

// tokenSince returns the token with the given digest, as it was at some moment after
// the given time.
func (c *cache) tokenSince(ctx context.Context, oldest time.Time, digest access.Digest) (access.Token, bool, error) {
	current, err := c.tokensSince(ctx, oldest)
	if err != nil {
		return access.Token{}, false, err
	}
	token, ok := current.byDigest[digest]
	if ok && !token.Revoked.IsZero() && !current.confirmed.Load() {
		return c.confirmed(ctx, current, digest)
	}
	return token, ok, nil
}

// confirmed returns the token as the store has it, once it has confirmed that.
func (c *cache) confirmed(ctx context.Context, current *tokens, digest access.Digest) (token access.Token, ok bool, err error) {
	shown := current
	err = c.store.Confirm(ctx, shown.history)
	for outdated(ctx, err) {
		shown = new(tokens)
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

// tokensSince returns the tokens as they were at some moment after the given time.
// However many want them, the store is asked once: a store that is away fails them
// all together, and not one after the other.
func (c *cache) tokensSince(ctx context.Context, oldest time.Time) (*tokens, error) {
	for first := true; ; first = false {
		if kept := c.tokens.Load(); c.trusted(kept, oldest) {
			return kept, nil
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
		// The tokens of an inquiry that was under way before may be too
		// old. The next one is not.
		if asked.err != nil || began || !first || c.trusted(asked.tokens, oldest) {
			return asked.tokens, asked.err
		}
	}
}

// ask returns the inquiry that is under way, and otherwise begins one, which does
// not end with the request.
func (c *cache) ask(ctx context.Context) (asked *inquiry, began bool) {
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

// load gets the tokens from the store, if they have changed.
func (c *cache) load(ctx context.Context) (*tokens, error) {
	// What changes from here on is to be asked for again.
	loaded := &tokens{checked: c.now(), outdated: c.outdated.Load()}
	versions, err := c.store.Versions(ctx)
	if err != nil {
		return nil, err
	}
	if kept := c.tokens.Load(); kept != nil && kept.version == versions.Access {
		loaded.version, loaded.byDigest = kept.version, kept.byDigest
		loaded.history, loaded.confirmed = kept.history, kept.confirmed
	} else if err := c.store.View(ctx, loaded.load(ctx)); err != nil {
		return nil, err
	}
	c.tokens.Store(loaded)
	return loaded, nil
}

// trusted reports whether t is what the tokens were after the given time. If the
// clock has stepped back behind the last check, nothing tells.
func (c *cache) trusted(t *tokens, oldest time.Time) bool {
	return t != nil && t.outdated == c.outdated.Load() && t.checked.After(oldest) && !t.checked.After(c.now())
}

func (t *tokens) load(ctx context.Context) func(store.Reader) error {
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
		for _, token := range all {
			t.byDigest[token.Digest] = token
		}
		return nil
	}
}

// distrust takes note of a change of tokens that this process made.
func (c *cache) distrust(change store.Change) {
	if _, access := change.Raises(); access {
		c.outdated.Add(1)
	}
}
