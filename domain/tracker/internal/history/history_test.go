package history

import (
	"reflect"
	"testing"
	"time"

	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/relationship"
	"github.com/problemtracking/problems/domain/snapshot"
)

const shown = snapshot.Keywords | snapshot.Log | snapshot.Comments | snapshot.Relationships | snapshot.Watchers

var (
	noon     = time.Date(2015, 11, 5, 12, 0, 0, 0, time.UTC)
	ann, bob = ident.ID{15: 1}, ident.ID{15: 2}
)

func equal(t *testing.T, what string, got, want any) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%s:\n got %+v\nwant %+v", what, got, want)
	}
}

// A log can say that a watcher was removed (D16). An imported log can lack entries.
func TestAsOfUndoesTheLog(t *testing.T) {
	t.Parallel()
	entry := func(revision int64, typ problem.LogType, field string, from, to problem.LogValue) problem.LogEntry {
		return problem.LogEntry{
			Type: typ, Field: field, From: from, To: to, Revision: revision,
			Author: ann, Created: noon.Add(time.Duration(revision) * time.Minute),
		}
	}
	written := problem.Comment{ID: ident.ID{6: 0x70, 8: 0x80, 15: 9}, Author: bob, Created: noon, Text: "frist", HTML: problem.Text("<b>")}
	remark := written
	remark.Text, remark.HTML, remark.Edited, remark.Editor = "first", problem.NullText{}, noon.Add(time.Minute), ann
	base := func(log ...problem.LogEntry) snapshot.Snapshot {
		s := snapshot.Snapshot{
			Problem:  problem.Problem{ID: 7, Fields: problem.Fields{Title: "Login fails"}, Revision: int64(len(log)) + 1},
			Keywords: []problem.Keyword{{Name: "build", Value: problem.Text("1A2")}, {Name: "regression"}},
		}
		s.Savepoints = []snapshot.Savepoint{{Problem: problem.Problem{Revision: 1, Fields: s.Fields}}}
		s.Log = append([]problem.LogEntry{entry(1, problem.ProblemCreated, "", "", problem.LogObject())}, log...)
		s.Watchers = []ident.ID{ann}
		s.Comments = []problem.Comment{remark.Place()}
		return s
	}
	for _, c := range []struct {
		rule  string
		log   []problem.LogEntry
		check func(t *testing.T, first snapshot.Snapshot)
	}{
		{"a watcher who was removed watched before",
			[]problem.LogEntry{entry(2, problem.WatcherRemoved, "watchers", problem.LogRef(bob, "Bob"), "")},
			func(t *testing.T, s snapshot.Snapshot) { equal(t, "watchers", s.Watchers, []ident.ID{ann, bob}) }},
		{"a watcher who was removed and added again watched before",
			[]problem.LogEntry{
				entry(2, problem.WatcherRemoved, "watchers", problem.LogRef(ann, "Ann"), ""),
				entry(3, problem.WatcherAdded, "watchers", "", problem.LogRef(ann, "Ann")),
			},
			func(t *testing.T, s snapshot.Snapshot) { equal(t, "watchers", s.Watchers, []ident.ID{ann}) }},
		{"a watcher that the log does not know has always watched", nil,
			func(t *testing.T, s snapshot.Snapshot) { equal(t, "watchers", s.Watchers, []ident.ID{ann}) }},
		{"a keyword that the log does not know has always been there",
			[]problem.LogEntry{entry(2, problem.KeywordSet, "build", problem.LogNoValue, problem.LogText("1A2"))},
			func(t *testing.T, s snapshot.Snapshot) {
				equal(t, "keywords", s.Keywords, []problem.Keyword{{Name: "build"}, {Name: "regression"}})
			}},
		{"a relationship whose beginning the log does not know is as old as the problem",
			[]problem.LogEntry{entry(2, problem.RelationshipDeleted, "ParentOf", problem.LogLink(9), "")},
			func(t *testing.T, s snapshot.Snapshot) {
				equal(t, "relationships", s.Relationships, []snapshot.Related{{Relationship: relationship.Relationship{
					Owner: 7, Type: relationship.ParentOf, Other: 9, Created: noon.Add(time.Minute), Author: ann,
				}}})
			}},
		{"an edited comment had its earlier text, and a deleted one was there (D44)",
			[]problem.LogEntry{
				entry(2, problem.CommentEdited, "comments", problem.LogComment(written, ""), problem.LogText(remark.ID.String())),
				entry(3, problem.CommentDeleted, "comments", problem.LogDeletedComment(remark, problem.LogRef(bob, "Bob"), problem.LogRef(ann, "Ann")), ""),
			},
			func(t *testing.T, s snapshot.Snapshot) { equal(t, "comments", s.Comments, []problem.Comment{written}) }},
	} {
		t.Run(c.rule, func(t *testing.T) {
			t.Parallel()
			now := base(c.log...)
			before := base(c.log...)
			got, err := At(now, 1, shown)
			if err != nil {
				t.Fatal(err)
			}
			c.check(t, got)
			equal(t, "what it was rebuilt from", now, before)
		})
	}
}

// A log that cannot be read is a defect, and is not passed over.
func TestAsOfUnreadableLog(t *testing.T) {
	t.Parallel()
	for typ, from := range map[problem.LogType]problem.LogValue{
		problem.CommentAdded:        "",
		problem.CommentEdited:       `"first"`,
		problem.CommentDeleted:      problem.LogComment(problem.Comment{ID: ident.ID{6: 0x70, 8: 0x80, 15: 9}, Text: "not there"}, ""),
		problem.KeywordDeleted:      "7",
		problem.RelationshipAdded:   "",
		problem.RelationshipDeleted: "{}",
		problem.WatcherAdded:        "",
		problem.WatcherRemoved:      `"Ann"`,
	} {
		var s snapshot.Snapshot
		s.Log = []problem.LogEntry{{Revision: 1}, {Revision: 2, Type: typ, From: from, To: `[]`}}
		_, err := At(s, 1, shown)
		if !fault.Is(err, fault.Internal) {
			t.Errorf("%s: %v", typ, err)
		}
	}
}
