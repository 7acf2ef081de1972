package tracker

import (
	"slices"
	"testing"

	"github.com/problemtracking/problems/domain/access"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/patch"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/store"
	"github.com/problemtracking/problems/domain/tracker/admin"
	"github.com/problemtracking/problems/domain/tracker/internal/kit"
)

// W3, D5, D8: a comment raises the revision, is significant, changes no field.
func TestAddComment(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		rule string
		cmd  AddComment
		text string
		html problem.NullText
	}{
		{"plain text", AddComment{Text: patch.Set("Seen again")}, "Seen again", problem.NullText{}},
		{"D9: comments are not trimmed", AddComment{Text: patch.Set(" a\r\n\tb\n")}, " a\r\n\tb\n", problem.NullText{}},
		{"D9: comments are in NFC", AddComment{Text: patch.Set("e\u0301"), HTML: patch.Set("<i>e\u0301</i>")}, "é", problem.Text("<i>é</i>")},
		{"D5: html is null when it is sent as null", AddComment{Text: patch.Set("a"), HTML: patch.Null[string]()}, "a", problem.NullText{}},
		{"D5: html can be empty", AddComment{Text: patch.Set("a"), HTML: patch.Set("")}, "a", problem.Text("")},
		{"D5: html is kept as it is", AddComment{Text: patch.Set("a"), HTML: patch.Set("<script>")}, "a", problem.Text("<script>")},
	} {
		t.Run(c.rule, func(t *testing.T) {
			t.Parallel()
			old := newLoaded(resolvedBy(kit.Ann, kit.Noon))
			change, a, err := decideComment(by(kit.Bob), c.cmd, repeatable{loaded: old}, kit.At(kit.Now))
			kit.NoError(t, err)

			comment := a.Value
			if comment.ID.IsNone() || comment.ID == change.Batch {
				t.Errorf("the comment's identifier %s is not its own", comment.ID)
			}
			kit.Equal(t, "comment", comment, problem.Comment{ID: comment.ID, Author: kit.Bob, Created: kit.Now, Text: c.text, HTML: c.html})
			kit.Equal(t, "answer", a, Answer[problem.Comment]{Value: comment, Catalogue: old.catalogue, Revision: 4, New: true})
			want := old.Problem
			want.Modifier, want.Modified, want.Revision = kit.Bob, kit.Now, 4
			kit.Expects(t, change, store.ProblemAt{ID: 7, Revision: 3, Batch: kit.StoredBy})
			kit.Equal(t, "effects", change.Effects, []store.Effect{
				store.ForgetReads{Problem: 7, But: kit.Bob},
				store.MarkRead{Problem: 7, User: kit.Bob, Read: true},
				store.AddComment{Problem: 7, Comment: comment},
				store.UpdateProblem{Problem: want, Size: comment.Size() + kit.LogSize(change, 7)},
			})
			kit.Logged(t, change, `7@4 CommentAdded comments: null → "`+comment.ID.String()+`"`)
		})
	}
}

func TestAddCommentRefuses(t *testing.T) {
	t.Parallel()
	var notText fault.List
	notText.Add(fault.InvalidType, fault.At("text"), "must be a string")
	for _, c := range []struct {
		rule  string
		cmd   AddComment
		kind  fault.Kind
		items []string
	}{
		{"D12: no text", AddComment{}, fault.RequiredField, []string{"required-field /text"}},
		{"D12: empty text", AddComment{Text: patch.Set("")}, fault.InvalidValue, []string{"invalid-value /text"}},
		{"null text", AddComment{Text: patch.Null[string]()}, fault.InvalidValue, []string{"invalid-value /text"}},
		{"D9: U+0000", AddComment{Text: patch.Set("a\x00"), HTML: patch.Set("\x00")}, fault.InvalidValue, []string{"invalid-value /text", "invalid-value /html"}},
		{"D9: a control character", AddComment{Text: patch.Set("\x1b[0m")}, fault.InvalidValue, []string{"invalid-value /text"}},
		{"D11: the adapter's faults and the domain's together, each member once",
			AddComment{Write: Write{Faults: notText}, HTML: patch.Set("\x7f")},
			fault.ValidationFailed, []string{"invalid-type /text", "invalid-value /html"}},
		{"D20: another revision comes before the faults of the body", AddComment{Write: Write{IfMatch: &Match{Revisions: []int64{2}}}}, fault.StaleRevision, nil},
	} {
		t.Run(c.rule, func(t *testing.T) {
			t.Parallel()
			change, a, err := decideComment(by(kit.Bob), c.cmd, repeatable{loaded: newLoaded()}, kit.At(kit.Now))
			kit.WantFault(t, err, c.kind, c.items...)
			kit.Nothing(t, change)
			kit.Equal(t, "answer", a, Answer[problem.Comment]{})
		})
	}
}

