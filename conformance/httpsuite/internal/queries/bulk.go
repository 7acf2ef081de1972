package queries

import (
	"fmt"

	"github.com/problemtracking/problems/conformance/httpsuite/internal/session"
)

// wholeHerd is a condition that every problem of a herd meets.
const wholeHerd = "TRUEPREDICATE"

// change sends one patch, with more parameters, for all problems of the herd with a true
// condition.
func (h *herd) change(c *session.Client, condition, body string, parameters ...string) *session.Answer {
	h.Helper()
	return c.Patch(session.Lookup("/problems", append([]string{"predicate", h.where(condition)}, parameters...)...), body).Offered("D18")
}

// preview is the answer to a dry run of a change.
func (h *herd) preview(c *session.Client, condition, body string) *session.Answer {
	h.Helper()
	return h.change(c, condition, body, "dryRun", "true").Is(200).JSON().Sends("Dry-Run", "true")
}

// unmoved runs f and demands the same problems before and after.
func (h *herd) unmoved(f func(), problems ...session.Problem) {
	h.Helper()
	for _, p := range problems {
		inner := f
		f = func() { h.Untouched(p, inner) }
	}
	f()
}

// bulkCases are about PATCH /problems: one change of many problems, in two steps.
func bulkCases() []session.Case {
	const source = "D18, D24"
	return []session.Case{
		session.Extended("HTTP-BULK-001", source, "a dry run tells which problems match, what would change, and what is as it is to be; and changes nothing", bulkPreviewChangesNothing),
		session.Extended("HTTP-BULK-002", source, "with its preview the change is made, as it was shown, in one batch by who sent it", bulkChangeIsAsPreviewed),
		session.Extended("HTTP-BULK-003", source, "without a preview nothing is changed", bulkChangeNeedsAPreview),
		session.Extended("HTTP-BULK-004", source, "when a problem has changed since the preview, or another matches, the answer is 412, and nothing is changed", stalePreviewIsRefused),
		session.Extended("HTTP-BULK-005", source, "a change that one of the problems refuses is shown, and made to none of them", oneRefusalStopsTheBulkChange),
		session.Extended("HTTP-BULK-006", source, "a preview is good for its user, its predicate and its patch alone, and once", previewIsGoodForOneChange),
		session.Extended("HTTP-BULK-007", "D17, D18", "the scope write is needed, and a body and a predicate without faults", faultsOfABulkChange),
		session.Extended("HTTP-BULK-008", source, "problems are moved between milestones, found by a saved query as well", bulkMoveBetweenMilestones),
		session.Extended("HTTP-BULK-009", source, "of several who send the same preview at once, one changes the problems", samePreviewAtOnceChangesOnce),
	}
}

func bulkPreviewChangesNothing(s *session.Session) {
	h := newHerd(s)
	a, b, same := h.add(s.Admin, "a"), h.add(s.Admin, "b", `"priority":{"name":"Low"}`), h.add(s.Admin, "same", `"priority":{"name":"High"}`)
	other := h.add(s.Admin, "other", `"classification":{"name":"Task"}`)
	h.unmoved(func() {
		shown := h.preview(s.Admin, "classification = nil", `{"priority":{"name":"High"}}`).Members("", "matched", "changes", "unchanged", "refused", "preview", "batchIdentifier")
		shown.Has("/matched", 3).Has("/unchanged", []int64{same.ID}).Has("/refused", []any{})
		if ids := shown.Identifiers("/changes"); len(ids) != 2 || ids[0] != a.ID || ids[1] != b.ID {
			s.Fatalf("%v\nwould change %v, want %d and %d", shown, ids, a.ID, b.ID)
		}
		shown.Has("/changes/0/revision", 2).Has("/changes/0/changes/0/field", "priority").Has("/changes/0/changes/0/from", nil).
			Has("/changes/0/changes/0/to/name", "High").Has("/changes/1/changes/0/from/name", "Low")
		if shown.Text("/preview") == "" {
			s.Fatalf("%v\nhas no preview", shown)
		}
		h.preview(s.Admin, "FALSEPREDICATE", `{"priority":null}`).Has("/matched", 0).Has("/changes", []any{})
	}, a, b, same, other)
}

