package undo

import (
	"fmt"
	"slices"
	"testing"

	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/problem"
)

var (
	batch   = ident.ID{6: 0x70, 8: 0x80, 15: 1}
	later   = ident.ID{6: 0x70, 8: 0x80, 15: 2}
	remark  = problem.Comment{ID: ident.ID{6: 0x70, 8: 0x80, 15: 3}, Text: "a"}
	another = problem.Comment{ID: ident.ID{6: 0x70, 8: 0x80, 15: 4}, Text: "a"}
)

func in(batch ident.ID, entries ...problem.LogEntry) []problem.LogEntry {
	for i := range entries {
		entries[i].Batch = batch
	}
	return entries
}

func set(field, from, to string) problem.LogEntry {
	return problem.LogEntry{Type: problem.FieldChanged, Field: field, From: problem.LogText(from), To: problem.LogText(to)}
}

func keyed(t problem.LogType, name string) problem.LogEntry {
	return problem.LogEntry{Type: t, Field: name, To: problem.LogNoValue}
}

func related(t string, other problem.ID) problem.LogEntry {
	return problem.LogEntry{Type: problem.RelationshipAdded, Field: t, To: problem.LogLink(other)}
}

func unrelated(t string, other problem.ID) problem.LogEntry {
	return problem.LogEntry{Type: problem.RelationshipDeleted, Field: t, From: problem.LogLink(other)}
}

func said(c problem.Comment) problem.LogEntry {
	return problem.LogEntry{Type: problem.CommentAdded, Field: "comments", To: problem.LogText(c.ID.String())}
}

func edited(c problem.Comment) problem.LogEntry {
	return problem.LogEntry{Type: problem.CommentEdited, Field: "comments", From: problem.LogComment(c, ""), To: problem.LogText(c.ID.String())}
}

func deleted(c problem.Comment) problem.LogEntry {
	return problem.LogEntry{Type: problem.CommentDeleted, Field: "comments", From: problem.LogDeletedComment(c, "", "")}
}

// D47: what of a batch goes back, given what came after it.
func TestReading(t *testing.T) {
	t.Parallel()
	created := problem.LogEntry{Type: problem.ProblemCreated}
	watched := problem.LogEntry{Type: problem.WatcherAdded, Field: "watchers", To: problem.LogRef(batch, "Ann")}
	const back = Reason("")
	for _, c := range []struct {
		rule  string
		of    []problem.LogEntry // the batch
		after []problem.LogEntry
		want  []Reason
	}{
		{"nothing came after it", []problem.LogEntry{set("title", "a", "b"), set("priority", "a", "b")}, nil, []Reason{back, back}},
		{"a field has moved on", []problem.LogEntry{set("title", "a", "b"), set("priority", "a", "b")}, []problem.LogEntry{set("title", "b", "c")}, []Reason{MovedOn, back}},
		{"it has moved on, also when its value is the same again", []problem.LogEntry{set("title", "a", "b")},
			[]problem.LogEntry{set("title", "b", "c"), set("title", "c", "b")}, []Reason{MovedOn}},
		{"a keyword with the name of a field is another thing", []problem.LogEntry{set("title", "a", "b"), keyed(problem.KeywordSet, "floor")},
			[]problem.LogEntry{keyed(problem.KeywordSet, "title")}, []Reason{back, back}},
		{"a keyword has moved on when it was deleted", []problem.LogEntry{keyed(problem.KeywordSet, "floor"), keyed(problem.KeywordDeleted, "door")},
			[]problem.LogEntry{keyed(problem.KeywordDeleted, "floor")}, []Reason{MovedOn, back}},
		{"a pair has moved on in its family alone", []problem.LogEntry{related("ParentOf", 7), unrelated("CauseOf", 7), unrelated("CausedBy", 8)},
			[]problem.LogEntry{related("ChildOf", 7), related("ParentOf", 8)}, []Reason{MovedOn, back, back}},
		{"a comment goes back until somebody corrects it", []problem.LogEntry{said(remark), edited(another)}, []problem.LogEntry{edited(remark)}, []Reason{MovedOn, back}},
		{"an edit does not go back after the deletion", []problem.LogEntry{edited(remark)}, []problem.LogEntry{deleted(remark)}, []Reason{MovedOn}},
		{"watchers and deleted comments stay", []problem.LogEntry{watched, deleted(remark), set("title", "a", "b")}, nil, []Reason{Permanent, Permanent, back}},
		{"a creation stays, with its keywords", []problem.LogEntry{created, keyed(problem.KeywordSet, "floor")}, nil, []Reason{Permanent, Permanent}},
		{"what is of a later type stays", []problem.LogEntry{{Type: "Redacted"}}, []problem.LogEntry{{Type: "Redacted"}}, []Reason{Permanent}},
	} {
		t.Run(c.rule, func(t *testing.T) {
			t.Parallel()
			r := Of(batch)
			for _, e := range slices.Concat(in(later, set("title", "z", "a"), said(remark)), in(batch, c.of...), in(later, c.after...)) {
				r.Read(e)
			}
			var got []Reason
			for i, e := range r.Entries() {
				if e.LogEntry != c.of[i] {
					t.Errorf("entry %d is %+v, want %+v", i, e.LogEntry, c.of[i])
				}
				got = append(got, e.Stays)
			}
			if fmt.Sprintf("%q", got) != fmt.Sprintf("%q", c.want) {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}