// D1: a comment is not dated before the problem's last change.
func TestAddCommentClockSteppedBack(t *testing.T) {
	t.Parallel()
	change, a, err := decideComment(by(kit.Bob), AddComment{Text: patch.Set("a")}, repeatable{loaded: newLoaded()}, kit.At(kit.Noon.Add(-1)))
	kit.NoError(t, err)
	kit.Equal(t, "creationDate", a.Value.Created, kit.Noon)
	kit.Equal(t, "modificationDate", kit.Updated(t, change, 7).Modified, kit.Noon)
}

// said is a comment of ann.
var said = problem.Comment{ID: ident.ID{6: 0x70, 8: 0x80, 15: 0x51}, Author: kit.Ann, Created: kit.Noon, Text: "frist", HTML: problem.Text("<b>frist</b>")}

// withComments is a problem with a comment of ann between two places.
func withComments() loaded {
	l := newLoaded()
	l.Comments = []problem.Comment{{ID: ident.ID{15: 0x50}, Deleted: true}, said, {ID: ident.ID{15: 0x52}, Author: kit.Bob, Text: "second"}}
	return l
}

// D54: a comment makes the users whom it names watchers, by the same change.
func TestCommentNamesUsers(t *testing.T) {
	t.Parallel()
	s := newService(t)
	who := map[ident.ID]string{}
	for _, name := range []string{"ann", "bob", "cy"} {
		u, err := s.Users().Create(t.Context(), s.admin, admin.CreateObject[admin.UserPatch]{Patch: admin.UserPatch{Name: patch.Set(name), Email: patch.Set(name + "@example.org")}})
		kit.NoError(t, err)
		who[u.Value.ID] = name
	}
	id := s.create(t, "The door is open")
	watchers := func(want ...string) {
		t.Helper()
		var got []string
		for _, id := range s.load(t, id).Watchers {
			got = append(got, who[id])
		}
		slices.Sort(got)
		kit.Equal(t, "watchers", got, want)
	}
	_, err := s.AddComment(t.Context(), s.admin, id, AddComment{Text: patch.Set("@ann, `@bob`, @nobody")})
	kit.NoError(t, err)
	watchers("ann")
	a, err := s.UpdateProblem(t.Context(), s.admin, id, UpdateProblem{ProblemPatch: titled("The door is shut"), Comment: patch.Set("@ann and @bob")})
	kit.NoError(t, err)
	watchers("ann", "bob")
	stored := s.load(t, id)
	if stored.Revision != 3 || len(a.Value.Watchers) > 0 {
		t.Errorf("the answer is %+v, and the problem %+v", a, stored)
	}
	var types []problem.LogType
	for _, e := range stored.Log {
		if e.Revision == 3 {
			types = append(types, e.Type)
		}
	}
	kit.Equal(t, "the log", types, []problem.LogType{problem.CommentAdded, problem.WatcherAdded, problem.FieldChanged})

	created, err := s.CreateProblem(t.Context(), s.admin, CreateProblem{ProblemPatch: titled("The lamp is dark"), Comment: patch.Set("@cy")})
	kit.NoError(t, err)
	id = created.Value.ID
	watchers("cy")
	// A full list of watchers takes nobody more, and the comment is stored.
	l := newLoaded()
	l.Watchers, l.maxWatchers, l.catalogue = []ident.ID{kit.Ann}, 1, kit.Catalogue
	change, _, err := decideComment(by(kit.Bob), AddComment{Text: patch.Set("@bob")}, repeatable{loaded: l}, kit.At(kit.Now))
	kit.NoError(t, err)
	if len(kit.EffectsOf[store.Watch](change)) > 0 || len(kit.EffectsOf[store.AddComment](change)) != 1 {
		t.Errorf("the effects are %+v", change.Effects)
	}
}