func bulkChangeIsAsPreviewed(s *session.Session) {
	h, bob := newHerd(s), s.User()
	a, b, same := h.add(s.Admin, "a"), h.add(s.Admin, "b"), h.add(s.Admin, "same")
	s.Admin.Put(b.Keyword("k"), `"v"`).Is(201)
	s.Admin.Patch(same.Path, `{"state":{"name":"Closed"}}`).Is(200)
	other := s.Problem()
	const body = `{"state":{"name":"Closed"}}`
	s.Untouched(same, func() {
		s.Untouched(other, func() {
			shown := h.preview(bob.Client, wholeHerd, body)
			done := h.change(bob.Client, wholeHerd, body, "preview", shown.Text("/preview")).Is(200).JSON()
			done.Has("/changes", shown.At("/changes")).Has("/unchanged", []int64{same.ID}).Has("/preview", nil)
		})
	})
	first := a.Load(s.Admin).Has("/state/name", "Closed").Has("/revision", 2).Has("/resolver", bob.Object()).Has("/modifier", bob.Object())
	b.Load(s.Admin).Has("/state/name", "Closed").Has("/revision", 3).Has("/logs/last/batchIdentifier", first.Text("/logs/last/batchIdentifier")).
		Has("/logs/last/field", "state").Has("/logs/last/author", bob.Ref())
	h.finds(s.Admin, "state.resolved = NO")
}

func bulkChangeNeedsAPreview(s *session.Session) {
	h := newHerd(s)
	a := h.add(s.Admin, "a")
	h.unmoved(func() {
		h.change(s.Admin, wholeHerd, `{"priority":{"name":"High"}}`).Fault(422, "preview-required")
		h.change(s.Admin, "FALSEPREDICATE", `{"priority":{"name":"High"}}`).Fault(422, "preview-required")
		h.change(s.Admin, wholeHerd, `{"priority":{"name":"High"}}`, "preview", "x").Refused()
	}, a)
}

func stalePreviewIsRefused(s *session.Session) {
	const body = `{"priority":{"name":"High"}}`
	for _, move := range []func(h *herd, a session.Problem){
		func(_ *herd, a session.Problem) { s.Admin.Patch(a.Path, `{"classification":{"name":"Task"}}`).Is(200) },
		func(_ *herd, a session.Problem) { s.Admin.Put(a.Keyword("k"), `"v"`).Is(201) },
		func(_ *herd, a session.Problem) { s.Admin.Patch(a.Path, `{"title":"gone"}`).Is(200) },
		func(h *herd, _ session.Problem) { h.add(s.Admin, "c") },
	} {
		h := newHerd(s)
		a, b := h.add(s.Admin, "a"), h.add(s.Admin, "b")
		preview := h.preview(s.Admin, wholeHerd, body).Text("/preview")
		move(h, a)
		h.unmoved(func() { h.change(s.Admin, wholeHerd, body, "preview", preview).Fault(412, "stale-revision") }, a, b)
	}
}

func oneRefusalStopsTheBulkChange(s *session.Session) {
	h := newHerd(s)
	a, closed, b := h.add(s.Admin, "a"), h.add(s.Admin, "closed"), h.add(s.Admin, "b")
	s.Admin.Patch(closed.Path, `{"state":{"name":"Closed"}}`).Is(200)
	const body = `{"state":{"name":"In Progress"}}`
	h.unmoved(func() {
		shown := h.preview(s.Admin, wholeHerd, body).Has("/matched", 3).Has("/refused/0/identifier", closed.ID)
		if len(shown.List("/refused")) != 1 || len(shown.List("/changes")) != 2 {
			s.Fatalf("%v\nwould not refuse one and change two", shown)
		}
		h.change(s.Admin, wholeHerd, body, "preview", shown.Text("/preview")).Fault(409, "transition-not-allowed")
	}, a, closed, b)
}

