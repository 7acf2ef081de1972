package handles

import (
	"fmt"

	"github.com/problemtracking/problems/conformance/internal/bench"
	"github.com/problemtracking/problems/conformance/internal/cases/steps"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/store"
)

// Confirm are about Confirm in a healthy store. The cases of CONF-002 are about crashes
// and fail-overs.
func Confirm() []bench.Case {
	return []bench.Case{{
		ID:   "CONF-001",
		Rule: "Confirm returns nil for an empty store, and after each View and Versions of a healthy one. It changes nothing readable.",
		Run:  confirmHealthy,
	}, {
		ID:   "CONF-001/within",
		Rule: "A View under way keeps no Confirm waiting: within it, Confirm returns nil.",
		Run:  confirmWithinView,
	}, {
		ID:   "CONF-001/at-once",
		Rule: "Confirm returns nil while others commit, look and confirm.",
		Run:  confirmAtOnce,
	}, {
		ID:   "CONF-003",
		Rule: "Confirm with an ended context fails with Unavailable, and returns nil again with another.",
		Run:  confirmCancelled,
	}}
}

func confirmHealthy(b *bench.Bench) {
	steps.Confirm(b, "an empty store")
	for range 6 {
		_, change := steps.OneOfEach(b)
		b.Commit(change)
		versions, seen := b.Versions(), b.Image()
		steps.Confirm(b, "a Change that a View has shown")
		steps.Confirm(b, "the same again")
		b.Equal("what is stored after Confirm", seen, b.Image())
		b.Equal("Versions after Confirm", versions, b.Versions())
	}
}

func confirmWithinView(b *bench.Bench) {
	p := b.Create()
	b.View(func(r store.Reader) error {
		steps.Confirm(b, "what a View shows that goes on")
		b.Do(store.AddComment{Problem: p.ID, Comment: b.Comment("meanwhile")})
		steps.Confirm(b, "what a View does not show")
		_, err := r.Problem(b.Ctx, p.ID, ident.None, bench.Everything)
		return err
	})
}

func confirmAtOnce(b *bench.Bench) {
	const rounds = 10
	p := b.Create()
	b.Together(2*bench.Writers, func(who int) error {
		for range rounds {
			if err := b.Going(); err != nil {
				return err
			}
			if who%2 == 0 {
				comment := store.AddComment{Problem: p.ID, Comment: b.Comment("meanwhile")}
				if _, err := b.Store.Commit(b.Ctx, b.Change(comment)); err != nil {
					return fmt.Errorf("Commit: %w", err)
				}
				continue
			}
			shown, err := steps.GlanceAt(b, p.ID)
			if err != nil {
				return fmt.Errorf("View: %w", err)
			}
			if err := b.Store.Confirm(b.Ctx, shown); err != nil {
				return fmt.Errorf("Confirm of what a View has shown: %w", err)
			}
		}
		return nil
	})
}

func confirmCancelled(b *bench.Bench) {
	p := b.Create()
	for _, end := range steps.Ends(b) {
		b.Do(store.AddComment{Problem: p.ID, Comment: b.Comment(end.How)})
		shown, err := steps.GlanceAt(b, p.ID)
		b.Must("View", err)
		b.Fails("Confirm with a context that is "+end.How, fault.Unavailable, b.Store.Confirm(end.Ctx, shown))
		steps.Confirm(b, "what a View has shown")
	}
}
