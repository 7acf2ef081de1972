package store

import (
	"strings"
	"testing"

	"github.com/problemtracking/problems/domain/event"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/snapshot"
)

// Each text counts once, wherever a Change has it.
func TestSizeOfAChange(t *testing.T) {
	t.Parallel()
	const length = 1000
	text := strings.Repeat("x", length)
	titled := problem.Problem{Fields: problem.Fields{Title: text}}
	comment := problem.Comment{Text: text[:400], HTML: problem.Text(text[400:])}
	keyword := problem.Keyword{Name: text[:100], Value: problem.Text(text[100:])}
	entries := []problem.LogEntry{{Field: text[:1], From: problem.LogValue(text[1:400]), To: problem.LogValue(text[400:])}}
	for _, c := range []struct {
		what   string
		change Change
		parts  int64
	}{
		{"nothing", Change{}, 0},
		{"an effect without text", Change{Effects: []Effect{DropQuery{}}}, 1},
		{"a new problem", Change{Effects: []Effect{CreateProblem{Problem: titled}}}, 1},
		{"a problem", Change{Effects: []Effect{UpdateProblem{Problem: titled}}}, 1},
		{"a savepoint", Change{Effects: []Effect{PutSavepoint{titled}}}, 1},
		{"a new comment", Change{Effects: []Effect{AddComment{Comment: comment}}}, 1},
		{"a comment", Change{Effects: []Effect{PutComment{Comment: comment}}}, 1},
		{"a keyword", Change{Effects: []Effect{PutKeyword{Keyword: keyword}}}, 1},
		{"an answer", Change{Effects: []Effect{KeepReply{Reply{Body: []byte(text)}}}}, 1},
		{"an event", Change{Effects: []Effect{Publish{event.Event{Title: text}}}}, 2},
		{"the log", Change{Log: entries}, 1},
		{"rewritten entries", Change{Effects: []Effect{Rewrite{Log: entries}}}, 2},
		{"rewritten savepoints", Change{Effects: []Effect{Rewrite{Savepoints: []snapshot.Savepoint{{Problem: titled}}}}}, 2},
	} {
		want := c.parts * problem.Overhead
		if c.parts > 0 && c.what != "an effect without text" {
			want += length
		}
		if got := c.change.Size(); got != want {
			t.Errorf("the size of %s is %d, want %d", c.what, got, want)
		}
	}
}