func previewIsGoodForOneChange(s *session.Session) {
	h, bob := newHerd(s), s.User()
	a := h.add(s.Admin, "a")
	const body = `{"priority":{"name":"High"},"classification":null}`
	preview := h.preview(s.Admin, wholeHerd, body).Text("/preview")
	h.unmoved(func() {
		h.change(bob.Client, wholeHerd, body, "preview", preview).Fault(412, "stale-revision")
		h.change(s.Admin, "TRUEPREDICATE OR TRUEPREDICATE", body, "preview", preview).Fault(412, "stale-revision")
		h.change(s.Admin, wholeHerd, `{"priority":{"name":"Low"}}`, "preview", preview).Fault(412, "stale-revision")
	}, a)
	h.change(s.Admin, wholeHerd, body, "preview", preview).Is(200)
	h.unmoved(func() { h.change(s.Admin, wholeHerd, body, "preview", preview).Fault(412, "stale-revision") }, a)
}

func faultsOfABulkChange(s *session.Session) {
	h, reader := newHerd(s), s.UserWith("read")
	a := h.add(s.Admin, "a")
	h.unmoved(func() {
		h.change(reader.Client, wholeHerd, `{}`, "dryRun", "true").Fault(403, "forbidden")
		h.change(s.Admin, wholeHerd, `{"colour":1}`, "dryRun", "true").Fault(422, "unknown-field", "/colour")
		h.change(s.Admin, wholeHerd, `{"priority":{"name":`+session.Encode(s.Unique("none"))+`}}`, "dryRun", "true").Fault(422, "metadata-not-found", "/priority")
		h.change(s.Admin, "titel = 'x'", `{}`, "dryRun", "true").Fault(400, "invalid-predicate")
		h.change(s.Admin, wholeHerd, `{`, "dryRun", "true").Fault(400, "malformed-json")
		s.Admin.Patch("/problems?dryRun=true", `{}`).Fault(400, "malformed-request")
	}, a)
}

func bulkMoveBetweenMilestones(s *session.Session) {
	h, from, to := newHerd(s), s.Milestone(), s.Milestone()
	a, b := h.add(s.Admin, "a", `"milestone":`+from.Part()), h.add(s.Admin, "b", `"milestone":`+from.Part())
	rest := h.add(s.Admin, "rest", `"milestone":`+to.Part())
	saved := s.Admin.Post("/queries", session.Encode(map[string]any{"name": "to be moved", "predicate": "milestone.identifier = '" + from.Identifier + "'"})).Is(201).Text("/identifier")
	body := `{"milestone":` + to.Part() + `}`
	shown := s.Admin.Patch(session.Lookup("/problems", "savedQuery", saved, "dryRun", "true"), body).Is(200).Has("/matched", 2)
	s.Untouched(rest, func() {
		s.Admin.Patch(session.Lookup("/problems", "savedQuery", saved, "preview", shown.Text("/preview")), body).Is(200).Has("/changes", shown.At("/changes"))
	})
	for _, p := range []session.Problem{a, b} {
		p.Load(s.Admin).Has("/milestone/identifier", to.Identifier).Has("/revision", 2)
	}
	where := fmt.Sprintf("milestone.identifier = '%s'", to.Identifier)
	shown = h.preview(s.Admin, where, `{"milestone":null}`).Has("/matched", 3)
	h.change(s.Admin, where, `{"milestone":null}`, "preview", shown.Text("/preview")).Is(200)
	h.finds(s.Admin, "milestone = nil", a, b, rest)
	s.Admin.Delete("/queries/"+saved, "").Is(204)
}

func samePreviewAtOnceChangesOnce(s *session.Session) {
	h := newHerd(s)
	a, b := h.add(s.Admin, "a"), h.add(s.Admin, "b")
	const body = `{"priority":{"name":"High"}}`
	preview := h.preview(s.Admin, wholeHerd, body).Text("/preview")
	answers := session.Together(4, func(int) *session.Answer { return h.change(s.Admin, wholeHerd, body, "preview", preview) })
	if session.Count(answers, 200) != 1 || session.Count(answers, 412) != 3 {
		s.Fatalf("four who send one preview are answered with\n%v\n%v\n%v\n%v", answers[0], answers[1], answers[2], answers[3])
	}
	a.Load(s.Admin).Has("/revision", 2)
	b.Load(s.Admin).Has("/revision", 2)
}
