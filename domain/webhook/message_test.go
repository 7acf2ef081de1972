package webhook

import (
	"testing"
	"time"

	"github.com/problemtracking/problems/domain/event"
)

// The message has the bytes of the event, also those that HTML or JavaScript would escape.
func TestMessageHasTheBytesOfTheEvent(t *testing.T) {
	t.Parallel()
	const data = `{"title":"<b>R&D</b> \u2028 \" é 🙂 ` + "\u2028" + `"}`
	m := NewMessage(event.Cursor{Number: 1}, event.ProblemCreated, time.Date(2026, 3, 14, 9, 30, 0, 0, time.UTC), []byte(data))
	want := `{"type":"problem.created","timestamp":"2026-03-14T09:30:00.000Z","data":` + data + `}`
	if string(m.Body) != want {
		t.Errorf("the body is\n%s\nwant\n%s", m.Body, want)
	}
}
