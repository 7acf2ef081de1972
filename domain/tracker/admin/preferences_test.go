package admin

import (
	"testing"

	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/patch"
	"github.com/problemtracking/problems/domain/tracker/internal/kit"
)

// Preferences are set as a whole by their user, and sessions know them (D58).
func TestSetPreferences(t *testing.T) {
	t.Parallel()
	s := newService(t)
	text, keys := patch.Set[string], patch.Set[bool]
	set := func(cmd SetPreferences) string {
		t.Helper()
		a, err := s.SetPreferences(t.Context(), s.admin, cmd)
		kit.NoError(t, err)
		return string(a.Value.Preferences)
	}
	kit.Equal(t, "all", set(SetPreferences{Columns: text("due, state"), Density: text("compact"), Language: text("de"), TimeZone: text("Europe/Berlin"), Keys: keys(false)}),
		"columns=due,state density=compact language=de timeZone=Europe/Berlin keys=off")
	_, err := s.SetPreferences(t.Context(), s.admin, SetPreferences{Columns: text("colour"), Density: text("loose"), Language: text("tlh"), TimeZone: text("Local"), Keys: keys(true)})
	kit.WantFault(t, err, fault.InvalidValue, "invalid-value /columns", "invalid-value /density", "invalid-value /language", "invalid-value /timeZone")
	kit.Equal(t, "the usual ones", set(SetPreferences{Density: text("comfortable"), Language: patch.Null[string](), Keys: keys(true)}), "")
}
