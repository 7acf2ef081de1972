package cli_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/problemtracking/problems/domain/event"
	"github.com/problemtracking/problems/domain/ident"
)

// An argument that is no identifier is found before a request: an empty one, as of a variable
// that is not set, would lead to another path.
func TestWebhookArguments(t *testing.T) {
	t.Parallel()
	for _, command := range []string{"test", "replay"} {
		for _, identifier := range []string{"", "x", "..", "https://hooks.example.org/problems"} {
			call(t, nil, "webhook", command, identifier).fails(t, 1, `problems: that is not the identifier of a webhook: "problems webhook list" shows them`)
		}
	}
}

// hook makes a webhook and returns its identifier.
func (s *running) hook(t *testing.T, token string) string {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), "POST", s.url+"/api/20151105/webhooks", strings.NewReader(`{"url":"https://hooks.example.invalid/"}`))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", token)
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	var made struct{ Identifier string }
	if err := json.NewDecoder(answer.Body).Decode(&made); err != nil || made.Identifier == "" {
		t.Fatalf("no webhook was made: status %d, %v", answer.StatusCode, err)
	}
	return made.Identifier
}

// Errors of a replay name the flag of the command.
func TestWebhookReplayRefuses(t *testing.T) {
	t.Parallel()
	s := start(t, nil, "--store=memory:")
	env := variables{"PROBLEMS_URL": s.url, "PROBLEMS_TOKEN": s.token(t)}
	identifier := s.hook(t, s.token(t))
	for after, want := range map[string]string{
		"":          "problems: --after is empty: give it the identifier of an event, oldest or now",
		"yesterday": `problems: --after: must be the identifier of an event, "oldest" or "now"`,
		event.Cursor{Number: 1, Index: 1, Batch: ident.ID{9}}.String(): "problems: the feed does not have the event from which to go on: it was forgotten, or is of another store; read the problems anew, and go on with --after now",
	} {
		call(t, env, "webhook", "replay", identifier, "--after="+after).fails(t, 1, want)
	}
}
