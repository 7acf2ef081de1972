package tracker

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/problemtracking/problems/domain/access"
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
	queue     *queue
	catalogue atomic.Pointer[metadata.Catalogue]
	tokens    atomic.Pointer[tokens]
	// outdated counts the changes of tokens that this process made. Tokens
	// loaded under an earlier count are not trusted.
	outdated atomic.Int64
}

// tokens are all tokens at one version.
type tokens struct {
	version  int64
	checked  time.Time
	outdated int64
	byDigest map[access.Digest]access.Token
}

// catalogueAt returns the catalogue of the given version, which is that of the
// reader's moment.
func (c *cache) catalogueAt(ctx context.Context, r store.Reader, version int64) (*metadata.Catalogue, error) {
	if kept := c.catalogue.Load(); kept != nil && kept.Version == version {
		return kept, nil
	}
	loaded, err := r.Catalogue(ctx)
	if err != nil {
		return nil, err
	}
	// A view that began earlier may end later: never go back.
	for {
		kept := c.catalogue.Load()
		if kept != nil && kept.Version >= loaded.Version || c.catalogue.CompareAndSwap(kept, loaded) {
			return loaded, nil
		}
	}
}

// catalogueNow returns the catalogue at the reader's moment.
func (c *cache) catalogueNow(ctx context.Context, r store.Reader) (*metadata.Catalogue, error) {
	versions, err := r.Versions(ctx)
	if err != nil {
		return nil, err
	}
	return c.catalogueAt(ctx, r, versions.Catalogue)
}

// token returns the token with the given digest.
func (c *cache) token(ctx context.Context, digest access.Digest) (access.Token, bool, error) {
	current, err := c.currentTokens(ctx)
	if err != nil {
		return access.Token{}, false, err
	}
	token, ok := current.byDigest[digest]
	return token, ok, nil
}

func (c *cache) currentTokens(ctx context.Context) (*tokens, error) {
	if kept := c.tokens.Load(); c.fresh(kept) {
		return kept, nil
	}
	leave, err := c.queue.enter(ctx, slot{kind: slotAccess})
	if err != nil {
		return nil, err
	}
	defer leave()
	kept := c.tokens.Load()
	if c.fresh(kept) {
		return kept, nil // another request has just asked
	}
	// What changes from here on is to be asked for again.
	loaded := &tokens{checked: c.now(), outdated: c.outdated.Load()}
	versions, err := c.store.Versions(ctx)
	if err != nil {
		return nil, err
	}
	if kept != nil && kept.version == versions.Access {
		loaded.version, loaded.byDigest = kept.version, kept.byDigest
	} else if err := c.store.View(ctx, loaded.load(ctx)); err != nil {
		return nil, err
	}
	c.tokens.Store(loaded)
	return loaded, nil
}

func (c *cache) fresh(t *tokens) bool {
	if t == nil || t.outdated != c.outdated.Load() {
		return false
	}
	age := c.now().Sub(t.checked)
	return 0 <= age && age < c.maxAge
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
		t.byDigest = make(map[access.Digest]access.Token, len(all))
		for _, token := range all {
			t.byDigest[token.Digest] = token
		}
		return nil
	}
}
