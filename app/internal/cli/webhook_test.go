package cli_test

import "testing"

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
