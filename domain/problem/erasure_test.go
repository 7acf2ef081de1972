package problem

import (
	"testing"

	"github.com/problemtracking/problems/domain/ident"
)

// D46: each reference to the user gets the name; nothing else changes.
func TestErasureIn(t *testing.T) {
	t.Parallel()
	ann, bob := ident.ID{15: 1}, ident.ID{15: 2}
	erasure := Erasure{User: ann, Name: `E "1"`}
	now := LogRef(ann, erasure.Name)
	comment := Comment{ID: ident.ID{15: 3}, Text: `{"identifier":"` + ann.String() + `","name":"Ann"}`}
	for before, want := range map[LogValue]LogValue{
		"":                    "",
		LogRef(ann, "Ann"):    now,
		now:                   now,
		LogRef(bob, "Ann"):    LogRef(bob, "Ann"),
		LogText("Ann"):        LogText("Ann"),
		LogText(ann.String()): LogText(ann.String()),
		LogText(comment.Text): LogText(comment.Text),
		`{"identifier":"` + LogValue(ann.String()) + `","text":"Ann"}`:                           `{"identifier":"` + LogValue(ann.String()) + `","text":"Ann"}`,
		LogObject(LogMember{"title", LogText("Ann")}, LogMember{"assignee", LogRef(ann, "Ann")}): LogObject(LogMember{"title", LogText("Ann")}, LogMember{"assignee", now}),
		LogComment(comment, LogRef(ann, "Ann")):                                                  LogComment(comment, now),
		LogDeletedComment(comment, LogRef(ann, "Old"), LogRef(bob, "Bob")):                       LogDeletedComment(comment, now, LogRef(bob, "Bob")),
	} {
		if got := erasure.Entry(LogEntry{From: before, To: before}); got.From != want || got.To != want {
			t.Errorf("%s becomes %s, want %s", before, got.To, want)
		}
	}
}
