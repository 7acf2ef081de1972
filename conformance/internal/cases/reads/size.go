package reads

import (
	"context"
	"fmt"
	"math"
	"strings"

	"github.com/problemtracking/problems/conformance/internal/bench"
	"github.com/problemtracking/problems/conformance/internal/model"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/relationship"
	"github.com/problemtracking/problems/domain/snapshot"
	"github.com/problemtracking/problems/domain/store"
)

// everyPart are all parts of a Snapshot.
const everyPart = snapshot.Keywords | snapshot.Log | snapshot.Comments | snapshot.Relationships | snapshot.Watchers | snapshot.Savepoints | snapshot.Attachments

// Size are about the sizes of problems, and about what is read in portions.
func Size() []bench.Case {
	return []bench.Case{{
		ID:   "SIZE-001",
		Rule: "A problem has the size of its creation or last update, for one and for several; no other Change alters it.",
		Run:  sizeOfLastUpdate,
	}, {
		ID:      "SIZE-001/reopened",
		Rule:    "Sizes are there when the store is opened again.",
		Durable: true,
		Run:     sizesAfterReopening,
	}, {
		ID:   "SIZE-002",
		Rule: "A restored problem has the size of its Dossier.",
		Run:  sizeOfDossier,
	}, {
		ID:   "SIZE-003",
		Rule: "With IfSmall, a problem larger than Small comes without parts, for one and for several; any other comes with all of them.",
		Run:  smallOnlyWithParts,
	}, {
		ID:   "READ-020",
		Rule: "Log returns at most limit entries after the first skip ones, ending with the entry that brings their total size to the budget.",
		Run:  portionsOfLog,
	}, {
		ID:   "READ-021",
		Rule: "Comments returns at most limit comments after the first skip ones, ending with the comment that brings their total size to the budget.",
		Run:  portionsOfComments,
	}}
}

func sizeOfLastUpdate(b *bench.Bench) {
	p := b.Problem(b.Reserve())
	for _, size := range []int64{0, 700, math.MaxInt32 + 1} {
		effects := []store.Effect{store.CreateProblem{Problem: p, Size: size}, store.UpdateProblem{Problem: p, Size: size + 1}}
		if size > 0 {
			effects = effects[1:]
		}
		b.Do(effects...)
		if size == 0 {
			b.Do(store.UpdateProblem{Problem: p})
			size--
		}
		sized(b, p.ID, size+1)
		b.Do(store.AddComment{Problem: p.ID, Comment: b.Comment("text")}, store.PutSavepoint{Problem: p},
			store.PutKeyword{Problem: p.ID, Keyword: problem.Keyword{Name: "name"}}, store.Watch{Problem: p.ID, User: b.ID()})
		sized(b, p.ID, size+1)
	}
}

func sizesAfterReopening(b *bench.Bench) {
	p := b.Problem(b.Reserve())
	b.Do(store.CreateProblem{Problem: p, Size: 12345})
	b.Reopen()
	sized(b, p.ID, 12345)
}

func sizeOfDossier(b *bench.Bench) {
	h := b.Holdings()
	b.Restore(h)
	for _, d := range h.Dossiers {
		sized(b, d.ID, d.Size())
	}
}

