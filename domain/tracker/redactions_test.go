package tracker

import (
	"testing"

	"github.com/problemtracking/problems/domain/access"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/patch"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/snapshot"
	"github.com/problemtracking/problems/domain/store"
	"github.com/problemtracking/problems/domain/tracker/internal/kit"
)

// withSecret returns a problem at revision 4 with the text in each kind of place.
func withSecret() loaded {
	l := withComments()
	l.Title, l.Revision = "a secret", 4
	saved := func(batch byte, revision int64, title string) snapshot.Savepoint {
		s := snapshot.Savepoint{Batch: ident.ID{15: batch}, Problem: l.Problem}
		s.Title, s.Revision = title, revision
		return s
	}
	entry := func(id, batch byte, revision int64, of problem.LogType, field string, from, to problem.LogValue) problem.LogEntry {
		return problem.LogEntry{ID: ident.ID{14: 1, 15: id}, Problem: l.ID, Batch: ident.ID{15: batch}, Revision: revision, Type: of, Field: field, From: from, To: to}
	}
	l.Savepoints = []snapshot.Savepoint{saved(1, 1, "plain"), saved(3, 3, "a secret")}
	l.Log = []problem.LogEntry{
		entry(1, 1, 1, problem.ProblemCreated, "", "", problem.LogObject(problem.LogMember{Name: "title", Value: problem.LogText("plain")})),
		entry(2, 2, 2, problem.KeywordSet, "of secret", "", problem.LogText("secret")),
		entry(3, 3, 3, problem.FieldChanged, "title", problem.LogText("plain"), problem.LogText("a secret")),
		entry(4, 4, 4, problem.CommentEdited, "comments", problem.LogComment(problem.Comment{ID: said.ID, Text: "secret"}, ""), problem.LogText(said.ID.String())),
	}
	l.Keywords = []problem.Keyword{{Name: "key", Value: problem.Text("the secret")}, {Name: "other"}}
	l.Attachments = []problem.Attachment{{ID: ident.ID{15: 0x66}, Name: "a secret.txt", MediaType: "text/plain"}}
	l.Log = append(l.Log, entry(5, 4, 4, problem.AttachmentAdded, "attachments", "", l.Attachments[0].Log()))
	l.Comments[1].Text = "no secret"
	l.Comments = append(l.Comments, problem.Comment{ID: ident.ID{15: 0x77}, Author: kit.Bob, Text: "secret, too"})
	return l
}

// D45: each place once, and nothing else.
func TestRedact(t *testing.T) {
	t.Parallel()
	old := withSecret()
	comment := func(i int, text string) problem.Comment {
		c := withSecret().Comments[i]
		c.Text = text
		return c
	}
	entry := func(i int, edit func(*problem.LogEntry)) problem.LogEntry {
		e := withSecret().Log[i]
		edit(&e)
		return e
	}
	edited := entry(3, func(e *problem.LogEntry) {
		e.From = problem.LogComment(problem.Comment{ID: said.ID, Text: "***"}, "")
	})
	saved := old.Savepoints[1]
	saved.Title = "a ***"
	file := old.Attachments[0]
	file.Name = "a ***.txt"
	last := len(old.Comments) - 1
	for _, c := range []struct {
		name    string
		caller  ident.ID
		comment ident.ID
		places  Places
		effects []store.Effect
	}{
		{"a problem", kit.Ann, ident.None, Places{Title: 1, Savepoints: 1, Keywords: 1, Comments: 2, Attachments: 1, Log: 4, Events: 3}, []store.Effect{
			store.PutKeyword{Problem: 7, Keyword: problem.Keyword{Name: "key", Value: problem.Text("the ***")}},
			store.PutComment{Problem: 7, Comment: comment(1, "no ***")},
			store.PutComment{Problem: 7, Comment: comment(last, "***, too")},
			store.PutAttachment{Problem: 7, Attachment: file},
			store.Rewrite{
				Problem: 7,
				Log: []problem.LogEntry{
					entry(1, func(e *problem.LogEntry) { e.Field, e.To = "of ***", problem.LogText("***") }),
					entry(2, func(e *problem.LogEntry) { e.To = problem.LogText("a ***") }),
					edited,
					entry(4, func(e *problem.LogEntry) { e.To = file.Log() }),
				},
				Savepoints: []snapshot.Savepoint{saved},
				Titles:     []store.BatchTitle{{Batch: ident.ID{15: 3}, Title: "a ***"}, {Batch: ident.ID{15: 4}, Title: "a ***"}},
			},
			store.EmptyReplies{About: store.About{Problem: 7}},
		}},
		{"one comment, by its author", kit.Ann, said.ID, Places{Comments: 1, Log: 1, Events: 1}, []store.Effect{
			store.PutComment{Problem: 7, Comment: comment(1, "no ***")},
			store.Rewrite{Problem: 7, Log: []problem.LogEntry{edited}},
			store.EmptyReplies{About: store.About{Problem: 7, Comment: said.ID}},
		}},
		{"a text that is not there", kit.Ann, ident.ID{15: 0x50}, Places{}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			l := withSecret()
			caller := by(c.caller)
			if !c.comment.IsNone() {
				caller.Scope = access.Write
				l.Comments[0].Author = c.caller
			}
			change, a, err := decideRedact(caller, Redact{Comment: c.comment, Text: patch.Set("secret")}, l, kit.At(kit.Now))
			kit.NoError(t, err)
			kit.Equal(t, "places", a.Value, c.places)
			if c.effects == nil {
				kit.Nothing(t, change)
				kit.Equal(t, "revision", a.Revision, int64(4))
				return
			}
			kit.Equal(t, "revision", a.Revision, int64(5))
			kit.Expects(t, change, store.ProblemAt{ID: 7, Revision: 4, Batch: kit.StoredBy})
			n := len(change.Effects) - 1
			kit.Equal(t, "effects", change.Effects[:n], c.effects)
			after := change.Effects[n].(store.UpdateProblem).Problem
			kit.Equal(t, "modifier", after.Modifier, c.caller)
			if want := map[bool]string{true: "a ***", false: "a secret"}[c.comment.IsNone()]; after.Title != want {
				t.Errorf("the title is %q, want %q", after.Title, want)
			}
			kit.Logged(t, change, "7@5 Redacted : null → "+problem.LogPlaces(c.places.Total()).JSON())
		})
	}
}

