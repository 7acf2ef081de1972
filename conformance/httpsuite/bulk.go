package httpsuite

import "fmt"

// wholeHerd is a condition that every problem of a herd meets.
const wholeHerd = "TRUEPREDICATE"

// change sends one patch, with more parameters, for all problems of the herd with a true
// condition.
func (h *herd) change(c *client, condition, body string, parameters ...string) *answer {
	h.Helper()
	return c.patch(lookup("/problems", append([]string{"predicate", h.where(condition)}, parameters...)...), body).offered("D18")
}

// preview is the answer to a dry run of a change.
func (h *herd) preview(c *client, condition, body string) *answer {
	h.Helper()
	return h.change(c, condition, body, "dryRun", "true").is(200).json().sends("Dry-Run", "true")
}

// unmoved runs f and demands the same problems before and after.
func (h *herd) unmoved(f func(), problems ...problem) {
	h.Helper()
	for _, p := range problems {
		inner := f
		f = func() { h.untouched(p, inner) }
	}
	f()
}

// bulkCases are about PATCH /problems: one change of many problems, in two steps.
func bulkCases() []demand {
	const source = "D18, D24"
	return []demand{
		{extended, "HTTP-BULK-001", source, "a dry run tells which problems match, what would change, and what is as it is to be; and changes nothing", bulkPreviewChangesNothing},
		{extended, "HTTP-BULK-002", source, "with its preview the change is made, as it was shown, in one batch by who sent it", bulkChangeIsAsPreviewed},
		{extended, "HTTP-BULK-003", source, "without a preview nothing is changed", bulkChangeNeedsAPreview},
		{extended, "HTTP-BULK-004", source, "when a problem has changed since the preview, or another matches, the answer is 412, and nothing is changed", stalePreviewIsRefused},
		{extended, "HTTP-BULK-005", source, "a change that one of the problems refuses is shown, and made to none of them", oneRefusalStopsTheBulkChange},
		{extended, "HTTP-BULK-006", source, "a preview is good for its user, its predicate and its patch alone, and once", previewIsGoodForOneChange},
		{extended, "HTTP-BULK-007", "D17, D18", "the scope write is needed, and a body and a predicate without faults", faultsOfABulkChange},
		{extended, "HTTP-BULK-008", source, "problems are moved between milestones, found by a saved query as well", bulkMoveBetweenMilestones},
		{extended, "HTTP-BULK-009", source, "of several who send the same preview at once, one changes the problems", samePreviewAtOnceChangesOnce},
	}
}

func bulkPreviewChangesNothing(s *session) {
	h := newHerd(s)
	a, b, same := h.add(s.admin, "a"), h.add(s.admin, "b", `"priority":{"name":"Low"}`), h.add(s.admin, "same", `"priority":{"name":"High"}`)
	other := h.add(s.admin, "other", `"classification":{"name":"Task"}`)
	h.unmoved(func() {
		shown := h.preview(s.admin, "classification = nil", `{"priority":{"name":"High"}}`).members("", "matched", "changes", "unchanged", "refused", "preview")
		shown.has("/matched", 3).has("/unchanged", []int64{same.id}).has("/refused", []any{})
		if ids := shown.identifiers("/changes"); len(ids) != 2 || ids[0] != a.id || ids[1] != b.id {
			s.Fatalf("%v\nwould change %v, want %d and %d", shown, ids, a.id, b.id)
		}
		shown.has("/changes/0/revision", 2).has("/changes/0/changes/0/field", "priority").has("/changes/0/changes/0/from", nil).
			has("/changes/0/changes/0/to/name", "High").has("/changes/1/changes/0/from/name", "Low")
		if shown.text("/preview") == "" {
			s.Fatalf("%v\nhas no preview", shown)
		}
		h.preview(s.admin, "FALSEPREDICATE", `{"priority":null}`).has("/matched", 0).has("/changes", []any{})
	}, a, b, same, other)
}

func bulkChangeIsAsPreviewed(s *session) {
	h, bob := newHerd(s), s.user()
	a, b, same := h.add(s.admin, "a"), h.add(s.admin, "b"), h.add(s.admin, "same")
	s.admin.put(b.keyword("k"), `"v"`).is(201)
	s.admin.patch(same.path, `{"state":{"name":"Closed"}}`).is(200)
	other := s.problem()
	const body = `{"state":{"name":"Closed"}}`
	s.untouched(same, func() {
		s.untouched(other, func() {
			shown := h.preview(bob.client, wholeHerd, body)
			done := h.change(bob.client, wholeHerd, body, "preview", shown.text("/preview")).is(200).json()
			done.has("/changes", shown.at("/changes")).has("/unchanged", []int64{same.id}).has("/preview", nil)
		})
	})
	first := a.load(s.admin).has("/state/name", "Closed").has("/revision", 2).has("/resolver", bob.object()).has("/modifier", bob.object())
	b.load(s.admin).has("/state/name", "Closed").has("/revision", 3).has("/logs/last/batchIdentifier", first.text("/logs/last/batchIdentifier")).
		has("/logs/last/field", "state").has("/logs/last/author", bob.ref())
	h.finds(s.admin, "state.resolved = NO")
}

func bulkChangeNeedsAPreview(s *session) {
	h := newHerd(s)
	a := h.add(s.admin, "a")
	h.unmoved(func() {
		h.change(s.admin, wholeHerd, `{"priority":{"name":"High"}}`).fault(422, "preview-required")
		h.change(s.admin, "FALSEPREDICATE", `{"priority":{"name":"High"}}`).fault(422, "preview-required")
		h.change(s.admin, wholeHerd, `{"priority":{"name":"High"}}`, "preview", "x").refused()
	}, a)
}

