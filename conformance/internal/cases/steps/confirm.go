package steps

import (
	"github.com/problemtracking/problems/conformance/internal/bench"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/snapshot"
	"github.com/problemtracking/problems/domain/store"
)

// Confirm ends the case unless Confirm returns nil for a View of this moment.
func Confirm(b *bench.Bench, what string) {
	b.Helper()
	var shown store.History
	b.Must("View", b.Store.View(b.Ctx, func(r store.Reader) error {
		_, err := r.Versions(b.Ctx)
		shown = r.History()
		return err
	}))
	b.Must("Confirm of "+what, b.Store.Confirm(b.Ctx, shown))
}

// GlanceAt looks at a problem, and returns the History of the View.
func GlanceAt(b *bench.Bench, id problem.ID) (shown store.History, err error) {
	err = b.Store.View(b.Ctx, func(r store.Reader) error {
		_, err := r.Problem(b.Ctx, id, ident.None, snapshot.Comments)
		shown = r.History()
		return err
	})
	return shown, err
}