func TestRedactRefuses(t *testing.T) {
	t.Parallel()
	named := func(name string) func(*loaded) {
		return func(l *loaded) { l.Keywords = append(l.Keywords, problem.Keyword{Name: name}) }
	}
	for _, c := range []struct {
		rule  string
		cmd   Redact
		edit  func(*loaded)
		kind  fault.Kind
		items []string
	}{
		{"no text", Redact{}, nil, fault.RequiredField, []string{"required-field /text"}},
		{"a short text", Redact{Text: patch.Set("abc")}, nil, fault.InvalidValue, []string{"invalid-value /text"}},
		{"a replacement with the text", Redact{Text: patch.Set("secret"), Replacement: patch.Set("secret")}, nil, fault.InvalidValue, []string{"invalid-value /replacement"}},
		{"a replacement of null", Redact{Text: patch.Set("secret"), Replacement: patch.Null[string]()}, nil, fault.InvalidValue, []string{"invalid-value /replacement"}},
		{"another revision", Redact{Write: Write{IfMatch: &Match{Revisions: []int64{2}}}}, nil, fault.StaleRevision, nil},
		{"a current keyword", Redact{Text: patch.Set("secret")}, named("my secret"), fault.InUse, nil},
		{"the name of another keyword", Redact{Text: patch.Set("secret")}, named("of ***"), fault.InvalidValue, []string{"invalid-value /replacement"}},
		{"no such comment", Redact{Text: patch.Set("secret"), Comment: ident.ID{15: 0x59}}, nil, fault.CommentNotFound, nil},
		{"a text and an attachment", Redact{Text: patch.Set("secret"), Attachment: patch.Set("x")}, nil, fault.InvalidValue, []string{"invalid-value /attachment"}},
		{"an attachment of null", Redact{Attachment: patch.Null[string]()}, nil, fault.InvalidValue, []string{"invalid-value /attachment"}},
		{"an impossible name", Redact{Attachment: patch.Set("x"), Replacement: patch.Set("a/b")}, nil, fault.InvalidValue, []string{"invalid-value /replacement"}},
		{"an impossible name of a file", Redact{Text: patch.Set("a secret.txt"), Replacement: patch.Set("..")}, nil, fault.InvalidValue, []string{"invalid-value /replacement"}},
		{"no such attachment", Redact{Attachment: patch.Set("x")}, nil, fault.AttachmentNotFound, nil},
		{"a comment of somebody else", Redact{Text: patch.Set("secret"), Comment: ident.ID{15: 0x77}}, nil, fault.Forbidden, nil},
	} {
		t.Run(c.rule, func(t *testing.T) {
			t.Parallel()
			l := withSecret()
			if c.edit != nil {
				c.edit(&l)
			}
			caller := by(kit.Ann)
			caller.Scope = access.Write
			change, _, err := decideRedact(caller, c.cmd, l, kit.At(kit.Now))
			kit.WantFault(t, err, c.kind, c.items...)
			kit.Nothing(t, change)
		})
	}
}
