package queries

import (
	"fmt"

	"github.com/problemtracking/problems/conformance/httpsuite/internal/session"
)

// undoCases are about POST /problems/{n}/batches/{batch}/undo.
func undoCases() []session.Case {
	return []session.Case{
		session.Extended("HTTP-UNDO-001", "D47, D24", "a dry run tells what goes back, and changes nothing; with its preview it goes back, in one batch; an undo can be undone", undoIsAsPreviewed),
		session.Extended("HTTP-UNDO-002", "D47", "what has moved on stays, though its value is the same again; the rest goes back, a state without a transition", whatHasMovedOnStays),
		session.Extended("HTTP-UNDO-003", "D47, D6", "a relationship goes and comes back with its mirror, a keyword gets its former value, and a creation stays", undoOfParts),
		session.Extended("HTTP-UNDO-004", "D47, D44", "an added comment is deleted and an edited one has its former text, by the rights of corrections; a deleted one stays deleted", undoOfComments),
		session.Extended("HTTP-UNDO-005", "D47, D18", "a scope, a preview, a batch of the problem and the scope write are needed; a preview is good for what it has shown", undoRefused),
		session.Extended("HTTP-UNDO-006", "D47", "a user who is inactive by now refuses the undo in all problems", oneRefusalStopsTheUndo),
	}
}

// undoing returns the path of the undo of the latest batch of a problem.
func undoing(c *session.Client, p session.Problem) string {
	return p.Path + "/batches/" + p.Load(c).Text("/logs/last/batchIdentifier") + "/undo"
}

// undo makes a dry run, and then the undo with its preview.
func undo(c *session.Client, path, scope string) *session.Answer {
	body := fmt.Sprintf(`{"scope":%q}`, scope)
	shown := c.Post(path+"?dryRun=true", body).Offered("D47").Is(200).JSON()
	return c.Post(path+"?preview="+shown.Text("/preview"), body).Is(200).JSON().Has("/changes", shown.At("/changes")).Has("/stays", shown.At("/stays")).Has("/preview", nil)
}

func undoIsAsPreviewed(s *session.Session) {
	h, bob := newHerd(s), s.User()
	a, b := h.add(s.Admin, "a", `"priority":{"name":"Low"}`), h.add(s.Admin, "b")
	const body = `{"state":{"name":"Closed"},"priority":{"name":"High"}}`
	changed := h.change(s.Admin, wholeHerd, body, "preview", h.preview(s.Admin, wholeHerd, body).Has("/batchIdentifier", nil).Text("/preview")).Is(200)
	path := undoing(s.Admin, a)
	if want := a.Path + "/batches/" + changed.Text("/batchIdentifier") + "/undo"; path != want {
		s.Fatalf("%v\nnames another batch than %s", changed, path)
	}
	h.unmoved(func() {
		shown := bob.Post(path+"?dryRun=true", `{"scope":"batch"}`).Offered("D47").Is(200).JSON().Sends("Dry-Run", "true")
		shown.Members("", "batchIdentifier", "changes", "stays", "refused", "preview").Has("/batchIdentifier", nil).Has("/stays", []any{}).Has("/refused", []any{})
		if ids := shown.Identifiers("/changes"); len(ids) != 2 || ids[0] != a.ID || ids[1] != b.ID {
			s.Fatalf("%v\nis about %v, want %d and %d", shown, ids, a.ID, b.ID)
		}
		shown.Has("/changes/0/revision", 3).Has("/changes/0/changes/0/type", "FieldChanged").Has("/changes/0/changes/0/field", "state").
			Has("/changes/0/changes/0/from/name", "Closed").Has("/changes/0/changes/1/to/name", "Low").Has("/changes/1/changes/1/to", nil)
		bob.Post(path+"?dryRun=true", `{"scope":"here"}`).Is(200).Counts("/changes", 1)
	}, a, b)
	done := undo(bob.Client, path, "batch").Has("/changes/1/identifier", b.ID)
	for _, p := range []session.Problem{a, b} {
		p.Load(s.Admin).Has("/state/name", "Open").Has("/revision", 3).Has("/modifier", bob.Object()).Has("/logs/last/batchIdentifier", done.Text("/batchIdentifier"))
	}
	a.Load(s.Admin).Has("/priority/name", "Low")
	b.Load(s.Admin).Has("/priority", nil)
	undo(bob.Client, undoing(bob.Client, b), "batch")
	a.Load(s.Admin).Has("/state/name", "Closed").Has("/priority/name", "High").Has("/resolver", bob.Object())
}

func whatHasMovedOnStays(s *session.Session) {
	p := s.Problem()
	s.Admin.Patch(p.Path, `{"state":{"name":"Closed"},"title":"new","priority":{"name":"High"}}`).Is(200)
	path := undoing(s.Admin, p)
	s.Admin.Patch(p.Path, `{"title":"newer"}`).Is(200)
	s.Admin.Patch(p.Path, `{"title":"new"}`).Is(200)
	s.Admin.Put(p.Keyword("state"), `"x"`).Is(201)
	done := undo(s.Admin, path, "here").Counts("/stays", 1).Counts("/changes/0/changes", 2)
	done.Has("/stays/0/identifier", p.ID).Has("/stays/0/field", "title").Has("/stays/0/to", "new").Has("/stays/0/reason", "moved-on")
	p.Load(s.Admin).Has("/title", "new").Has("/state/name", "Open").Has("/priority", nil).Has("/revision", 6)
}

