// Package cache keeps the catalogue and the tokens of a store in the process, so that
// most requests ask the store for neither.
package cache

import (
	"context"
	"sync/atomic"

	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/store"
)

// Catalogue holds the catalogue of metadata in the process. It is looked up by the
// version in a snapshot, so it is never behind. The zero Catalogue is empty.
type Catalogue struct {
	kept atomic.Pointer[metadata.Catalogue]
}

// At returns the catalogue of the given version, at the reader's moment. The
// cache holds the last loaded catalogue, even one with a lower number: a store set back
// to a backup may not reach the old number for long.
//
// An earlier View can thus replace a newer catalogue. The next View then loads once
// more. This costs time and is never wrong.
func (c *Catalogue) At(ctx context.Context, r store.Reader, version ident.Version) (*metadata.Catalogue, error) {
	cached := c.kept.Load()
	if cached != nil && cached.Version == version {
		return cached, nil
	}
	loaded, err := r.Catalogue(ctx)
	if err != nil {
		return nil, err
	}
	// A catalogue loaded by another View meanwhile is probably the later one.
	c.kept.CompareAndSwap(cached, loaded)
	return loaded, nil
}

// Cached returns the cached catalogue of the given version, or nil.
func (c *Catalogue) Cached(version ident.Version) *metadata.Catalogue {
	if cached := c.kept.Load(); cached != nil && cached.Version == version {
		return cached
	}
	return nil
}

// Now returns the catalogue at the reader's moment.
func (c *Catalogue) Now(ctx context.Context, r store.Reader) (*metadata.Catalogue, error) {
	versions, err := r.Versions(ctx)
	if err != nil {
		return nil, err
	}
	return c.At(ctx, r, versions.Catalogue)
}