// D44: an edit raises the revision and has a modifier, and is not significant.
func TestEditComment(t *testing.T) {
	t.Parallel()
	plain := problem.NullText{}
	author, admin := by(kit.Ann), by(kit.Bob)
	author.Scope, admin.Scope = access.Write, access.Admin
	for _, c := range []struct {
		rule   string
		caller Caller
		cmd    EditComment
		text   string
		html   problem.NullText
	}{
		{"text alone leaves no html", author, EditComment{Text: patch.Set("first")}, "first", plain},
		{"the same text alone leaves no html", author, EditComment{Text: patch.Set("frist")}, "frist", plain},
		{"both", author, EditComment{Text: patch.Set("e\u0301"), HTML: patch.Set("<i>e\u0301</i>")}, "é", problem.Text("<i>é</i>")},
		{"html alone leaves the text", author, EditComment{HTML: patch.Set("<i>frist</i>")}, "frist", problem.Text("<i>frist</i>")},
		{"null is no html", author, EditComment{HTML: patch.Null[string]()}, "frist", plain},
		{"the scope admin may edit any", admin, EditComment{Text: patch.Set("first")}, "first", plain},
		{"no difference stores nothing", author, EditComment{Text: patch.Set("frist"), HTML: patch.Set("<b>frist</b>")}, "", plain},
		{"nothing sent stores nothing", author, EditComment{}, "", plain},
	} {
		t.Run(c.rule, func(t *testing.T) {
			t.Parallel()
			old := withComments()
			c.cmd.Comment = said.ID
			change, a, err := decideEditComment(c.caller, c.cmd, old, kit.At(kit.Now))
			kit.NoError(t, err)
			if c.text == "" {
				kit.Nothing(t, change)
				kit.Equal(t, "answer", a, Answer[problem.Comment]{Value: said, Catalogue: old.catalogue, Revision: 3})
				return
			}
			edited := problem.Comment{ID: said.ID, Author: kit.Ann, Created: kit.Noon, Text: c.text, HTML: c.html, Edited: kit.Now, Editor: c.caller.User}
			kit.Equal(t, "answer", a, Answer[problem.Comment]{Value: edited, Catalogue: old.catalogue, Revision: 4})
			want := old.Problem
			want.Modifier, want.Modified, want.Revision = c.caller.User, kit.Now, 4
			kit.Expects(t, change, store.ProblemAt{ID: 7, Revision: 3, Batch: kit.StoredBy})
			kit.Equal(t, "effects", change.Effects, []store.Effect{
				store.PutComment{Problem: 7, Comment: edited},
				store.UpdateProblem{Problem: want, Size: edited.Size() - said.Size() + kit.LogSize(change, 7)},
			})
			kit.Logged(t, change, `7@4 CommentEdited comments: `+problem.LogComment(said, "").JSON()+` → "`+said.ID.String()+`"`)
		})
	}
}

// D44: a deletion keeps the place.
func TestDeleteComment(t *testing.T) {
	t.Parallel()
	old := withComments()
	edited := said
	edited.Edited, edited.Editor = kit.Noon, kit.Bob
	old.Comments[1] = edited
	change, a, err := decideDeleteComment(by(kit.Ann), DeleteComment{Comment: said.ID}, old, kit.At(kit.Now))
	kit.NoError(t, err)
	kit.Equal(t, "answer", a, Answer[struct{}]{Catalogue: old.catalogue, Revision: 4})
	want := old.Problem
	want.Modifier, want.Modified, want.Revision = kit.Ann, kit.Now, 4
	place := problem.Comment{ID: said.ID, Author: kit.Ann, Created: kit.Noon, Deleted: true}
	kit.Equal(t, "effects", change.Effects, []store.Effect{
		store.PutComment{Problem: 7, Comment: place},
		store.UpdateProblem{Problem: want, Size: place.Size() - said.Size() + kit.LogSize(change, 7)},
	})
	name := func(id ident.ID) problem.LogValue { return problem.LogRef(id, old.catalogue.Name(metadata.Users, id)) }
	kit.Logged(t, change, `7@4 CommentDeleted comments: `+problem.LogDeletedComment(edited, name(kit.Ann), name(kit.Bob)).JSON()+` → null`)
}

// D18, D44: the first of several faults, and 403 after 404.
func TestCorrectCommentRefuses(t *testing.T) {
	t.Parallel()
	stale := Write{IfMatch: &Match{Revisions: []int64{2}}}
	for _, c := range []struct {
		rule   string
		caller ident.ID
		cmd    EditComment
		kind   fault.Kind
		items  []string
		edit   bool // alone
	}{
		{"another revision", kit.Bob, EditComment{Write: stale}, fault.StaleRevision, nil, false},
		{"faults of the body", kit.Bob, EditComment{Text: patch.Set(""), HTML: patch.Set("\x00")}, fault.InvalidValue, []string{"invalid-value /text", "invalid-value /html"}, true},
		{"null text", kit.Ann, EditComment{Comment: said.ID, Text: patch.Null[string]()}, fault.InvalidValue, []string{"invalid-value /text"}, true},
		{"no such comment", kit.Ann, EditComment{Comment: ident.ID{15: 0x59}}, fault.CommentNotFound, nil, false},
		{"no identifier", kit.Ann, EditComment{}, fault.CommentNotFound, nil, false},
		{"a deleted comment", kit.Ann, EditComment{Comment: ident.ID{15: 0x50}}, fault.CommentNotFound, nil, false},
		{"a comment of somebody else", kit.Bob, EditComment{Comment: said.ID}, fault.Forbidden, nil, false},
	} {
		t.Run(c.rule, func(t *testing.T) {
			t.Parallel()
			caller := by(c.caller)
			caller.Scope = access.Write
			change, a, err := decideEditComment(caller, c.cmd, withComments(), kit.At(kit.Now))
			kit.WantFault(t, err, c.kind, c.items...)
			kit.Nothing(t, change)
			kit.Equal(t, "answer", a, Answer[problem.Comment]{})
			if !c.edit {
				change, _, err := decideDeleteComment(caller, DeleteComment{Write: c.cmd.Write, Comment: c.cmd.Comment}, withComments(), kit.At(kit.Now))
				kit.WantFault(t, err, c.kind, c.items...)
				kit.Nothing(t, change)
			}
		})
	}
}
