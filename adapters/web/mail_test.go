package web

import (
	"net/http"
	"strings"
	"testing"

	"github.com/problemtracking/problems/domain/access"
	"github.com/problemtracking/problems/domain/mail"
	"github.com/problemtracking/problems/domain/patch"
	"github.com/problemtracking/problems/domain/tracker/mailing"
	"github.com/problemtracking/problems/domain/user"
	"github.com/problemtracking/problems/domain/webhook"
)

// mailOf returns the choice of the administrator.
func (s *site) mailOf(t *testing.T) user.Mail {
	t.Helper()
	a, err := s.service.Users().Load(t.Context(), s.admin.User)
	if err != nil {
		t.Fatal(err)
	}
	return a.Value.Mail
}

func TestChooseMail(t *testing.T) {
	t.Parallel()
	s := newSite(t, func(o *Options) { o.Mail = true })
	b := s.signedIn(t)
	b.get("/settings").is(200).has("Get e-mail about", "No e-mail can be sent to your address")
	for _, m := range []user.Mail{user.MailMine, user.MailNone, user.MailEverything} {
		b.post("/settings/mail", "mail", m.String()).is(200).at("/settings")
		if got := s.mailOf(t); got != m {
			t.Errorf("the choice is %v, want %v", got, m)
		}
	}
	b.post("/settings/mail", "mail", "weekly").is(422)
	b.post("/settings/mail").is(422)
	b.get("/settings").is(200).lacks("You can only read here")
	reader := s.as(t, "Rita", access.Read)
	reader.get("/settings").is(200).has("Get e-mail about", "You can only read here, so you cannot change this.")
	reader.post("/settings/mail", "mail", "none").is(403)
	newSite(t).signedIn(t).get("/settings").is(200).lacks("Get e-mail about")
}

// One click ends e-mail, without a session: a POST of a program of mail, too. A GET changes
// nothing.
func TestUnsubscribe(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	address := "/unsubscribe?token=" + mail.NewToken(testKey, s.admin.User)
	post := func(path, kind, body string, header ...string) int {
		t.Helper()
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.URL+path, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Content-Type", kind)
		for i := 0; i < len(header); i += 2 {
			r.Header.Set(header[i], header[i+1])
		}
		w, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer w.Body.Close()
		return w.StatusCode
	}
	b := s.browser(t)
	for range 2 {
		b.get(address).is(200).has("Get no e-mail any more")
	}
	if s.mailOf(t) != user.MailEverything {
		t.Fatal("a GET has ended e-mail")
	}
	const form, parts = "application/x-www-form-urlencoded", `multipart/form-data; boundary="x"`
	for name, c := range map[string]struct {
		kind, body string
		header     []string
	}{
		"as RFC 8058 says": {form, "List-Unsubscribe=One-Click", nil},
		"in parts":         {parts, "--x\r\nContent-Disposition: form-data; name=\"List-Unsubscribe\"\r\n\r\nOne-Click\r\n--x--\r\n", nil},
		"without a body":   {"", "", nil},
		"from a mail page": {form, "List-Unsubscribe=One-Click", []string{"Origin", "https://mail.example.org", "Sec-Fetch-Site", "cross-site"}},
	} {
		if status := post(address, c.kind, c.body, c.header...); status != 200 || s.mailOf(t) != user.MailNone {
			t.Errorf("%s: the status is %d, and the choice %v", name, status, s.mailOf(t))
		}
		if _, err := s.service.Mailing.Set(t.Context(), s.admin, mailing.Set{Mail: patch.Set("everything")}); err != nil {
			t.Fatal(err)
		}
	}
	for _, path := range []string{"/unsubscribe", "/unsubscribe?token=", address + "x", strings.Replace(address, "token=", "token=A", 1), "/unsubscribe?token=" + mail.NewToken(webhook.NewKey([32]byte{7}), s.admin.User)} {
		b.get(path).is(404)
		if status := post(path, form, "List-Unsubscribe=One-Click"); status != 404 || s.mailOf(t) != user.MailEverything {
			t.Errorf("%s: the status is %d, and the choice %v", path, status, s.mailOf(t))
		}
	}
	b.post(address).is(200).has("You get no e-mail about problems any more")
}

func TestSafeHTML(t *testing.T) {
	t.Parallel()
	safe := NewSafeHTML()
	wide := strings.Repeat("|a", 1000) + "|\n" + strings.Repeat("|-", 1000) + "|\n" + strings.Repeat("x\n", 2000) // as much as a mail has
	for _, c := range []struct{ text, html, has, lacks string }{
		{"**bold** <script>alert(1)</script> #1", "", "<strong>bold</strong>", "<script"},
		{"plain", `<b onclick="x()">b</b><img src="http://x/y.png"><script>1</script>`, "<b>b</b>", "onclick"},
		{"plain", `<img src="http://x/y.png" alt="z">`, "z", "<img"},
		{"[x](javascript:alert(1))", "", "x", "javascript:"},
		{"plain", "  ", "<p>plain</p>", "nothing"},
		{wide, "", `<p class="plain">|a|a`, "<table"},
		{"plain", "<p><a href=\"/" + strings.Repeat("u", 4000) + "\">" + strings.Repeat("<p>x", 1000), "<p>plain</p>", "<a"},
	} {
		if got := string(safe(c.text, c.html)); !strings.Contains(got, c.has) || strings.Contains(got, c.lacks) {
			t.Errorf("%q and %q become %q", c.text, c.html, got)
		}
	}
}
