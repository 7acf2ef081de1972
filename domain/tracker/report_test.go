package tracker

import (
	"fmt"
	"sync"
	"testing"

	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/lease"
	"github.com/problemtracking/problems/domain/patch"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/snapshot"
	"github.com/problemtracking/problems/domain/store"
	"github.com/problemtracking/problems/domain/tracker/internal/kit"
)

// reportOf is a report with the keyword alert.
func reportOf(alert string) Report {
	return Report{Keyword: NewKeyword{Name: patch.Set("alert"), Value: patch.Set(alert)}, Problem: CreateProblem{ProblemPatch: titled("T")}, Comment: patch.Set("Again.")}
}

func newReporting(found *loaded) reporting {
	b := reporting{creation: newCreation(), found: found}
	b.maxKeywords = 2
	return b
}

// D55: without a problem that has the keyword, one is created with it, and the lease of all such
// reports is raised.
func TestReportCreates(t *testing.T) {
	t.Parallel()
	cmd := reportOf("slow")
	cmd.Problem.Keywords = []NewKeyword{{Name: patch.Set("zone")}}
	basis := newReporting(nil)
	basis.lease = lease.Lease{Name: "report-00", Version: kit.ID(9)}
	change, a, err := decideReport(by(kit.Bob), cmd, basis, kit.At(kit.Now))
	kit.NoError(t, err)
	kit.Equal(t, "new", a.New, true)
	kit.Equal(t, "keywords", a.Value.Keywords, []problem.Keyword{{Name: "alert", Value: problem.Text("slow")}, {Name: "zone"}})
	kit.Equal(t, "comments", kit.EffectsOf[store.AddComment](change)[0].Comment.Text, "Again.")
	kit.Expects(t, change, store.CatalogueAt{Version: kit.CatalogueVersion}, store.LeaseAt{Name: "report-00", Version: kit.ID(9)})
	kit.Equal(t, "lease", kit.EffectsOf[store.PutLease](change), []store.PutLease{{Lease: lease.Lease{Name: "report-00", Version: change.Batch}}})
}

// D55: the comment is added to the problem that has the keyword, if it is still as it was found.
func TestReportAddsComment(t *testing.T) {
	t.Parallel()
	l := newLoaded()
	change, a, err := decideReport(by(kit.Bob), reportOf("slow"), newReporting(&l), kit.At(kit.Now))
	kit.NoError(t, err)
	kit.Equal(t, "answer", []any{a.New, a.Value.ID, a.Revision, len(a.Value.Log)}, []any{false, l.ID, int64(4), 1})
	kit.Equal(t, "comment", kit.EffectsOf[store.AddComment](change)[0].Comment.Text, "Again.")
	kit.Expects(t, change, store.ProblemAt{ID: 7, Revision: 3, Batch: kit.StoredBy})

	silent := reportOf("slow")
	silent.Comment, silent.Idempotency = patch.Field[string]{}, keyed[snapshot.Snapshot](1)
	change, a, err = decideReport(by(kit.Bob), silent, newReporting(&l), kit.At(kit.Now))
	kit.NoError(t, err)
	kit.Equal(t, "revision", a.Revision, int64(3))
	kit.Equal(t, "reply about", kit.EffectsOf[store.KeepReply](change)[0].Reply.About, store.About{Problem: 7})
	kit.Expects(t, change, store.ProblemAt{ID: 7, Revision: 3, Batch: kit.StoredBy}, change.Expect[1])
}

