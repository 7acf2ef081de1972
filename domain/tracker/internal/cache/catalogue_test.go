package cache

import (
	"context"
	"testing"

	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/store"
)

// catalogues is a reader with nothing but a catalogue of the given version.
type catalogues struct {
	store.Reader
	version ident.Version
	loaded  *int
	during  func() // what happens while it is loaded, if not nil
}

func (c catalogues) Catalogue(context.Context) (*metadata.Catalogue, error) {
	*c.loaded++
	if c.during != nil {
		c.during()
	}
	return metadata.NewCatalogue(c.version, metadata.Content{}), nil
}

// A reader gets the catalogue of its own moment, and the cache keeps the one loaded
// last. A view that began earlier may end later, which only costs another load. A
// store that was set back has a lower number for good, or the same one again.
func TestCatalogueOfEachMoment(t *testing.T) {
	t.Parallel()
	version := func(n int64, batch byte) ident.Version { return ident.Version{Number: n, Batch: ident.ID{15: batch}} }
	var c Catalogue
	loaded := 0
	for _, step := range []struct {
		rule    string
		version ident.Version
		loaded  int
	}{
		{"the first is loaded", version(2, 2), 1},
		{"the same is not loaded again", version(2, 2), 1},
		{"a newer one takes its place", version(3, 3), 2},
		{"an older one is loaded", version(2, 2), 3},
		{"the newer one is loaded again", version(3, 3), 4},
		{"the same number of another history is loaded", version(3, 4), 5},
		{"one of a store that was set back is loaded", version(1, 1), 6},
		{"one of a store that was set back is kept", version(1, 1), 6},
		{"the same number without a batch is loaded", version(1, 0), 7},
	} {
		got, err := c.At(t.Context(), catalogues{version: step.version, loaded: &loaded}, step.version)
		if err != nil {
			t.Fatal(err)
		}
		if got.Version != step.version || c.kept.Load().Version != step.version || loaded != step.loaded {
			t.Errorf("%s: got %v, kept %v, loaded %d times; want %v and %d", step.rule, got.Version, c.kept.Load().Version, loaded, step.version, step.loaded)
		}
	}
}

// Of two that are loaded at once, the one that is ready first is kept: the other was
// probably asked for earlier.
func TestCataloguesLoadedAtOnce(t *testing.T) {
	t.Parallel()
	var c Catalogue
	loaded := 0
	earlier, later := ident.Version{Number: 2, Batch: ident.ID{15: 2}}, ident.Version{Number: 3, Batch: ident.ID{15: 3}}
	got, err := c.At(t.Context(), catalogues{version: earlier, loaded: &loaded, during: func() {
		_, err := c.At(t.Context(), catalogues{version: later, loaded: &loaded}, later)
		if err != nil {
			t.Fatal(err)
		}
	}}, earlier)
	if err != nil {
		t.Fatal(err)
	}
	if got.Version != earlier || c.kept.Load().Version != later {
		t.Errorf("got %v and kept %v, want %v and %v", got.Version, c.kept.Load().Version, earlier, later)
	}
}
