package e2e

import (
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/problemtracking/problems/adapters/postgres/postgrestest"
)

// TestMailAndWebhooksOfTwoServers kills the server that sends e-mail and delivers a webhook, beside
// another one on the same database. The mail server was away before. Everybody has all changes,
// one mail at most comes twice, and the work moves. One person's mail is refused meanwhile.
func TestMailAndWebhooksOfTwoServers(t *testing.T) {
	t.Parallel()
	store, token, l, h := postgrestest.Schema(t), newToken(t), newMailLedger(t), newHookArrivals(t)
	l.slow = 150 * time.Millisecond
	settings := append(l.settings(), "PROBLEMS_BOOTSTRAP_TOKEN="+token, "PROBLEMS_WEBHOOK_ALLOW=127.0.0.0/8")
	first := serve(t, store, settings...)
	takesRequests(t, first, token)
	write := func(s *server, method, path, body string, headers ...string) {
		t.Helper()
		if status, answer := s.as(token).do(method, path, body, headers...); status != http.StatusCreated {
			t.Fatalf("%s %s: %d %s", method, path, status, answer)
		}
	}
	comment := func(s *server, text string) {
		t.Helper()
		write(s, "POST", "/problems/1/comments", text, "Content-Type", "text/plain")
	}
	write(first, "POST", "/webhooks", fmt.Sprintf(`{"url":%q%s}`, h.URL+keptHook, onProblems))
	write(first, "POST", "/problems", `{"title":"The lamp is broken"}`)
	people := len(addUsers(t, first.as(token), 20, "/problems/1")) + 1 // and one of the next two
	for _, email := range []string{"jürgen@example.org", "ann@bücher.example"} {
		write(first, "POST", "/users", fmt.Sprintf(`{"name":"foreign","email":%q}`, email))
		write(first, "PUT", "/problems/1/watchers", fmt.Sprintf(`{"email":%q}`, email))
	}
	for i := range 3 {
		comment(first, fmt.Sprintf("While the mail server is away: %d.", i))
	}
	eventually(t, "the log says that the mail server is away", func() bool { return strings.Contains(first.stderr.String(), "e-mail cannot be sent") })
	second := serve(t, store, settings...)
	takesRequests(t, second, token)
	l.open(t)
	eventually(t, "some mails have arrived", func() bool { return len(l.all()) >= 4 })
	eventually(t, "a message of the webhook has arrived", func() bool { return len(h.at(keptHook)) > 0 })
	first.kill()
	killed := time.Now()
	const last = "After the death of a server."
	comment(second, last)
	eventually(t, "everybody has the last mail", func() bool { return len(l.told(last)) == people })
	feed := problemEvents(t, second.as(token), "")
	eventually(t, "the webhook has all events", func() bool { return len(firsts(h.at(keptHook))) >= len(feed) })
	h.judge(t, keptHook, feed)
	h.moved(t, []death{{at: killed, replaced: killed}}, killed, killed)
	all := l.all()
	twice := again(t, all)
	var next time.Time
	for _, m := range all {
		if next.IsZero() && m.came.After(killed.Add(l.slow)) { // not that under way
			next = m.came
		}
	}
	t.Logf("%d mails, %d came again; the next server sent after %s", len(all), twice, next.Sub(killed).Round(time.Millisecond))
	if took := next.Sub(killed); took > 30*time.Second { // ten seconds, on a machine that is not busy
		t.Errorf("the next mail came after %s", took)
	}
	to, before := l.told(last), l.told("While the mail server is away: 2.")
	for address := range to {
		if before[address] < 1 {
			t.Errorf("%s has no mail about the changes during the outage", address)
		}
	}
	if n := len(all) - twice; n > 2*people {
		t.Errorf("%d mails to %d people about one problem", n, people)
	}
	if to["ann@xn--bcher-kva.example"] == 0 || to["jürgen@example.org"] > 0 {
		t.Errorf("the foreign addresses: %v", to)
	}
	log := func() string { return first.stderr.String() + second.stderr.String() }
	eventually(t, "the log has the refusal", func() bool { return strings.Contains(log(), "the mail server has no SMTPUTF8") })
	if strings.Contains(log(), "s3cr3tpass") {
		t.Error("the log has the password")
	}
}

