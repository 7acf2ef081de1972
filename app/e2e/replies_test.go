package e2e

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	netmail "net/mail"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/emersion/go-smtp"
)

// replySettings returns the settings of a server that takes replies on a socket.
func replySettings(t *testing.T, l *mailLedger) (socket string, variables []string) {
	t.Helper()
	dir, err := os.MkdirTemp("", "replies") // short: the path of a socket has at most 107 bytes
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	socket = filepath.Join(dir, "lmtp.sock")
	return socket, append(l.settings(), "PROBLEMS_MAIL_REPLIES_LISTEN=unix:"+socket, "PROBLEMS_MAIL_REPLIES_ADDRESS=reply@example.org")
}

// handOver begins to hand a reply over, like a mail server. The result ends it.
func handOver(t *testing.T, socket, to, id, text string) (*smtp.Client, *smtp.DataCommand, error) {
	t.Helper()
	connection, err := net.Dial("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	c := smtp.NewClientLMTP(connection)
	t.Cleanup(func() { c.Close() })
	c.CommandTimeout, c.SubmissionTimeout = patience, patience
	if err := c.Mail("somebody.else@example.org", nil); err != nil {
		t.Fatal(err)
	}
	if err := c.Rcpt(to, nil); err != nil {
		return c, nil, err
	}
	w, err := c.Data()
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(text, "Content-Type: ") {
		text = "Content-Type: text/plain; charset=utf-8\n\n" + text
	}
	mail := "From: admin <admin@localhost>\r\nMessage-ID: <" + id + ">\r\n" + strings.ReplaceAll(text, "\n", "\r\n")
	if _, err := io.WriteString(w, mail); err != nil {
		t.Fatal(err)
	}
	return c, w, nil
}

// withFile returns a mail with a text and a file, for handOver.
func withFile(text, name, content string) string {
	var lines strings.Builder
	for sent := base64.StdEncoding.EncodeToString([]byte(content)); sent != ""; sent = sent[min(76, len(sent)):] {
		lines.WriteString(sent[:min(76, len(sent))] + "\n")
	}
	return "Content-Type: multipart/mixed; boundary=b\n\n--b\n\n" + text + "\n--b\nContent-Type: image/png\nContent-Disposition: attachment; filename=" + name +
		"\nContent-Transfer-Encoding: base64\n\n" + lines.String() + "--b--\n"
}

// deliver hands a reply over, and returns the answer for its recipient: nil when it was taken.
func deliver(t *testing.T, socket, to, id, text string) *smtp.SMTPError {
	t.Helper()
	c, w, err := handOver(t, socket, to, id, text)
	if err == nil {
		_, err = w.CloseWithLMTPResponse()
	}
	if refused, ok := errors.AsType[*smtp.SMTPError](err); ok {
		return refused
	}
	if refused, ok := errors.AsType[smtp.LMTPDataError](err); ok {
		return refused[to]
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Quit(); err != nil {
		t.Error(err)
	}
	return nil
}

// answerable starts the story: a problem, a watcher, a comment, and the watcher's mail. It
// returns the address for replies to it.
func answerable(t *testing.T, c *client, l *mailLedger) (address string, got ledgerMail) {
	t.Helper()
	if status, body := c.do("POST", "/problems", `{"title":"The lamp is broken"}`); status != http.StatusCreated {
		t.Fatalf("%d %s", status, body)
	}
	addUsers(t, c, 1, "/problems/1")
	if status, body := c.do("POST", "/problems/1/comments", "It is dark.", "Content-Type", "text/plain"); status != http.StatusCreated {
		t.Fatalf("%d %s", status, body)
	}
	eventually(t, "the mail has arrived", func() bool { return len(l.all()) > 0 })
	got = l.all()[0]
	m, err := netmail.ReadMessage(strings.NewReader(got.text))
	if err != nil {
		t.Fatal(err)
	}
	to, err := m.Header.AddressList("Reply-To")
	if err != nil || len(to) != 1 || !strings.HasPrefix(to[0].Address, "reply+") {
		t.Fatalf("the address for replies is %v, %v:\n%s", to, err, got.text)
	}
	return to[0].Address, got
}

type shownComment struct {
	Text   string
	Author struct{ Name string }
}

func comments(t *testing.T, c *client) (all []shownComment) {
	t.Helper()
	c.get(t, "/problems/1/comments", &all)
	return all
}

// The way of a reply: from a mail to a comment of its reader, whoever it says it is from.
func TestReplies(t *testing.T) {
	t.Parallel()
	token, store, l := newToken(t), newFile(t), newMailLedger(t)
	l.open(t)
	socket, variables := replySettings(t, l)
	s := serve(t, store, append(variables, "PROBLEMS_BOOTSTRAP_TOKEN="+token, "PROBLEMS_MAX_FILE=1MiB")...)
	c := s.as(token)
	address, mail := answerable(t, c, l)
	_, body, _ := strings.Cut(mail.text, "\r\n\r\n")
	text := "It was the fuse. Grüße!\n\nOn Saturday at 12:05, Problems <" + address + "> wrote:\n> " + strings.ReplaceAll(body, "\r\n", "\n> ") + "\n"
	for range 2 { // the first answer was lost on its way
		if refused := deliver(t, socket, address, "1@example.org", text); refused != nil {
			t.Fatal(refused)
		}
	}
	all := comments(t, c)
	if len(all) != 2 || all[1].Text != "It was the fuse. Grüße!" || all[1].Author.Name != "p0" {
		t.Errorf("the comments are %+v", all)
	}
	user := struct{ Identifier string }{}
	var users []struct{ Identifier, Name string }
	c.get(t, "/users", &users)
	for _, u := range users {
		if u.Name == "p0" {
			user.Identifier = u.Identifier
		}
	}
	forged := strings.Replace(address, "reply+", "reply+a", 1)
	for name, sent := range map[string]struct {
		to, text string
		code     int
	}{
		"a forged address": {forged, "a", 550}, "no token": {"reply@example.org", "a", 550}, "a cut address": {address[:20] + "@example.org", "a", 550},
		"no text of its own": {address, "> It is dark.\n", 554}, "too long": {address, strings.Repeat("fuse\n", 220_000), 552},
	} {
		if refused := deliver(t, socket, sent.to, name, sent.text); refused == nil || refused.Code != sent.code {
			t.Errorf("%s: answered with %v, want %d", name, refused, sent.code)
		}
	}
	if refused := deliver(t, socket, address, "file@example.org", withFile("", "a.png", "PNG")); refused != nil {
		t.Errorf("a file alone is answered with %v", refused)
	}
	if refused := deliver(t, socket, address, "large@example.org", withFile("Look.", "a.png", strings.Repeat("x", 2<<20))); refused == nil || refused.Code != 552 || !strings.Contains(refused.Message, `the file "a.png" has 2097152 bytes, and a file can have 1048576`) {
		t.Errorf("a large file is answered with %v", refused)
	}
	if out := command(t, append(variables, "PROBLEMS_STORE="+store, "PROBLEMS_LISTEN=127.0.0.1:0"), "doctor"); !strings.Contains(out, "a service takes replies at "+socket) {
		t.Errorf("the doctor says\n%s", out)
	}
	if status, body := c.do("PATCH", "/users/"+user.Identifier, `{"inactive":true}`); status != http.StatusOK {
		t.Fatalf("%d %s", status, body)
	}
	if refused := deliver(t, socket, address, "2@example.org", "Me again."); refused == nil || refused.Code != 550 || !strings.Contains(refused.Message, "is inactive") {
		t.Errorf("a deactivated user is answered with %v", refused)
	}
	if all := comments(t, c); len(all) != 2 {
		t.Errorf("the comments are %+v", all)
	}
	s.stop()
	if _, err := os.Stat(socket); !os.IsNotExist(err) {
		t.Errorf("the socket is left: %v", err)
	}
	secret, _, _ := strings.Cut(strings.TrimPrefix(address, "reply+"), "@")
	for where, text := range map[string]string{"the log": s.stderr.String(), "the archive": command(t, []string{"PROBLEMS_STORE=" + store}, "export")} {
		if strings.Contains(text, secret) {
			t.Errorf("%s has the token of an address", where)
		}
	}
}

// Killed between the mail and the answer: the mail comes again, and is one comment with one file.
func TestRepliesOutliveServers(t *testing.T) {
	t.Parallel()
	eachDurable(t, func(t *testing.T, store string) {
		token, l := newToken(t), newMailLedger(t)
		l.open(t)
		socket, variables := replySettings(t, l)
		variables = append(variables, "PROBLEMS_BOOTSTRAP_TOKEN="+token)
		s := serve(t, store, variables...)
		address, _ := answerable(t, s.as(token), l)
		for round, wait := range []time.Duration{0, 5 * time.Millisecond, -1} {
			id, text := fmt.Sprintf("%d@example.org", round), fmt.Sprintf("Answer %d.", round)
			has := func() (n int) {
				for _, one := range comments(t, s.as(token)) {
					if one.Text == text {
						n++
					}
				}
				return n
			}
			mail := withFile(text, "a.png", text+strings.Repeat("x", round*2_000_000))
			_, w, err := handOver(t, socket, address, id, mail)
			if err != nil {
				t.Fatal(err)
			}
			answered := make(chan error, 1)
			go func() {
				_, err := w.CloseWithLMTPResponse()
				answered <- err
			}()
			if wait < 0 {
				eventually(t, "the comment is there", func() bool { return has() > 0 })
			}
			time.Sleep(max(0, wait))
			s.kill()
			<-answered // whatever it was: the mail server has not got it
			s = serve(t, store, variables...)
			if refused := deliver(t, socket, address, id, mail); refused != nil {
				t.Fatalf("round %d: the mail that comes again is answered with %v", round, refused)
			}
			if n := has(); n != 1 {
				t.Errorf("round %d: the mail has become %d comments", round, n)
			}
			var files []struct{ Identifier, Digest string }
			s.as(token).get(t, "/problems/1/attachments", &files)
			if len(files) != round+1 {
				t.Fatalf("round %d: there are %d attachments", round, len(files))
			}
			_, file := s.as(token).do("GET", "/problems/1/attachments/"+files[round].Identifier+"/bytes", "")
			if sum := sha256.Sum256(file); hex.EncodeToString(sum[:]) != files[round].Digest || !strings.HasPrefix(string(file), text) {
				t.Errorf("round %d: the file has %d other bytes", round, len(file))
			}
		}
	})
}
