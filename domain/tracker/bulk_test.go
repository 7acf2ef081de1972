package tracker

import (
	"fmt"
	"testing"
	"time"

	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/patch"
	"github.com/problemtracking/problems/domain/preview"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/store"
	"github.com/problemtracking/problems/domain/tracker/internal/changes"
	"github.com/problemtracking/problems/domain/tracker/internal/kit"
)

// newBulk is the dry run of a command by Bob, whose predicate holds for some
// problems, which are numbered from 1.
func newBulk(cmd UpdateProblems, found ...loaded) bulk {
	cmd.DryRun = true
	b := bulk{caller: by(kit.Bob), cmd: cmd, text: "TRUEPREDICATE", now: kit.Now, catalogue: kit.Catalogue, maxKeywords: 2}
	for i, l := range found {
		l.ID = problem.ID(i + 1)
		l.Keywords = nil
		b.problems = append(b.problems, l.Snapshot)
	}
	return b
}

// sayBulk writes out what comes of a change: each change as
// "id@revision field: from → to", what is unchanged, and refusals as "id kind".
func sayBulk(c ChangedProblems) (lines []string) {
	for _, change := range c.Changes {
		for _, f := range change.Fields {
			lines = append(lines, fmt.Sprintf("%d@%d %s: %s → %s", change.ID, change.Revision, f.Field, f.From.JSON(), f.To.JSON()))
		}
	}
	for _, id := range c.Unchanged {
		lines = append(lines, fmt.Sprintf("%d unchanged", id))
	}
	for _, r := range c.Refused {
		line := fmt.Sprintf("%d %s", r.ID, r.Err.Kind)
		for _, item := range r.Err.Items {
			line += " " + kit.Pointer(item.At)
		}
		lines = append(lines, line)
	}
	return lines
}

// What a patch of many problems comes to for each of them: what W2 does to it
// (D11, D19), and what it refuses.
func TestDecideBulk(t *testing.T) {
	t.Parallel()
	closedBy := func(who ident.ID) func(*loaded) { return resolvedBy(who, kit.Noon) }
	for _, c := range []struct {
		rule string
		cmd  ProblemPatch
		old  []loaded
		want []string
	}{
		{"nothing matches", titled("U"), nil, nil},
		{"a field", titled("U"), []loaded{newLoaded(), newLoaded()}, []string{
			`1@4 title: "Login fails" → "U"`, `2@4 title: "Login fails" → "U"`,
		}},
		{"some are so already", ProblemPatch{State: kit.Named("Closed")}, []loaded{newLoaded(closedBy(kit.Ann)), newLoaded(), newLoaded(in(kit.Archived))}, []string{
			`2@4 state: ` + kit.Ref(kit.Open, "Open") + ` → ` + kit.Ref(kit.Closed, "Closed"), `1 unchanged`, `3 transition-not-allowed`,
		}},
		{"several fields, in their order", ProblemPatch{Assignee: kit.Named("Ann"), Priority: patch.Null[metadata.Partial](), Title: patch.Set(" U ")},
			[]loaded{newLoaded(assigned(kit.Ann)), newLoaded()}, []string{
				`1@4 title: "Login fails" → "U"`, `1@4 priority: ` + kit.Ref(kit.Low, "Low") + ` → null`,
				`2@4 title: "Login fails" → "U"`, `2@4 priority: ` + kit.Ref(kit.Low, "Low") + ` → null`, `2@4 assignee: null → ` + kit.Ref(kit.Ann, "Ann"),
			}},
		{"who is inactive can stay but not come", ProblemPatch{Assignee: kit.Named("Cat")}, []loaded{newLoaded(assigned(kit.Cat)), newLoaded()}, []string{
			`1 unchanged`, `2 invalid-value /assignee`,
		}},
		{"what is closed can stay but not come; all that is wrong with one is said", ProblemPatch{Assignee: kit.Named("Cat"), Component: kit.Named("Legacy")},
			[]loaded{newLoaded(component(kit.Legacy), assigned(kit.Cat)), newLoaded()}, []string{
				`1 unchanged`, `2 invalid-value /component /assignee`,
			}},
		{"a value that cannot be comes before a move that cannot", ProblemPatch{Assignee: kit.Named("Cat"), State: kit.Named("Triage")}, []loaded{newLoaded()}, []string{
			`1 invalid-value /assignee`,
		}},
		{"marked as read: no revision", ProblemPatch{Read: patch.Set(true)}, []loaded{newLoaded(), newLoaded(read)}, []string{
			`1@3 read: false → true`, `2 unchanged`,
		}},
		{"marked as unread, though changed", ProblemPatch{Read: patch.Set(false), Title: patch.Set("U")}, []loaded{newLoaded(), newLoaded(read)}, []string{
			`1@4 title: "Login fails" → "U"`, `2@4 title: "Login fails" → "U"`, `2@4 read: true → false`,
		}},
		{"an empty patch", ProblemPatch{}, []loaded{newLoaded()}, []string{`1 unchanged`}},
	} {
		t.Run(c.rule, func(t *testing.T) {
			t.Parallel()
			b := newBulk(UpdateProblems{ProblemPatch: c.cmd}, c.old...)
			_, a, err := decideBulk(b, kit.At(kit.Now))
			kit.NoError(t, err)
			kit.Equal(t, "preview", sayBulk(a.Value), c.want)
			if a.Value.Preview == nil || !a.Value.Preview.Now.Equal(kit.Now) {
				t.Errorf("the preview is %+v, want one of %v", a.Value.Preview, kit.Now)
			}

			b.cmd.DryRun, b.cmd.Preview = false, a.Value.Preview
			change, b2, err := decideBulk(b, kit.At(kit.Now.Add(time.Minute)))
			if refused := a.Value.Refused; len(refused) > 0 {
				kit.WantFault(t, err, refused[0].Err.Kind)
				kit.Nothing(t, change)
				if want := fmt.Sprintf("problem %d: %s", refused[0].ID, refused[0].Err.Detail); kit.FaultOf(t, err).Detail != want {
					t.Errorf("detail %q, want %q", kit.FaultOf(t, err).Detail, want)
				}
				return
			}
			kit.NoError(t, err)
			kit.Equal(t, "answer", sayBulk(b2.Value), c.want)
			kit.Equal(t, "preview of what has happened", b2.Value.Preview, (*Preview)(nil))
			if len(a.Value.Changes) == 0 {
				kit.Nothing(t, change)
			}
			var expectations []store.Expectation
			for _, s := range b.problems {
				expectations = append(expectations, store.ProblemAt{ID: s.ID, Revision: s.Revision, Batch: s.Batch})
			}
			kit.Expects(t, change, append(expectations, store.CatalogueAt{Version: kit.CatalogueVersion})...)
			for _, e := range change.Log {
				if e.Batch != change.Batch || !e.Created.Equal(change.At) || e.Author != kit.Bob {
					t.Errorf("entry %+v is not of the one batch", e)
				}
			}
		})
	}
}

