package web

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"github.com/problemtracking/problems/adapters/httpframe/xsstest"
	"github.com/problemtracking/problems/adapters/web/internal/texts"
	"github.com/problemtracking/problems/domain/access"
	"github.com/problemtracking/problems/domain/tracker"
)

const sessionsPath = "/administration/sessions"

// endings returns the actions that end a session, by the name of its user.
func (p *shownPage) endings(name string) (actions []string) {
	for n := range p.root.Descendants() {
		if n.Type == html.ElementNode && n.Data == "button" && attribute(n, "aria-label") == "End a session of "+name {
			actions = append(actions, attribute(n.Parent, "action"))
		}
	}
	return actions
}

// An administrator sees the sessions of everybody or of one person, and ends one of them.
func TestSessionsOfOthers(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	b := s.signedIn(t)
	ann, bob := s.as(t, "Ann", access.Write), s.as(t, "Bob", access.Read)
	all := b.get(sessionsPath).is(200).has("Ann", "Bob", "Administrator", "this browser", "write", "read", "Everybody")
	if got := all.endings("Ann"); len(got) != 1 {
		t.Errorf("the sessions of Ann end by %q", got)
	}
	if got := all.endings("Administrator"); len(got) != 0 {
		t.Errorf("this session ends by %q", got)
	}
	of := all.choose("user", "Ann")
	one := b.get(sessionsPath + "?user=" + of).is(200)
	if len(one.endings("Ann")) != 1 || len(one.endings("Bob")) != 0 {
		t.Errorf("the page of Ann is %s", one.text())
	}
	if got := one.form(sessionsPath).Get("user"); got != of {
		t.Errorf("the chosen user is %q", got)
	}
	b.get(sessionsPath + "?user=Ann").is(200).has("write")
	b.get(sessionsPath + "?user=Nobody").is(404)
	b.get(sessionsPath + "?user=01234567-89ab-7cde-8f01-23456789abcd").is(404)
	end := one.endings("Ann")[0]
	one.submit(end).is(200).at(sessionsPath + "?user=" + of).has("Nobody is signed in.")
	ann.get("/settings").at("/sign-in?to=%2Fsettings")
	bob.get("/settings").is(200).at("/settings")
	b.post(end).is(404).lacks("is kept")
	b.post(b.get(sessionsPath).endings("Bob")[0]).is(200).at(sessionsPath)
	bob.get("/settings").at("/sign-in?to=%2Fsettings")
}

// The page has the newest sessions, and says so.
func TestManySessions(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	b := s.signedIn(t)
	for i := range 3 {
		s.as(t, fmt.Sprint("Person", i), access.Read)
		caller := s.callerOf(t, fmt.Sprint("Person", i))
		for range 70 {
			if _, err := s.service.Sessions.SignInUser(t.Context(), caller.User, access.Read, "A browser"); err != nil {
				t.Fatal(err)
			}
		}
	}
	page := b.get(sessionsPath).is(200).has("Only the newest 200 sessions are shown.")
	if got := len(page.endings("Person2")); got != 71 {
		t.Errorf("the newest user has %d sessions, want 71", got)
	}
	if got := len(page.endings("Person0")); got != 58 {
		t.Errorf("the oldest user has %d sessions, want 58", got)
	}
	b.get(sessionsPath + "?user=Person0").is(200).lacks("Only the newest")
}

// callerOf returns the user with this name.
func (s *site) callerOf(t *testing.T, name string) tracker.Caller {
	t.Helper()
	all, err := s.service.Users().List(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, u := range all.Value {
		if u.Name == name {
			return tracker.Caller{User: u.ID}
		}
	}
	t.Fatalf("there is no user %q", name)
	return tracker.Caller{}
}

// Others have their own sessions in the settings, and only those.
func TestSessionsNeedAdmin(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	b := s.signedIn(t)
	writer, bob := s.as(t, "Willi", access.Write), s.as(t, "Bob", access.Read)
	end := b.get(sessionsPath).endings("Bob")[0]
	writer.get("/administration/states").lacks("Sessions")
	writer.get(sessionsPath).is(403).lacks("Bob")
	writer.post(end).is(403)
	writer.post("/settings" + strings.TrimPrefix(end, "/administration")).is(404)
	r, err := http.NewRequest("POST", s.URL+end, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("Sec-Fetch-Site", "cross-site")
	b.do(r).is(403)
	b.post(sessionsPath + "/nonsense/end").is(404)
	bob.get("/settings").is(200).at("/settings")
}

// A browser calls itself as it likes: this is text.
func TestAttemptsOnSessions(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	b := s.signedIn(t)
	for _, attempt := range xsstest.Attempts() {
		signed, err := s.service.Sessions.SignInUser(t.Context(), s.admin.User, access.Admin, attempt)
		if err != nil {
			t.Fatal(err)
		}
		b.get(sessionsPath).is(200).harmless(attempt)
		if err := s.service.Sessions.End(t.Context(), s.admin, signed.Session.ID); err != nil {
			t.Fatal(err)
		}
	}
}

// A list of sessions names browsers and systems, and has other headers as they are.
func TestBrowserOfSession(t *testing.T) {
	t.Parallel()
	q := &request{language: texts.Languages()[0]}
	for agent, want := range map[string]string{
		"Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0":                                                                  "Firefox 140 on Linux",
		"Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/139.0.0.0 Safari/537.36":                         "Chrome 139 on Windows",
		"Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1": "Safari 18 on iOS",
		"curl/8.14.1": "curl/8.14.1",
		"":            "",
	} {
		if got := q.browserOf(agent); got != want {
			t.Errorf("%q is %q, want %q", agent, got, want)
		}
	}
}