func smallOnlyWithParts(b *bench.Bench) {
	sizes := []int64{0, snapshot.Small, snapshot.Small + 1, math.MaxInt32}
	var ids []problem.ID
	for i, size := range sizes {
		p := b.Problem(b.Reserve())
		ids = append(ids, p.ID)
		change := b.Change(store.CreateProblem{Problem: p, Size: size}, store.PutSavepoint{Problem: p},
			store.PutAttachment{Problem: p.ID, Attachment: b.Attachment()}, store.AddComment{Problem: p.ID, Comment: b.Comment("text")}, store.Watch{Problem: p.ID, User: b.ID()},
			store.PutKeyword{Problem: p.ID, Keyword: problem.Keyword{Name: "name", Value: problem.Text("value")}})
		if i > 0 {
			change.Effects = append(change.Effects, b.Pair(p.ID, relationship.ParentOf, ids[0])...)
		}
		change.Log = append(change.Log, b.Entry(p.ID))
		b.Commit(change)
	}
	b.View(func(r store.Reader) error {
		several, err := r.Problems(b.Ctx, ids, ident.None, everyPart|snapshot.IfSmall)
		b.Must("Problems", err)
		for i, id := range ids {
			asked := everyPart
			if sizes[i] > snapshot.Small {
				asked = 0
			}
			want, err := r.Problem(b.Ctx, id, ident.None, asked)
			b.Must("Problem", err)
			one, err := r.Problem(b.Ctx, id, ident.None, everyPart|snapshot.IfSmall)
			b.Must("Problem with IfSmall", err)
			what := fmt.Sprintf("a problem of size %d", sizes[i])
			parts := [5]int{len(one.Keywords), len(one.Log), len(one.Comments), len(one.Savepoints), len(one.Attachments)}
			if asked != 0 {
				b.Equal("how many keywords, entries, comments, savepoints and attachments are loaded with "+what, [5]int{1, 1, 1, 1, 1}, parts)
			}
			b.Equal(what, want, one)
			if i < len(several) {
				b.Equal(what+", among several", want, several[i])
			}
			keywords, err := r.Problem(b.Ctx, id, ident.None, snapshot.Keywords|snapshot.IfSmall)
			b.Must("Problem with IfSmall", err)
			if asked != 0 {
				asked = snapshot.Keywords
			}
			want, err = r.Problem(b.Ctx, id, ident.None, asked)
			b.Must("Problem", err)
			b.Equal(what+", with its keywords", want, keywords)
		}
		b.Equal("how many problems there are", len(ids), len(several))
		return nil
	})
}

func portionsOfLog(b *bench.Bench) {
	p, other := b.Create(), b.Create()
	var want []problem.LogEntry
	for i := range 9 {
		change := b.Change(store.UpdateProblem{Problem: p})
		for _, id := range []problem.ID{p.ID, other.ID, p.ID} {
			e := b.Entry(id)
			e.To = problem.LogText(strings.Repeat("ä", 100*i))
			change.Log = append(change.Log, e)
			if id == p.ID {
				want = append(want, e)
			}
		}
		b.Commit(change)
	}
	portions(b, p.ID, want, problem.LogEntry.Size, store.Reader.Log)
}

func portionsOfComments(b *bench.Bench) {
	p, other := b.Create(), b.Create()
	var want []problem.Comment
	for i := range 15 {
		c := b.Comment(strings.Repeat("ä", 1+100*(i%4)))
		if i%3 == 0 {
			c.HTML = problem.Text("<p>")
		}
		want = append(want, c)
		b.Do(store.AddComment{Problem: p.ID, Comment: c}, store.AddComment{Problem: other.ID, Comment: b.Comment("x")})
	}
	portions(b, p.ID, want, problem.Comment.Size, store.Reader.Comments)
}

// sized checks the size of a problem.
func sized(b *bench.Bench, id problem.ID, size int64) {
	b.View(func(r store.Reader) error {
		one, err := r.Problem(b.Ctx, id, ident.None, 0)
		b.Must("Problem", err)
		b.Equal("the size of the problem", size, one.Size)
		several, err := r.Problems(b.Ctx, []problem.ID{id}, ident.None, 0)
		b.Must("Problems", err)
		for _, s := range several {
			b.Equal("the size of the problem, among several", size, s.Size)
		}
		return nil
	})
}

// portions checks all ways to read what a problem has in portions.
func portions[T any](b *bench.Bench, id problem.ID, all []T, size func(T) int64,
	read func(store.Reader, context.Context, problem.ID, int, int, int64) ([]T, error),
) {
	first, missing := size(all[0]), b.Reserve()
	b.View(func(r store.Reader) error {
		for _, skip := range []int{0, 1, 5, len(all) - 1, len(all), len(all) + 1, math.MaxInt32} {
			for _, limit := range []int{1, 2, 7, len(all), math.MaxInt32} {
				for _, budget := range []int64{1, first - 1, first, first + 1, 3000, math.MaxInt32} {
					got, err := read(r, b.Ctx, id, skip, limit, budget)
					what := fmt.Sprintf("at most %d after %d, until they reach %d bytes", limit, skip, budget)
					b.Must(what, err)
					b.Equal(what, model.Portion(all, skip, limit, budget, size), got)
				}
			}
		}
		none, err := read(r, b.Ctx, missing, 0, 10, 1000)
		b.Must("a problem that does not exist", err)
		b.Equal("what a problem that does not exist has", 0, len(none))
		return nil
	})
}