// D24: a keyword is set, and another one goes, at each problem, in its one revision.
func TestBulkKeywords(t *testing.T) {
	t.Parallel()
	set := NewKeyword{Name: patch.Set("floor"), Value: patch.Set("1")}
	b := newBulk(UpdateProblems{Keyword: set, Without: patch.Set("room")}, newLoaded(), newLoaded(), newLoaded(), newLoaded())
	room, floor := problem.Keyword{Name: "room"}, problem.Keyword{Name: "floor", Value: problem.Text("1")}
	b.problems[1].Keywords = []problem.Keyword{{Name: "a"}, room}
	b.problems[2].Keywords = []problem.Keyword{floor}
	b.problems[3].Keywords = []problem.Keyword{{Name: "a"}, {Name: "b"}}
	change, a, err := decideBulk(b, kit.At(kit.Now))
	kit.NoError(t, err)
	kit.Equal(t, "preview", sayBulk(a.Value), []string{
		`1@4 floor: null → ` + problem.LogKeyword(floor).JSON(),
		`2@4 room: ` + problem.LogKeyword(room).JSON() + ` → null`, `2@4 floor: null → ` + problem.LogKeyword(floor).JSON(),
		`3 unchanged`, `4 invalid-value /keyword`,
	})
	if put, dropped := kit.EffectsOf[store.PutKeyword](change), kit.EffectsOf[store.DropKeyword](change); len(put) != 2 || len(dropped) != 1 {
		t.Errorf("the effects are %+v and %+v", put, dropped)
	}
	for _, cmd := range []UpdateProblems{{Keyword: NewKeyword{Name: patch.Set("")}}, {Keyword: set, Without: patch.Set("floor")}} {
		_, _, err := decideBulk(newBulk(cmd, newLoaded()), kit.At(kit.Now))
		kit.WantFault(t, err, fault.InvalidValue)
	}
}

// A body that is wrong for every problem is refused as W2 does, whatever matches;
// that it needs a preview is said of a body that is right; and that something has
// moved before anything else (D18).
func TestBulkOrderOfFaults(t *testing.T) {
	t.Parallel()
	var form fault.List
	form.Add(fault.UnknownField, fault.At("colour"), "is not known")
	wrong := UpdateProblems{Write: Write{Faults: form}, ProblemPatch: ProblemPatch{
		Title: patch.Set(""), State: patch.Null[metadata.Partial](), Priority: kit.Named("x"), Read: patch.Null[bool](),
	}}
	for _, found := range [][]loaded{nil, {newLoaded(), newLoaded(in(kit.Archived))}} {
		b := newBulk(wrong, found...)
		items := []string{"unknown-field /colour", "invalid-value /title", "invalid-value /state", "metadata-not-found /priority", "invalid-value /read"}
		_, _, err := decideBulk(b, kit.At(kit.Now))
		kit.WantFault(t, err, fault.ValidationFailed, items...)

		b.cmd.DryRun, b.refusal = false, preview.Required("none")
		_, _, err = decideBulk(b, kit.At(kit.Now))
		kit.WantFault(t, err, fault.ValidationFailed, items...)
		b.cmd.Faults, b.cmd.ProblemPatch = nil, titled("U")
		_, _, err = decideBulk(b, kit.At(kit.Now))
		kit.WantFault(t, err, fault.PreviewRequired)

		b.refusal, b.cmd.Preview = nil, &Preview{Now: kit.Now}
		b.cmd.Faults, b.cmd.ProblemPatch = form, wrong.ProblemPatch
		_, _, err = decideBulk(b, kit.At(kit.Now))
		kit.WantFault(t, err, fault.StaleRevision)
	}
}

// A decision about many problems is as pure as those about one.
func TestBulkDecisionIsPure(t *testing.T) {
	t.Parallel()
	input := func() bulk {
		b := newBulk(UpdateProblems{ProblemPatch: ProblemPatch{State: kit.Named("Closed"), Read: patch.Set(false)}},
			newLoaded(assigned(kit.Bob)), newLoaded(read), newLoaded(resolvedBy(kit.Ann, kit.Noon)))
		return b
	}
	kit.Pure(t, "update many", input, func(b bulk, m changes.Moment) (store.Change, any, error) {
		return erased(decideBulk(b, m))
	})
}
