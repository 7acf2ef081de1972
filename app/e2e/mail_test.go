package e2e

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/emersion/go-sasl"
	"github.com/emersion/go-smtp"

	"github.com/problemtracking/problems/adapters/postgres/postgrestest/ports"
)

// mailLedger is a mail server with a list of what came.
type mailLedger struct {
	address string
	slow    time.Duration // for one mail
	mu      sync.Mutex
	came    []ledgerMail
}

type ledgerMail struct {
	to, text string
	came     time.Time
}

// Headers of a mail: its identifier, and the link that ends mail.
var (
	messageID   = regexp.MustCompile(`(?i)message-id:\s+(\S+)`)
	unsubscribe = regexp.MustCompile(`<https://tracker\.example\.org(/unsubscribe\?token=[A-Za-z0-9_-]+)>`)
)

// end returns the path of the link that ends mail.
func (m ledgerMail) end(t *testing.T) string {
	t.Helper()
	link := unsubscribe.FindStringSubmatch(strings.ReplaceAll(m.text, "\r\n ", ""))
	if link == nil {
		t.Fatalf("the mail has no link that ends mail:\n%s", m.text)
	}
	return link[1]
}

// newMailLedger returns a mail server that does not answer yet.
func newMailLedger(t *testing.T) *mailLedger {
	t.Helper()
	address, err := ports.Address()
	if err != nil {
		t.Fatal(err)
	}
	return &mailLedger{address: address}
}

func (l *mailLedger) open(t *testing.T) {
	t.Helper()
	listener, err := net.Listen("tcp", l.address)
	if err != nil {
		t.Fatal(err)
	}
	server := smtp.NewServer(smtp.BackendFunc(func(*smtp.Conn) (smtp.Session, error) { return &ledgerSession{ledger: l}, nil }))
	server.ErrorLog, server.AllowInsecureAuth = quietLog{}, true
	go func() { _ = server.Serve(listener) }()
	t.Cleanup(func() { _ = server.Close() })
}

type quietLog struct{}

func (quietLog) Printf(string, ...any) {}
func (quietLog) Println(...any)        {}

func (l *mailLedger) all() []ledgerMail {
	l.mu.Lock()
	defer l.mu.Unlock()
	return append([]ledgerMail(nil), l.came...)
}

// told returns how many mails with a text have come, by address.
func (l *mailLedger) told(text string) map[string]int {
	of := make(map[string]int)
	for _, m := range l.all() {
		if strings.Contains(m.text, text) {
			of[m.to]++
		}
	}
	return of
}

// again returns how many mails have come again. It fails the test for more than one: after a
// kill, the mail under way may come twice.
func again(t *testing.T, mails []ledgerMail) (n int) {
	t.Helper()
	known := make(map[string]bool) // by identifier
	for _, m := range mails {
		id := messageID.FindStringSubmatch(m.text)
		if id == nil {
			t.Fatalf("a mail has no identifier:\n%s", m.text)
		}
		if known[id[1]] {
			n++
		}
		known[id[1]] = true
	}
	if n > 1 {
		t.Errorf("%d mails came again, want one at most", n)
	}
	return n
}

// click sends the request with which a mail program ends mail, by any method. It returns the
// status of the answer.
func (s *server) click(t *testing.T, method, path string) int {
	t.Helper()
	url := strings.TrimSuffix(s.url, "/api/20151105") + path
	r, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader("List-Unsubscribe=One-Click"))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	return answer.StatusCode
}

func (l *mailLedger) settings() []string {
	return []string{
		"PROBLEMS_MAIL_URL=smtp://tracker:s3cr3tpass@" + l.address + "?starttls=off", "PROBLEMS_MAIL_FROM=Problems <problems@example.org>",
		"PROBLEMS_PUBLIC_URL=https://tracker.example.org", "PROBLEMS_MAIL_QUIET=1s",
	}
}

type ledgerSession struct {
	ledger *mailLedger
	to     string
}

func (s *ledgerSession) AuthMechanisms() []string { return []string{sasl.Plain} }

func (s *ledgerSession) Auth(string) (sasl.Server, error) {
	return sasl.NewPlainServer(func(_, user, password string) error {
		if user != "tracker" || password != "s3cr3tpass" {
			return smtp.ErrAuthFailed
		}
		return nil
	}), nil
}

func (s *ledgerSession) Mail(string, *smtp.MailOptions) error { return nil }
func (s *ledgerSession) Reset()                               {}
func (s *ledgerSession) Logout() error                        { return nil }

func (s *ledgerSession) Rcpt(to string, _ *smtp.RcptOptions) error {
	s.to = to
	return nil
}

func (s *ledgerSession) Data(r io.Reader) error {
	text, err := io.ReadAll(r)
	if err != nil {
		return err
	}
	time.Sleep(s.ledger.slow)
	s.ledger.mu.Lock()
	defer s.ledger.mu.Unlock()
	s.ledger.came = append(s.ledger.came, ledgerMail{s.to, strings.NewReplacer("=\r\n", "", "=3D", "=").Replace(string(text)), time.Now()})
	return nil
}