func stalePreviewIsRefused(s *session) {
	const body = `{"priority":{"name":"High"}}`
	for _, move := range []func(h *herd, a problem){
		func(_ *herd, a problem) { s.admin.patch(a.path, `{"classification":{"name":"Task"}}`).is(200) },
		func(_ *herd, a problem) { s.admin.put(a.keyword("k"), `"v"`).is(201) },
		func(_ *herd, a problem) { s.admin.patch(a.path, `{"title":"gone"}`).is(200) },
		func(h *herd, _ problem) { h.add(s.admin, "c") },
	} {
		h := newHerd(s)
		a, b := h.add(s.admin, "a"), h.add(s.admin, "b")
		preview := h.preview(s.admin, wholeHerd, body).text("/preview")
		move(h, a)
		h.unmoved(func() { h.change(s.admin, wholeHerd, body, "preview", preview).fault(412, "stale-revision") }, a, b)
	}
}

func oneRefusalStopsTheBulkChange(s *session) {
	h := newHerd(s)
	a, closed, b := h.add(s.admin, "a"), h.add(s.admin, "closed"), h.add(s.admin, "b")
	s.admin.patch(closed.path, `{"state":{"name":"Closed"}}`).is(200)
	const body = `{"state":{"name":"In Progress"}}`
	h.unmoved(func() {
		shown := h.preview(s.admin, wholeHerd, body).has("/matched", 3).has("/refused/0/identifier", closed.id)
		if len(shown.list("/refused")) != 1 || len(shown.list("/changes")) != 2 {
			s.Fatalf("%v\nwould not refuse one and change two", shown)
		}
		h.change(s.admin, wholeHerd, body, "preview", shown.text("/preview")).fault(409, "transition-not-allowed")
	}, a, closed, b)
}

func previewIsGoodForOneChange(s *session) {
	h, bob := newHerd(s), s.user()
	a := h.add(s.admin, "a")
	const body = `{"priority":{"name":"High"},"classification":null}`
	preview := h.preview(s.admin, wholeHerd, body).text("/preview")
	h.unmoved(func() {
		h.change(bob.client, wholeHerd, body, "preview", preview).fault(412, "stale-revision")
		h.change(s.admin, "TRUEPREDICATE OR TRUEPREDICATE", body, "preview", preview).fault(412, "stale-revision")
		h.change(s.admin, wholeHerd, `{"priority":{"name":"Low"}}`, "preview", preview).fault(412, "stale-revision")
	}, a)
	h.change(s.admin, wholeHerd, body, "preview", preview).is(200)
	h.unmoved(func() { h.change(s.admin, wholeHerd, body, "preview", preview).fault(412, "stale-revision") }, a)
}

func faultsOfABulkChange(s *session) {
	h, reader := newHerd(s), s.userWith("read")
	a := h.add(s.admin, "a")
	h.unmoved(func() {
		h.change(reader.client, wholeHerd, `{}`, "dryRun", "true").fault(403, "forbidden")
		h.change(s.admin, wholeHerd, `{"colour":1}`, "dryRun", "true").fault(422, "unknown-field", "/colour")
		h.change(s.admin, wholeHerd, `{"priority":{"name":`+encode(s.unique("none"))+`}}`, "dryRun", "true").fault(422, "metadata-not-found", "/priority")
		h.change(s.admin, "titel = 'x'", `{}`, "dryRun", "true").fault(400, "invalid-predicate")
		h.change(s.admin, wholeHerd, `{`, "dryRun", "true").fault(400, "malformed-json")
		s.admin.patch("/problems?dryRun=true", `{}`).fault(400, "malformed-request")
	}, a)
}

func bulkMoveBetweenMilestones(s *session) {
	h, from, to := newHerd(s), s.milestone(), s.milestone()
	a, b := h.add(s.admin, "a", `"milestone":`+from.part()), h.add(s.admin, "b", `"milestone":`+from.part())
	rest := h.add(s.admin, "rest", `"milestone":`+to.part())
	saved := s.admin.post("/queries", encode(map[string]any{"name": "to be moved", "predicate": "milestone.identifier = '" + from.identifier + "'"})).is(201).text("/identifier")
	body := `{"milestone":` + to.part() + `}`
	shown := s.admin.patch(lookup("/problems", "savedQuery", saved, "dryRun", "true"), body).is(200).has("/matched", 2)
	s.untouched(rest, func() {
		s.admin.patch(lookup("/problems", "savedQuery", saved, "preview", shown.text("/preview")), body).is(200).has("/changes", shown.at("/changes"))
	})
	for _, p := range []problem{a, b} {
		p.load(s.admin).has("/milestone/identifier", to.identifier).has("/revision", 2)
	}
	where := fmt.Sprintf("milestone.identifier = '%s'", to.identifier)
	shown = h.preview(s.admin, where, `{"milestone":null}`).has("/matched", 3)
	h.change(s.admin, where, `{"milestone":null}`, "preview", shown.text("/preview")).is(200)
	h.finds(s.admin, "milestone = nil", a, b, rest)
	s.admin.delete("/queries/"+saved, "").is(204)
}

func samePreviewAtOnceChangesOnce(s *session) {
	h := newHerd(s)
	a, b := h.add(s.admin, "a"), h.add(s.admin, "b")
	const body = `{"priority":{"name":"High"}}`
	preview := h.preview(s.admin, wholeHerd, body).text("/preview")
	answers := together(4, func(int) *answer { return h.change(s.admin, wholeHerd, body, "preview", preview) })
	if count(answers, 200) != 1 || count(answers, 412) != 3 {
		s.Fatalf("four who send one preview are answered with\n%v\n%v\n%v\n%v", answers[0], answers[1], answers[2], answers[3])
	}
	a.load(s.admin).has("/revision", 2)
	b.load(s.admin).has("/revision", 2)
}
