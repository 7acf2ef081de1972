package reads

import (
	"fmt"
	"sync/atomic"

	"github.com/problemtracking/problems/conformance/internal/bench"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/store"
)

// Catalogue are about the catalogue and its version.
func Catalogue() []bench.Case {
	return []bench.Case{{
		ID:   "READ-008",
		Rule: "The catalogue has all metadata and users at its version. Versions and Snapshots name the same version.",
		Run:  wholeCatalogue,
	}, {
		ID:   "READ-008/meanwhile",
		Rule: "The catalogue agrees with its version while others change it.",
		Run:  catalogueDuringCommits,
	}}
}

func wholeCatalogue(b *bench.Bench) {
	p := b.Create()
	agree(b, 0, metadata.Content{}, p)
	want := bench.Image{}
	for i := range 4 {
		objects := b.Objects()
		want.Put(objects)
		b.Do(bench.PutAll(objects)...)
		agree(b, int64(i+1), want.Content, p)
	}
}

func catalogueDuringCommits(b *bench.Bench) {
	const changes = 30
	user := b.Objects().Users[0]
	var written atomic.Bool
	b.Together(4, func(who int) error {
		if who > 0 {
			for !written.Load() {
				if err := b.Going(); err != nil {
					return err
				}
				if err := dated(b, user.ID); err != nil {
					return err
				}
			}
			return dated(b, user.ID)
		}
		defer written.Store(true)
		for version := range changes {
			user.Name = fmt.Sprint(version + 1)
			if _, err := b.Store.Commit(b.Ctx, b.Change(store.PutUser{User: user})); err != nil {
				return fmt.Errorf("Commit: %w", err)
			}
		}
		return nil
	})
	b.Equal("the version", int64(changes), b.Versions().Catalogue.Number)
}

// agree ends the case unless every read of the catalogue has the given content and
// version.
func agree(b *bench.Bench, version int64, content metadata.Content, p problem.Problem) {
	b.Helper()
	seen := b.Image()
	b.Equal("the catalogue", content, seen.Content)
	b.Equal("the catalogue's version", version, seen.Catalogue.Number)
	b.Equal("Reader.Versions", seen.Catalogue, seen.Versions.Catalogue)
	b.Equal("Store.Versions", seen.Catalogue, b.Versions().Catalogue)
	b.Equal("the Snapshot's version of the catalogue", seen.Catalogue, seen.Problems[p.ID].Catalogue)
}

// dated returns an error unless the user's name is the version of the catalogue.
func dated(b *bench.Bench, id ident.ID) error {
	return b.Store.View(b.Ctx, func(r store.Reader) error {
		c, err := r.Catalogue(b.Ctx)
		if err != nil {
			return err
		}
		v, err := r.Versions(b.Ctx)
		if err != nil {
			return err
		}
		seen, _ := c.User(id)
		if c.Version != v.Catalogue || c.Version.Number > 0 && seen.Name != fmt.Sprint(c.Version.Number) {
			return fmt.Errorf("the catalogue of version %v has the user of version %q where Versions says %v", c.Version, seen.Name, v.Catalogue)
		}
		return nil
	})
}
