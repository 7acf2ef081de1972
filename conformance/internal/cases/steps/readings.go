package steps

import (
	"context"
	"time"

	"github.com/problemtracking/problems/conformance/internal/bench"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/predicate"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/relationship"
	"github.com/problemtracking/problems/domain/store"
)

// Reading is a call of one method of a Reader.
type Reading struct {
	Method string
	Do     func(context.Context, store.Reader) error
}

// Readings returns a reading by each method of a Reader. The problem has to
// exist.
func Readings(b *bench.Bench, id problem.ID) []Reading {
	all := &predicate.Plan{Root: predicate.Problem, Where: predicate.And{}, Slots: 1}
	catalogue := metadata.NewCatalogue(ident.Version{}, metadata.Content{})
	return []Reading{
		{"Problem", func(ctx context.Context, r store.Reader) error {
			_, err := r.Problem(ctx, id, ident.None, bench.Everything)
			return err
		}},
		{"Problems", func(ctx context.Context, r store.Reader) error {
			_, err := r.Problems(ctx, []problem.ID{id}, ident.None, bench.Everything)
			return err
		}},
		{"Log", func(ctx context.Context, r store.Reader) error {
			_, err := r.Log(ctx, id, 0, 100, 1<<20)
			return err
		}},
		{"Comments", func(ctx context.Context, r store.Reader) error {
			_, err := r.Comments(ctx, id, 0, 100, 1<<20)
			return err
		}},
		{"Search", func(ctx context.Context, r store.Reader) error {
			// To ask for the catalogue would be to read something else first.
			_, err := r.Search(ctx, store.Query{Plan: all, Limit: 10, Catalogue: catalogue})
			return err
		}},
		{"Neighbours", func(ctx context.Context, r store.Reader) error {
			_, err := r.Neighbours(ctx, relationship.ParentOf, []problem.ID{id})
			return err
		}},
		{"Catalogue", func(ctx context.Context, r store.Reader) error {
			_, err := r.Catalogue(ctx)
			return err
		}},
		{"Versions", func(ctx context.Context, r store.Reader) error {
			_, err := r.Versions(ctx)
			return err
		}},
		{"Dossiers", func(ctx context.Context, r store.Reader) error {
			_, err := r.Dossiers(ctx, 0, 100)
			return err
		}},
		{"Tokens", func(ctx context.Context, r store.Reader) error {
			_, err := r.Tokens(ctx)
			return err
		}},
		{"Audit", func(ctx context.Context, r store.Reader) error {
			_, err := r.Audit(ctx, 0, 10)
			return err
		}},
		{"Feed", func(ctx context.Context, r store.Reader) error {
			_, err := r.Feed(ctx, 1, 10, 1<<20)
			return err
		}},
		{"SavedQueries", func(ctx context.Context, r store.Reader) error {
			_, err := r.SavedQueries(ctx, ident.None)
			return err
		}},
		{"SavedQuery", func(ctx context.Context, r store.Reader) error {
			_, _, err := r.SavedQuery(ctx, b.Author)
			return err
		}},
		{"Webhooks", func(ctx context.Context, r store.Reader) error {
			_, err := r.Webhooks(ctx, 0, 10)
			return err
		}},
		{"Webhook", func(ctx context.Context, r store.Reader) error {
			_, _, err := r.Webhook(ctx, b.Author)
			return err
		}},
		{"Lease", func(ctx context.Context, r store.Reader) error {
			_, _, err := r.Lease(ctx, "work")
			return err
		}},
		{"Reply", func(ctx context.Context, r store.Reader) error {
			_, _, err := r.Reply(ctx, ident.None, "key")
			return err
		}},
		{"Oldest", func(ctx context.Context, r store.Reader) error {
			_, _, err := r.Oldest(ctx)
			return err
		}},
	}
}

// Oldest asks the store for the time of the oldest batch or reply.
func Oldest(b *bench.Bench) (at time.Time, ok bool) {
	b.Helper()
	b.View(func(r store.Reader) (err error) {
		at, ok, err = r.Oldest(b.Ctx)
		return err
	})
	return at, ok
}
