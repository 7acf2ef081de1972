package conformance

import (
	"fmt"

	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/store"
)

// confirmCases are about Confirm in a store that can do what it is asked to.
// What survives a crash or a fail-over is for the cases of CONF-002.
func confirmCases() []Case {
	return []Case{{
		ID:   "CONF-001",
		Rule: "Confirm returns nil for an empty store, and after each View and Versions of a healthy one. It changes nothing that can be read.",
		run: func(b *bench) {
			confirm(b, "an empty store")
			for range 6 {
				_, change := oneOfEach(b)
				b.commit(change)
				versions, seen := b.versions(), b.image()
				confirm(b, "a Change that a View has shown")
				confirm(b, "the same again")
				b.equal("what is stored after Confirm", seen, b.image())
				b.equal("Versions after Confirm", versions, b.versions())
			}
		},
	}, {
		ID:   "CONF-001/within",
		Rule: "A View that is under way keeps no Confirm waiting: within it, Confirm returns nil.",
		run: func(b *bench) {
			p := b.create()
			b.view(func(r store.Reader) error {
				confirm(b, "what a View shows that goes on")
				b.do(store.AddComment{Problem: p.ID, Comment: b.comment("meanwhile")})
				confirm(b, "what a View does not show")
				_, err := r.Problem(b.ctx, p.ID, ident.None, everything)
				return err
			})
		},
	}, {
		ID:   "CONF-001/at-once",
		Rule: "Confirm returns nil while others commit, look and confirm.",
		run: func(b *bench) {
			const rounds = 10
			p := b.create()
			b.together(2*writers, func(who int) error {
				for range rounds {
					if err := b.going(); err != nil {
						return err
					}
					if who%2 == 0 {
						comment := store.AddComment{Problem: p.ID, Comment: b.comment("meanwhile")}
						if _, err := b.store.Commit(b.ctx, b.change(comment)); err != nil {
							return fmt.Errorf("Commit: %w", err)
						}
						continue
					}
					shown, err := glanceAt(b, p.ID)
					if err != nil {
						return fmt.Errorf("View: %w", err)
					}
					if err := b.store.Confirm(b.ctx, shown); err != nil {
						return fmt.Errorf("Confirm of what a View has shown: %w", err)
					}
				}
				return nil
			})
		},
	}, {
		ID:   "CONF-003",
		Rule: "Confirm with a context that is over fails with Unavailable, and returns nil again with another.",
		run: func(b *bench) {
			p := b.create()
			for _, end := range ends(b) {
				b.do(store.AddComment{Problem: p.ID, Comment: b.comment(end.how)})
				shown, err := glanceAt(b, p.ID)
				b.must("View", err)
				b.fails("Confirm with a context that is "+end.how, fault.Unavailable, b.store.Confirm(end.ctx, shown))
				confirm(b, "what a View has shown")
			}
		},
	}}
}

// confirm ends the case unless Confirm returns nil for a View of this moment.
func confirm(b *bench, what string) {
	b.Helper()
	var shown store.History
	b.must("View", b.store.View(b.ctx, func(r store.Reader) error {
		_, err := r.Versions(b.ctx)
		shown = r.History()
		return err
	}))
	b.must("Confirm of "+what, b.store.Confirm(b.ctx, shown))
}

// glanceAt looks at a problem, and returns the History of what it has seen.
func glanceAt(b *bench, id problem.ID) (shown store.History, err error) {
	err = b.store.View(b.ctx, func(r store.Reader) error {
		_, err := r.Problem(b.ctx, id, ident.None, store.Comments)
		shown = r.History()
		return err
	})
	return shown, err
}
