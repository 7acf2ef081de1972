package web

import (
	"strings"
	"testing"

	"github.com/problemtracking/problems/domain/access"
)

// Preferences hold where neither the address, nor a saved query, nor this browser says otherwise (D58).
func TestPreferencesPages(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	b := s.as(t, "Ann", access.Write)
	problem := s.problem(t, "The door is open")
	form := b.get("/settings").is(200).form("/settings/preferences")
	if strings.Join(form["columns"], " ") != strings.Join(usualColumns, " ") || form.Get("keys") != "on" || form.Get("density") != "comfortable" || form.Get("lang") != "" {
		t.Errorf("the usual preferences are %v", form)
	}
	prefer := func(more ...string) *shownPage {
		return b.post("/settings/preferences", append([]string{"columns", "due", "columns", "created", "density", "compact", "lang", "de"}, more...)...)
	}
	prefer("timeZone", "Asia/Tokyo").is(200).at("/settings").has("Deine Einstellungen").
		find(`data-keys="off"`, `data-density="compact"`, `data-zone="Asia/Tokyo"`, `value="Asia/Tokyo"`, ` JST">`)
	b.get(problem).is(200).find(` JST">`)
	saved := b.post("/queries", "name", "Doors", "predicate", "TRUEPREDICATE", "columns", "state").is(200).path
	for at, want := range map[string]string{"/problems": "# Titel Fällig Angelegt 1", saved: "# Titel Zustand 1", saved + "&columns=priority": "# Titel Priorität 1"} {
		b.get(at).is(200).has(want)
	}
	b.post("/language", "language", "en", "to", "/settings").is(200).has("Your settings")
	b.post("/keys", "keys", "on").is(200)
	b.get("/problems").is(200).has("# Title Due Created 1")
	if page := b.get("/problems"); strings.Contains(page.body, "data-keys") {
		t.Error("the keys that this browser turned on are off")
	}
	prefer("timeZone", "Mars/Olympus").is(422).has("Time zone: must be the name of a time zone", "is kept")
	prefer().is(200).has("Deine Einstellungen").find(`data-keys="off"`)
	s.as(t, "Rita", access.Read).get("/settings").is(200).lacks("Comfortable").form("/language")
}