// D55: a report at fault is refused, with the locations of its body, also when there is a problem.
func TestReportRefuses(t *testing.T) {
	t.Parallel()
	l := newLoaded()
	for _, c := range []struct {
		rule  string
		edit  func(*Report)
		kind  fault.Kind
		items []string
	}{
		{"nothing sent", func(r *Report) { *r = Report{} }, fault.RequiredField,
			[]string{"required-field /keyword/name", "required-field /keyword/value", "required-field /problem/title"}},
		{"no value", func(r *Report) { r.Keyword.Value = patch.Null[string]() }, fault.InvalidValue, []string{"invalid-value /keyword/value"}},
		{"empty value", func(r *Report) { r.Keyword.Value = patch.Set("") }, fault.InvalidValue, []string{"invalid-value /keyword/value"}},
		{"the same keyword", func(r *Report) { r.Problem.Keywords = []NewKeyword{{Name: patch.Set("alert")}} }, fault.InvalidValue, []string{"invalid-value /keyword"}},
		{"too many keywords", func(r *Report) { r.Problem.Keywords = []NewKeyword{{Name: patch.Set("a")}, {Name: patch.Set("b")}} }, fault.InvalidValue, []string{"invalid-value /problem/keywords"}},
		{"faults of all parts", func(r *Report) {
			r.Faults.Add(fault.InvalidType, fault.At("keyword"), "must be an object")
			r.Faults.Add(fault.UnknownField, fault.At("problem").Member("keywords").Element(0).Member("colour"), "is not known here")
			r.Problem.Priority, r.Comment = kit.Named("Medium"), patch.Set("")
		}, fault.ValidationFailed, []string{"invalid-type /keyword", "unknown-field /problem/keywords/0/colour", "metadata-not-found /problem/priority", "invalid-value /comment"}},
		{"no object", func(r *Report) {
			r.Faults.Add(fault.InvalidType, fault.At("problem"), "must be an object")
			r.Problem = CreateProblem{}
		}, fault.InvalidType, []string{"invalid-type /problem"}},
		{"no initial state", func(r *Report) { r.Problem.State = kit.Named("Closed") }, fault.TransitionNotAllowed, nil},
	} {
		for _, found := range []*loaded{nil, &l} {
			t.Run(fmt.Sprintf("%s, found %t", c.rule, found != nil), func(t *testing.T) {
				t.Parallel()
				cmd := reportOf("slow")
				c.edit(&cmd)
				_, _, err := decideReport(by(kit.Bob), cmd, newReporting(found), kit.At(kit.Now))
				kit.WantFault(t, err, c.kind, c.items...)
			})
		}
	}
}

// D55: of many reports with one keyword at once, through several servers, one creates the problem;
// after it is resolved, the next one creates another. The smallest number gets the comment.
func TestReport(t *testing.T) {
	t.Parallel()
	s := newService(t)
	var all sync.WaitGroup
	for range 8 {
		server := newServer(s.memory, s.clock)
		all.Go(func() {
			for i := range 6 {
				_, err := server.Report(t.Context(), s.admin, reportOf(fmt.Sprint("a'\\", i%2)))
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	report := func(cmd Report) (problem.ID, bool) {
		t.Helper()
		a, err := s.Report(t.Context(), s.admin, cmd)
		kit.NoError(t, err)
		return a.Value.ID, a.New
	}
	found, err := s.As(s.admin).Search(t.Context(), SearchProblems{Search: Search{Predicate: patch.Set("ANY keywords.name = 'alert'")}, Parts: snapshot.Comments})
	kit.NoError(t, err)
	comments := 0
	for _, p := range found.First.Value {
		comments += len(p.Comments)
	}
	kit.Equal(t, "problems and comments", []int{len(found.First.Value), comments}, []int{2, 48})

	first, created := report(reportOf("a'\\0"))
	kit.Equal(t, "created", created, false)
	second := s.create(t, "With the keyword, too")
	_, err = s.SetKeyword(t.Context(), s.admin, second, SetKeyword{Name: "alert", Value: problem.Text("a'\\0")})
	kit.NoError(t, err)
	_, err = s.UpdateProblem(t.Context(), s.admin, first, UpdateProblem{ProblemPatch: ProblemPatch{State: kit.Named("Closed")}})
	kit.NoError(t, err)
	again, created := report(reportOf("a'\\0"))
	kit.Equal(t, "the other problem", []any{again, created}, []any{second, false})
	dry := reportOf("new")
	dry.DryRun = true
	id, created := report(dry)
	kit.Equal(t, "dry run", []any{id, created}, []any{problem.ID(0), true})
	once := reportOf("new")
	once.Idempotency = &Idempotency[snapshot.Snapshot]{Key: "k", Render: func(a Answer[snapshot.Snapshot]) []byte { return []byte(fmt.Sprint(a.Value.ID, a.New)) }}
	id, _ = report(once)
	replay, err := s.Report(t.Context(), s.admin, once)
	kit.NoError(t, err)
	kit.Equal(t, "replay", string(replay.Replay), fmt.Sprint(id, true))
	if reportLease(problem.Keyword{Name: "a", Value: problem.Text("bc")}) == reportLease(problem.Keyword{Name: "ab", Value: problem.Text("c")}) {
		t.Error("name and value run together")
	}
}