func undoOfParts(s *session.Session) {
	p, q := s.Problem(), s.Problem()
	created := undoing(s.Admin, p)
	s.Relate(p, "ParentOf", q)
	undo(s.Admin, undoing(s.Admin, q), "here").Counts("/changes", 2)
	s.Linked(p)
	s.Linked(q)
	undo(s.Admin, undoing(s.Admin, p), "batch").Counts("/changes", 2)
	s.Linked(p, q.As("ParentOf"))
	s.Linked(q, p.As("ChildOf"))
	s.Admin.Put(p.Keyword("k"), `"a"`).Is(201)
	s.Admin.Put(p.Keyword("k"), `"b"`).Is(200)
	changed := undoing(s.Admin, p)
	undo(s.Admin, changed, "here")
	p.Load(s.Admin).Has("/keywords/0/value", "a")
	s.Untouched(p, func() {
		undo(s.Admin, changed, "here").Has("/changes", []any{}).Has("/stays/0/reason", "moved-on").Has("/batchIdentifier", nil)
		undo(s.Admin, created, "batch").Has("/changes", []any{}).Has("/stays/0/reason", "permanent").Has("/stays/0/field", nil)
	})
}

func undoOfComments(s *session.Session) {
	ann, bob, p := s.User(), s.User(), s.Problem()
	comment := p.Path + "/comments/" + ann.Post(p.Path+"/comments", `{"text":"a","html":"<b>a</b>"}`).Is(201).Text("/identifier")
	added := undoing(s.Admin, p)
	ann.Patch(comment, `{"text":"b"}`).Is(200)
	edited := undoing(s.Admin, p)
	s.Untouched(p, func() {
		undo(bob.Client, edited, "here").Has("/changes", []any{}).Has("/stays/0/reason", "forbidden")
		undo(ann.Client, added, "here").Has("/stays/0/reason", "moved-on")
	})
	undo(ann.Client, edited, "here")
	ann.Get(p.Path+"/comments").Is(200).Has("/0/text", "a").Has("/0/html", "<b>a</b>").Has("/0/editor", ann.Ref())
	ann.Post(p.Path+"/comments", `{"text":"c"}`).Is(201)
	undo(s.Admin, undoing(s.Admin, p), "here")
	deleted := undoing(s.Admin, p)
	undo(s.Admin, deleted, "here").Has("/changes", []any{}).Has("/stays/0/reason", "permanent")
	ann.Get(p.Path+"/comments").Is(200).Counts("", 1)
}

func undoRefused(s *session.Session) {
	p, q, reader := s.Problem(), s.Problem(), s.UserWith("read")
	s.Admin.Patch(p.Path, `{"title":"new"}`).Is(200)
	path, body := undoing(s.Admin, p), `{"scope":"here"}`
	s.Untouched(p, func() {
		s.Admin.Post(path, body).Offered("D47").Fault(422, "preview-required")
		s.Admin.Post(path+"?preview=x", body).Refused()
		s.Admin.Post(path+"?dryRun=true", `{}`).Fault(422, "required-field", "/scope")
		s.Admin.Post(path+"?dryRun=true", `{"scope":"all"}`).Fault(422, "invalid-value", "/scope")
		s.Admin.Post(path+"?dryRun=true", body, session.With("If-Match", `"1"`)).Fault(412, "stale-revision")
		s.Admin.Post(undoing(s.Admin, q)[:len(q.Path)]+path[len(p.Path):]+"?dryRun=true", body).Fault(404, "not-found")
		s.Admin.Post(q.Path+"/batches/none/undo?dryRun=true", body).Fault(404, "not-found")
		reader.Post(path+"?dryRun=true", body).Fault(403, "forbidden")
	})
	preview := s.Admin.Post(path+"?dryRun=true", body).Is(200).Text("/preview")
	s.Untouched(p, func() { s.Admin.Post(path+"?preview="+preview, `{"scope":"batch"}`).Fault(412, "stale-revision") })
	s.Admin.Put(p.Keyword("k"), `"v"`).Is(201)
	s.Admin.Post(path+"?preview="+preview, body).Is(200)
	s.Untouched(p, func() { s.Admin.Post(path+"?preview="+preview, body).Fault(412, "stale-revision") })
}

func oneRefusalStopsTheUndo(s *session.Session) {
	h, bob := newHerd(s), s.User()
	a, b := h.add(s.Admin, "a", `"assignee":`+bob.Part()), h.add(s.Admin, "b")
	const body = `{"assignee":null,"priority":{"name":"High"}}`
	h.change(s.Admin, wholeHerd, body, "preview", h.preview(s.Admin, wholeHerd, body).Text("/preview")).Is(200)
	s.Deactivate(bob)
	path := undoing(s.Admin, b)
	h.unmoved(func() {
		shown := s.Admin.Post(path+"?dryRun=true", `{"scope":"batch"}`).Offered("D47").Is(200).Has("/refused/0/identifier", a.ID).Has("/refused/0/errors/0/pointer", "/assignee")
		s.Admin.Post(path+"?preview="+shown.Text("/preview"), `{"scope":"batch"}`).Fault(422, "invalid-value", "/assignee")
	}, a, b)
	undo(s.Admin, path, "here")
	b.Load(s.Admin).Has("/priority", nil)
}
