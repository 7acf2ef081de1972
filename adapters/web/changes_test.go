package web

import (
	"testing"
	"time"
)

// A day has the changes of that day, also of problems that have changed since.
func TestChanges(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	noon := time.Now().UTC().Truncate(24 * time.Hour).Add(36 * time.Hour)
	s.ahead.Store(int64(time.Until(noon)))
	b := s.signedIn(t)
	lamp := s.problem(t, "The lamp is dark")
	s.problem(t, "The door is open")
	b.get(lamp).submit(lamp, "comment", "It *buzzes*.").is(200)
	s.ahead.Add(int64(24 * time.Hour))
	page := b.get(lamp)
	page.submit(lamp, "priority", page.choose("priority", "High")).is(200)
	day := func(days int) string { return noon.AddDate(0, 0, days).Format("2 Jan 2006") }
	next := b.get("/changes").is(200).has("The lamp is dark", "Priority: High").lacks("buzzes", "The door is open", day(2))
	first := next.follow("‹ "+day(0)).has("The lamp is dark", "buzzes", "The door is open", "created this problem").lacks("Priority: High")
	first.follow("‹ " + day(-1)).has("Nothing changed on this day.")
	first.follow(day(1) + " ›").has("Priority: High")
	b.post("/settings/preferences", "density", "comfortable", "keys", "on", "timeZone", "Pacific/Kiritimati").is(200)
	b.get("/changes").is(200).has(day(2), "Priority: High")
	b.get("/changes?day=2026-02-30").is(400).has("The day must be a date")
	b.get("/changes?after=x").is(400)
}

// People are found by the beginnings of their names, and the page says how a comment names them.
func TestPeople(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	b := s.signedIn(t)
	for _, user := range []string{"Ann Lee ann@example.org", "Bob Án bob@example.org", "Bob Two bob@example.com"} {
		name, email := user[:7], user[8:]
		b.post("/administration/users", "name", name, "email", email).is(200)
	}
	b.get("/people?words=an").is(200).has("Ann Lee @ann").lacks("Two")
	b.get("/people?words=ÁN").has("Ann Lee @ann")
	b.get("/people?words=bob").has("Bob Two @bob@example.com").lacks("Ann")
	b.get("/people?words=adm").find(`data-name="admin"`)
	b.get("/people?words=nobody").has("Nothing has these words.")
}
