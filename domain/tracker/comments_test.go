package tracker

import (
	"testing"

	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/patch"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/store"
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
			old := newLoaded(resolvedBy(ann, noon))
			change, a, err := decideComment(by(bob), c.cmd, commenting{loaded: old}, at(now))
			noError(t, err)

			comment := a.Value
			if comment.ID.IsNone() || comment.ID == change.Batch {
				t.Errorf("the comment's identifier %s is not its own", comment.ID)
			}
			equal(t, "comment", comment, problem.Comment{ID: comment.ID, Author: bob, Created: now, Text: c.text, HTML: c.html})
			equal(t, "answer", a, Answer[problem.Comment]{Value: comment, Catalogue: old.catalogue, Revision: 4, New: true})
			want := old.Problem
			want.Modifier, want.Modified, want.Revision = bob, now, 4
			expects(t, change, store.ProblemAt{ID: 7, Revision: 3, Batch: storedBy})
			equal(t, "effects", change.Effects, []store.Effect{
				store.ForgetReads{Problem: 7, But: bob},
				store.MarkRead{Problem: 7, User: bob, Read: true},
				store.AddComment{Problem: 7, Comment: comment},
				store.UpdateProblem{Problem: want, Size: comment.Size() + logSize(change, 7)},
			})
			logged(t, change, `7@4 CommentAdded comments: null → "`+comment.ID.String()+`"`)
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
			change, a, err := decideComment(by(bob), c.cmd, commenting{loaded: newLoaded()}, at(now))
			wantFault(t, err, c.kind, c.items...)
			nothing(t, change)
			equal(t, "answer", a, Answer[problem.Comment]{})
		})
	}
}

// D1: a comment is not dated before the problem's last change.
func TestAddCommentClockSteppedBack(t *testing.T) {
	t.Parallel()
	change, a, err := decideComment(by(bob), AddComment{Text: patch.Set("a")}, commenting{loaded: newLoaded()}, at(noon.Add(-1)))
	noError(t, err)
	equal(t, "creationDate", a.Value.Created, noon)
	equal(t, "modificationDate", updated(t, change, 7).Modified, noon)
}