// On each store, quick changes are one mail, two mails about a problem are one thread, and the
// choices of people count: those in their settings, and the click that ends mail.
func TestMailOnEachStore(t *testing.T) {
	t.Parallel()
	eachAdapter(t, func(t *testing.T, store string) {
		token, l := newToken(t), newMailLedger(t)
		l.open(t)
		s := serve(t, store, append(l.settings(), "PROBLEMS_BOOTSTRAP_TOKEN="+token)...)
		c := s.as(token)
		if status, body := c.do("POST", "/problems", `{"title":"The lamp is broken"}`); status != http.StatusCreated {
			t.Fatalf("%d %s", status, body)
		}
		addUsers(t, c, 3, "/problems/1")
		var issued struct{ Token string }
		status, body := c.do("POST", "/tokens", `{"scope":"write","user":{"email":"p1@example.org"}}`)
		if err := json.Unmarshal(body, &issued); err != nil || status != http.StatusCreated {
			t.Fatalf("%d %s", status, body)
		}
		if status, body := s.as(issued.Token).do("PUT", "/me/mail", `{"mail":"mine"}`); status != http.StatusOK {
			t.Fatalf("%d %s", status, body)
		}
		// tells returns the addressees of the mails with a text, once all who should have one do.
		tells := func(text string, want ...string) (mails []ledgerMail) {
			t.Helper()
			eventually(t, "the mails have arrived", func() bool {
				mails = nil
				for _, m := range l.all() {
					if strings.Contains(m.text, text) {
						mails = append(mails, m)
					}
				}
				return len(mails) >= len(want)
			})
			var to []string
			for _, m := range mails {
				to = append(to, m.to)
			}
			if slices.Sort(to); !slices.Equal(to, want) {
				t.Errorf("%q went to %q, want %q", text, to, want)
			}
			return mails
		}
		comment := func(text string) {
			t.Helper()
			if status, body := c.do("POST", "/problems/1/comments", text, "Content-Type", "text/plain"); status != http.StatusCreated {
				t.Fatalf("%d %s", status, body)
			}
		}
		// On a busy machine, the server may see the three with more than PROBLEMS_MAIL_QUIET
		// between them. Then others are one mail.
		var first []ledgerMail
		for round := 1; ; round++ {
			for _, place := range []string{"first", "second", "third"} {
				comment(fmt.Sprintf("The %s of round %d.", place, round))
			}
			first = tells(fmt.Sprintf("The third of round %d.", round), "p0@example.org", "p2@example.org")
			if !slices.ContainsFunc(first, func(m ledgerMail) bool {
				return !strings.Contains(m.text, fmt.Sprintf("The first of round %d.", round))
			}) {
				break
			}
			if round == 5 {
				t.Fatal("quick changes have never been one mail")
			}
		}
		ended := first[0].to
		path := first[0].end(t)
		for _, try := range []struct {
			method, path string
			status       int
		}{
			{"GET", path, http.StatusOK}, {"HEAD", path, http.StatusOK}, {"POST", path[:len(path)-2] + "AA", http.StatusNotFound},
		} {
			if status := s.click(t, try.method, try.path); status != try.status {
				t.Errorf("%s is answered with %d, want %d", try.method, status, try.status)
			}
		}
		comment("The fourth one.")
		fourth := tells("The fourth one.", "p0@example.org", "p2@example.org")
		thread := regexp.MustCompile(`(?i)\r\nreferences:\s+(<\S+>)\r\n`)
		for _, m := range append(slices.Clone(first), fourth...) {
			if one, other := thread.FindStringSubmatch(m.text), thread.FindStringSubmatch(first[0].text); one == nil || other == nil || one[1] != other[1] {
				t.Errorf("the mails refer to %q and %q", one, other)
			}
		}
		for range 2 { // mail programs may repeat it
			if status := s.click(t, "POST", path); status != http.StatusOK {
				t.Errorf("the click is answered with %d", status)
			}
		}
		comment("The fifth one.")
		tells("The fifth one.", slices.DeleteFunc([]string{"p0@example.org", "p2@example.org"}, func(to string) bool { return to == ended })...)
	})
}