// addUsers adds users with the names p0, p1 and so on, who watch a problem.
func addUsers(t *testing.T, c *client, n int, watched string) (emails []string) {
	t.Helper()
	for i := range n {
		email := fmt.Sprintf("p%d@example.org", i)
		if status, body := c.do("POST", "/users", fmt.Sprintf(`{"name":"p%d","email":%q}`, i, email)); status != http.StatusCreated {
			t.Fatalf("%d %s", status, body)
		}
		if status, body := c.do("PUT", watched+"/watchers", fmt.Sprintf(`{"email":%q}`, email)); status != http.StatusCreated {
			t.Fatalf("%d %s", status, body)
		}
		emails = append(emails, email)
	}
	return emails
}

// The way of a mail: from a comment to the watcher, and with one click to its end.
func TestMails(t *testing.T) {
	t.Parallel()
	token, store, l := newToken(t), newFile(t), newMailLedger(t)
	s := serve(t, store, append(l.settings(), "PROBLEMS_BOOTSTRAP_TOKEN="+token)...)
	c := s.as(token)
	if status, body := c.do("POST", "/problems", `{"title":"The lamp is broken"}`); status != http.StatusCreated {
		t.Fatalf("%d %s", status, body)
	}
	addUsers(t, c, 1, "/problems/1")
	if status, body := c.do("POST", "/problems/1/comments", "It is **dark**.", "Content-Type", "text/plain"); status != http.StatusCreated {
		t.Fatalf("%d %s", status, body)
	}
	eventually(t, "the log says that the mail server is away", func() bool { return strings.Contains(s.stderr.String(), "e-mail cannot be sent") })
	if code, _, said := problems(t, nil, "copy", "--from="+store, "--to="+newFile(t)); code != 0 || !strings.Contains(said, "E-mail about the latest changes waits") {
		t.Errorf("a copy beside waiting mail ends with %d, and says %q", code, said)
	}
	l.open(t)
	eventually(t, "the mail has arrived", func() bool { return len(l.all()) > 0 })
	got := l.all()[0]
	for _, part := range []string{"Subject: #1 The lamp is broken", "It is **dark**.", "<strong>dark</strong>", "https://tracker.example.org/problems/1", "Auto-Submitted: auto-generated"} {
		if !strings.Contains(got.text, part) {
			t.Errorf("the mail to %s lacks %q:\n%s", got.to, part, got.text)
		}
	}
	end := got.end(t)
	if status := s.click(t, "POST", end); status != http.StatusOK {
		t.Errorf("the end of mail is answered with %d", status)
	}
	var audit []struct{ Field string }
	c.get(t, "/audit", &audit)
	if last := audit[len(audit)-1]; last.Field != "mail" {
		t.Errorf("the last entry of the audit log is %+v", last)
	}
	if out := command(t, l.settings(), "mail", "--test", "ann@example.org"); !strings.Contains(out, "has taken the mail") || len(l.all()) != 2 {
		t.Errorf("the test printed %q, and %d mails have arrived", out, len(l.all()))
	}
	s.stop()
	texts := map[string]string{"the log": s.stderr.String(), "the settings": command(t, l.settings(), "config"), "the archive": command(t, []string{"PROBLEMS_STORE=" + store}, "export")}
	files, err := filepath.Glob(strings.TrimPrefix(store, "sqlite://") + "*")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		texts[file] = string(content)
	}
	for where, text := range texts {
		if strings.Contains(text, "s3cr3tpass") || strings.Contains(text, strings.TrimPrefix(end, "/unsubscribe?token=")) {
			t.Errorf("%s has a secret", where)
		}
	}
	if !strings.Contains(texts["the archive"], `"mail":"none"`) {
		t.Error("the archive lacks the choice")
	}
}

// Killed while it sends: nobody is left out, and one mail at most comes twice, with the same
// identifier.
func TestMailOutlivesServers(t *testing.T) {
	t.Parallel()
	eachDurable(t, func(t *testing.T, store string) {
		token, l := newToken(t), newMailLedger(t)
		l.slow = 50 * time.Millisecond
		l.open(t)
		variables := append(l.settings(), "PROBLEMS_BOOTSTRAP_TOKEN="+token)
		s := serve(t, store, variables...)
		c := s.as(token)
		if status, body := c.do("POST", "/problems", `{"title":"The lamp is broken"}`); status != http.StatusCreated {
			t.Fatalf("%d %s", status, body)
		}
		people := addUsers(t, c, 12, "/problems/1")
		if status, body := c.do("POST", "/problems/1/comments", "It is dark.", "Content-Type", "text/plain"); status != http.StatusCreated {
			t.Fatalf("%d %s", status, body)
		}
		eventually(t, "some mails have arrived", func() bool { return len(l.all()) >= 4 })
		s.kill()
		serve(t, store, variables...)
		eventually(t, "everybody has the mail", func() bool { return len(l.told("It is dark.")) == len(people) })
		again(t, l.all())
	})
}
