package tracker

import (
	"testing"
	"time"

	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/patch"
	"github.com/problemtracking/problems/domain/tracker/internal/kit"
)

// A preview is of one user's command and all that came of it; how the command was
// written does not matter.
func TestPreviewHash(t *testing.T) {
	t.Parallel()
	base := func() bulk {
		return newBulk(UpdateProblems{ProblemPatch: ProblemPatch{
			Title: patch.Set("U"), Assignee: kit.Partial(kit.Object{"name": "Ann", "email": "ann@example.org"}),
		}}, newLoaded(), newLoaded(assigned(kit.Ann)))
	}
	previewOf := func(b bulk) Preview {
		_, a, err := decideBulk(b, kit.At(kit.Now))
		kit.NoError(t, err)
		return *a.Value.Preview
	}
	same := base()
	same.cmd.Assignee = kit.Partial(kit.Object{"email": "ann@example.org", "name": "Ann"})
	kit.Equal(t, "members in another order", previewOf(same), previewOf(base()))
	seen := map[Preview]string{previewOf(base()): "nothing"}
	for name, change := range map[string]func(*bulk){
		"the time":            func(b *bulk) { b.now = b.now.Add(time.Millisecond) },
		"the user":            func(b *bulk) { b.caller = by(kit.Eve1) },
		"the predicate":       func(b *bulk) { b.text = "YES = YES" },
		"the title":           func(b *bulk) { b.cmd.Title = patch.Set("V") },
		"another field":       func(b *bulk) { b.cmd.Milestone = patch.Null[metadata.Partial]() },
		"a field less":        func(b *bulk) { b.cmd.Title = patch.Field[string]{} },
		"another partial":     func(b *bulk) { b.cmd.Assignee = kit.Named("Ann") },
		"a revision":          func(b *bulk) { b.problems[1].Revision++ },
		"another history":     func(b *bulk) { b.problems[1].Batch = kit.ID(203) },
		"a problem less":      func(b *bulk) { b.problems = b.problems[:1] },
		"another problem":     func(b *bulk) { b.problems[1].ID = 3 },
		"what it was before":  func(b *bulk) { b.problems[1].Title = "V" },
		"what is refused now": func(b *bulk) { b.cmd.Assignee, b.problems[0].Assignee = kit.Named("Cat"), kit.Cat },
	} {
		b := base()
		change(&b)
		p := previewOf(b)
		if other, taken := seen[p]; taken {
			t.Errorf("%s and %s have the same preview", name, other)
		}
		seen[p] = name
	}
}
