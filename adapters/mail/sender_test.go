package mail_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"mime/quotedprintable"
	"net"
	netmail "net/mail"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/emersion/go-smtp"

	"github.com/problemtracking/problems/adapters/mail"
	"github.com/problemtracking/problems/domain/ident"
	rules "github.com/problemtracking/problems/domain/mail"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/user"
)

func letter() rules.Letter {
	who := user.User{ID: ident.ID{1}, Name: "Ann Lée", Email: "ann@example.org"}
	return rules.Letter{ID: "1.2", To: who, Unsubscribe: "tok-en_1", Stories: []rules.Story{{
		Problem: 17, Title: "The lämp <b>is</b> broken", State: "Open", Left: 3,
		Entries: []rules.Entry{
			{Author: "Bob", At: at, Type: problem.FieldChanged, Field: "priority", From: problem.LogRef(ident.ID{7}, "Low"), To: problem.LogRef(ident.ID{8}, "High")},
			{Author: "Bob", At: at, Type: problem.FieldChanged, Field: "assignee", From: "", To: problem.LogRef(ident.ID{1}, "Ann Lée")},
			{Author: "Cy", At: at.Add(time.Minute), Type: problem.CommentAdded, Field: "comments", Comment: "Look:\n<script>alert(1)</script>\n.\n-- \nend", Cut: true},
			{Author: "", At: at.Add(time.Minute), Type: problem.KeywordSet, Field: "room", From: "", To: problem.LogText("12")},
			{Author: "", At: at.Add(time.Minute), Type: problem.AttachmentAdded, Field: "attachments", To: attachment("a <b>&\"?#/ü.png")},
			{Author: "", At: at.Add(time.Minute), Type: problem.AttachmentDeleted, Field: "attachments", From: attachment("old.png")},
			{Author: "", At: at.Add(time.Minute), Type: problem.RelationshipAdded, Field: "ParentOf", To: problem.LogLink(9)},
		},
	}}}
}

func attachment(name string) problem.LogValue {
	return problem.Attachment{ID: ident.ID{15: 9}, Name: name, MediaType: "image/png", Bytes: 1 << 20}.Log()
}

// opened is a mail as a mail program shows it.
type opened struct {
	header     netmail.Header
	subject    string
	text, html string
}

func open(t *testing.T, r received) (o opened) {
	t.Helper()
	m, err := netmail.ReadMessage(strings.NewReader(r.text))
	if err != nil {
		t.Fatalf("%v:\n%s", err, r.text)
	}
	o.header = m.Header
	if o.subject, err = new(mime.WordDecoder).DecodeHeader(m.Header.Get("Subject")); err != nil {
		t.Fatal(err)
	}
	kind, parameters, err := mime.ParseMediaType(m.Header.Get("Content-Type"))
	if err != nil {
		t.Fatal(err)
	}
	if kind != "multipart/alternative" {
		text, _ := io.ReadAll(quotedprintable.NewReader(m.Body))
		o.text = string(text)
		return o
	}
	for parts := multipart.NewReader(m.Body, parameters["boundary"]); ; {
		p, err := parts.NextPart() // which decodes quoted-printable
		if err != nil {
			return o
		}
		body, err := io.ReadAll(p)
		if err != nil {
			t.Fatal(err)
		}
		switch kind, _, _ := mime.ParseMediaType(p.Header.Get("Content-Type")); kind {
		case "text/plain":
			o.text = strings.ReplaceAll(string(body), "\r\n", "\n")
		case "text/html":
			o.html = string(body)
		}
	}
}

func TestLetter(t *testing.T) {
	t.Parallel()
	s := serve(t, false)
	if err := s.sender(plain).Send(t.Context(), letter()); err != nil {
		t.Fatal(err)
	}
	all := s.all()
	if len(all) != 1 || all[0].from != "problems@example.org" || all[0].to != "ann@example.org" {
		t.Fatalf("the mails are %+v", all)
	}
	got := open(t, all[0])
	for name, want := range map[string]string{
		"Message-ID": "<1.2@example.org>", "In-Reply-To": "<problem.17.tracker.example.org.8443%2Ft@example.org>", "References": "<problem.17.tracker.example.org.8443%2Ft@example.org>",
		"Auto-Submitted": "auto-generated", "From": `"Tracker" <problems@example.org>`, "Date": "Sat, 14 Mar 2026 09:30:00 +0000",
		"List-Unsubscribe": "<https://tracker.example.org:8443/t/unsubscribe?token=tok-en_1>", "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
	} {
		if value := got.header.Get(name); value != want {
			t.Errorf("%s: %s, want %s", name, value, want)
		}
	}
	if to, err := got.header.AddressList("To"); err != nil || len(to) != 1 || to[0].Name != "Ann Lée" {
		t.Errorf("To: %v, %v", to, err)
	}
	if got.subject != "#17 The lämp <b>is</b> broken" {
		t.Errorf("the subject is %q", got.subject)
	}
	want := `#17 The lämp <b>is</b> broken
State: Open
Earlier changes that are not in this mail: 3

Bob, 14 Mar 2026, 09:30 UTC
Priority: Low → High
Assignee: none → Ann Lée

Cy, 14 Mar 2026, 09:31 UTC
wrote:
    Look:
    <script>alert(1)</script>
    .
    -- 
    end
The comment goes on in the problem.

Somebody, 14 Mar 2026, 09:31 UTC
Keyword room: none → 12
File: a <b>&"?#/ü.png (1 MiB)
https://tracker.example.org:8443/t/problems/17/attachments/00000000-0000-0000-0000-000000000009/a%20%3Cb%3E&%22%3F%23%2F%C3%BC.png
File old.png: removed
ParentOf #9: added

Open the problem: https://tracker.example.org:8443/t/problems/17

-- 
You get this mail because you watch the problem, because you made it, or because it is assigned to you.
Choose your mail: https://tracker.example.org:8443/t/settings
Get no mail any more: https://tracker.example.org:8443/t/unsubscribe?token=tok-en_1
`
	if strings.Trim(got.text, "\n") != strings.Trim(want, "\n") {
		t.Errorf("the text is\n%s\nwant\n%s", got.text, want)
	}
	hasAll(t, "the HTML", got.html, `<html lang="en">`, "#17 The lämp &lt;b&gt;is&lt;/b&gt; broken", "<p>safe: Look:", "Priority: Low → High", `href="https://tracker.example.org:8443/t/problems/17"`, "/t/unsubscribe?token=tok-en_1")
	if strings.Contains(got.html, "<script") || strings.Contains(got.html, "<img") {
		t.Errorf("the HTML is not safe:\n%s", got.html)
	}
}

// A mail has an address for answers, when there is one, and the line above which they stand.
func TestAddressForAnswers(t *testing.T) {
	t.Parallel()
	s := serve(t, false)
	with := func(o *mail.Options) { o.Replies, o.Language = "reply@example.org", "de" }
	l, digest := letter(), letter()
	l.Reply, digest.Stories = "tok2en", append(digest.Stories, digest.Stories...)
	for _, c := range []struct {
		l      rules.Letter
		change func(*mail.Options)
	}{{l, with}, {l, func(*mail.Options) {}}, {digest, with}} {
		if err := s.sender(plain, c.change).Send(t.Context(), c.l); err != nil {
			t.Fatal(err)
		}
	}
	for i, r := range s.all() {
		got := open(t, r)
		header, divided := got.header.Get("Reply-To"), strings.Contains(got.text+got.html, rules.Divider)
		if i > 0 && (header != "" || divided) {
			t.Errorf("mail %d, without answers, has the Reply-To %q and the text\n%s", i, header, got.text)
		}
		if i > 0 {
			continue
		}
		if header != `"Tracker" <reply+tok2en@example.org>` || !strings.HasPrefix(got.text, "-=-=- Antworte über dieser Zeile") || !strings.Contains(got.html, "-=-=- Antworte über") {
			t.Errorf("the Reply-To is %q, and the text\n%s", header, got.text)
		}
		for _, quote := range []string{got.text, "> " + strings.ReplaceAll(got.text, "\n", "\n> ")} {
			if own := rules.Written("Die Sicherung.\n\nAm 14.03.26 um 12:05 schrieb Tracker:\n"+quote, ""); own != "Die Sicherung." {
				t.Errorf("the author of an answer has written %q", own)
			}
		}
	}
}

func TestDigest(t *testing.T) {
	t.Parallel()
	s := serve(t, false)
	l := letter()
	l.Stories = []rules.Story{{Problem: 1, Title: "First", State: "Open"}, {Problem: 2, Title: "Second", State: "Closed"}}
	l.More = 998
	if err := s.sender(plain, func(o *mail.Options) { o.Language = "de" }).Send(t.Context(), l); err != nil {
		t.Fatal(err)
	}
	got := open(t, s.all()[0])
	if got.subject != "Geänderte Probleme: 1000" || got.header.Get("References") != "" {
		t.Errorf("the subject is %q, in the thread %q", got.subject, got.header.Get("References"))
	}
	hasAll(t, "the text", got.text, "Viele Probleme haben sich geändert.", "#1 First\nZustand: Open", "#2 Second\nZustand: Closed", "https://tracker.example.org:8443/t/problems/2", "Weitere geänderte Probleme: 998")
	hasAll(t, "the HTML", got.html, `<html lang="de">`, "#2 Second", "Weitere geänderte Probleme: 998")
}

// A digest that only counts problems is a whole mail.
func TestDigestWithoutStories(t *testing.T) {
	t.Parallel()
	s := serve(t, false)
	l := letter()
	l.Stories, l.Reply, l.More = nil, "", 1
	if err := s.sender(plain, func(*mail.Options) {}).Send(t.Context(), l); err != nil {
		t.Fatal(err)
	}
	got := open(t, s.all()[0])
	if got.subject != "Changed problems: 1" || got.header.Get("Message-ID") != "<"+l.ID+"@example.org>" || got.header.Get("List-Unsubscribe") == "" {
		t.Errorf("the subject is %q, and the header %v", got.subject, got.header)
	}
	hasAll(t, "the text", got.text, "This mail is in place of one for each of them.\n\nFurther problems that have changed: 1\n\n-- \nYou get this mail")
	hasAll(t, "the HTML", got.html, "<p>Further problems that have changed: 1</p>")
}

// All mails about a problem are one thread, and a mail that is sent again has the same
// identifier.
func TestThreads(t *testing.T) {
	t.Parallel()
	s := serve(t, false)
	sender := s.sender(plain)
	first, second, other := letter(), letter(), letter()
	second.ID, other.ID = "1.3", "1.4"
	second.Stories[0].Title = "Another title"
	other.Stories[0].Problem = 18
	for _, l := range []rules.Letter{first, second, other, first} {
		if err := sender.Send(t.Context(), l); err != nil {
			t.Fatal(err)
		}
	}
	var threads, ids []string
	for _, r := range s.all() {
		header := open(t, r).header
		threads, ids = append(threads, header.Get("References")), append(ids, header.Get("Message-ID"))
	}
	if threads[0] != threads[1] || threads[0] != threads[3] || threads[0] == threads[2] || ids[0] != ids[3] || ids[0] == ids[1] {
		t.Errorf("the threads are %v, and the mails %v", threads, ids)
	}
	if n := s.connections(); n != 1 {
		t.Errorf("%d connections for 4 mails", n)
	}
}

// Trackers can share a host and a sender. Each has threads of its own.
func TestThreadsOfTrackersOnOneHost(t *testing.T) {
	t.Parallel()
	s := serve(t, false)
	want := map[string]string{
		"https://tracker.example.org": "tracker.example.org", "https://tracker.example.org:8443": "tracker.example.org.8443", "https://tracker.example.org/8443": "tracker.example.org%2F8443",
		"https://tracker.example.org/one": "tracker.example.org%2Fone", "https://tracker.example.org/a/(b,%20c)": "tracker.example.org%2Fa%2F%28b%2C+c%29",
	}
	for base := range want {
		at, err := url.Parse(base)
		if err != nil {
			t.Fatal(err)
		}
		l := letter()
		l.ID = base
		if err := s.sender(plain, func(o *mail.Options) { o.Base = at }).Send(t.Context(), l); err != nil {
			t.Fatal(err)
		}
	}
	for _, r := range s.all() {
		header := open(t, r).header
		base := strings.TrimSuffix(strings.TrimPrefix(header.Get("Message-ID"), "<"), "@example.org>")
		if thread := "<problem.17." + want[base] + "@example.org>"; header.Get("References") != thread || header.Get("In-Reply-To") != thread {
			t.Errorf("%s has the thread %q, want %q", base, header.Get("References"), thread)
		}
	}
	if n := len(s.all()); n != len(want) {
		t.Errorf("%d mails arrive, want %d", n, len(want))
	}
}

// No name, title or text of a person becomes a header or a further recipient.
func TestNothingIsInjected(t *testing.T) {
	t.Parallel()
	s := serve(t, false)
	l := letter()
	l.To.Name = "Ann\r\nBcc: eve@example.org, \"x\" <y@example.org>"
	l.Stories[0].Title = "a\r\nBcc: eve@example.org\r\n\r\nbody " + strings.Repeat("ü", 900)
	l.Stories[0].Entries[2].Comment = "\r\n.\r\nMAIL FROM:<eve@example.org>\r\nRCPT TO:<eve@example.org>\r\n"
	if err := s.sender(plain).Send(t.Context(), l); err != nil {
		t.Fatal(err)
	}
	all := s.all()
	if len(all) != 1 || all[0].to != "ann@example.org" {
		t.Fatalf("the mails are %+v", all)
	}
	got := open(t, all[0])
	if got.header.Get("Bcc") != "" || len([]rune(got.subject)) > 300 {
		t.Errorf("the header is %v", got.header)
	}
	if to, err := got.header.AddressList("To"); err != nil || len(to) != 1 || to[0].Address != "ann@example.org" {
		t.Errorf("To: %v, %v", to, err)
	}
}

// A title can look like an encoded word of a header (RFC 2047). Mail programs show it as it is,
// and not what it stands for.
func TestSubjectIsNotDecoded(t *testing.T) {
	t.Parallel()
	s := serve(t, false)
	for i, title := range []string{"=?utf-8?q?Password_expired?=", "a =?utf-8?b?YQ==?= b", "why=?", "é =?" + strings.Repeat("ü", 80), strings.Repeat("=?utf-8?q?=0D=0ABcc:_eve?= ", 10)} {
		l := letter()
		l.Stories[0].Title = title
		if err := s.sender(plain).Send(t.Context(), l); err != nil {
			t.Fatal(err)
		}
		m := s.all()[i]
		want := "#17 " + title
		if runes := []rune(want); len(runes) > 200 {
			want = string(runes[:200]) + "…"
		}
		if got := open(t, m); got.subject != want {
			t.Errorf("the subject is %q, want %q", got.subject, want)
		}
		head, _, _ := strings.Cut(m.text, "\r\n\r\n")
		for line := range strings.SplitSeq(head, "\r\n") {
			if len(line) > 998 {
				t.Errorf("a line has %d bytes", len(line))
			}
		}
	}
}

// Some programs read a header as empty when its line breaks before the first word. The value stays
// whole.
func TestHeadersBeginInTheirLine(t *testing.T) {
	t.Parallel()
	s := serve(t, false)
	for i, from := range []string{"problems@example.org", "problems@tracker.engineering.of.a-very-long-name-of-an-organisation.example"} {
		for j, title := range []string{strings.Repeat("a", 150), strings.Repeat("word ", 30), strings.Repeat("ü", 150), strings.Repeat("a", 60) + "  " + strings.Repeat("b", 80)} {
			l := letter()
			l.ID = "01a220f8-405a-7105-8eaa-cc5112ad1124.17.1795850788000.1.0." + strconv.Itoa(j)
			l.Stories[0].Title = title
			address := netmail.Address{Name: "Tracker", Address: from}
			if err := s.sender(plain, func(o *mail.Options) { o.From = address }).Send(t.Context(), l); err != nil {
				t.Fatal(err)
			}
			m := s.all()[4*i+j]
			head, _, _ := strings.Cut(m.text, "\r\n\r\n")
			for line := range strings.SplitSeq(head, "\r\n") {
				if name, value, _ := strings.Cut(line, ":"); name != "" && !strings.HasPrefix(line, " ") && strings.TrimSpace(value) == "" {
					t.Errorf("%s is folded before its first word", name)
				}
				if strings.TrimSpace(line) == "" {
					t.Errorf("a line of the head is blank:\n%s", head)
				}
			}
			if got := open(t, m).subject; got != strings.TrimSpace("#17 "+title) {
				t.Errorf("the subject is %q, want %q", got, title)
			}
		}
	}
	ids := map[string]bool{}
	for _, m := range s.all() {
		ids[open(t, m).header.Get("Message-ID")] = true
	}
	if len(ids) != 8 {
		t.Errorf("the 8 mails have the identifiers %v", ids)
	}
}

func TestEncryption(t *testing.T) {
	t.Parallel()
	const account = "problems%40example.org:s3cr3t%3A%20p%40ss@"
	for name, c := range map[string]struct {
		withTLS bool
		url     string
		trusted bool
		reason  string // empty: the mail arrives
	}{
		"STARTTLS and a password":     {true, "smtp://" + account + "127.0.0.1", true, ""},
		"a wrong password":            {true, "smtp://problems%40example.org:s3cr3t@127.0.0.1", true, "has refused user and password with 535"},
		"no password":                 {true, "smtp://127.0.0.1", true, "has refused the sender of the mail with 502"},
		"an unknown authority":        {true, "smtp://" + account + "127.0.0.1", false, "certificate of the mail server is not valid"},
		"no STARTTLS":                 {false, "smtp://127.0.0.1", false, "the mail server does not offer STARTTLS: use smtps://, or add ?starttls=off to PROBLEMS_MAIL_URL for a server on this machine"},
		"STARTTLS that is not needed": {false, "smtp://127.0.0.1?starttls=optional", false, ""},
		"a password without STARTTLS": {false, "smtp://" + account + "127.0.0.1?starttls=optional", false, "the mail server offers no known way to sign in: leave user and password out of PROBLEMS_MAIL_URL"},
		"an unknown way to sign in":   {true, "smtp://" + account + "127.0.0.1?starttls=off", true, "the mail server offers no known way to sign in"},
		"TLS from the first byte":     {false, "smtps://127.0.0.1", false, "the mail server does not speak TLS from the first byte: use smtp:// instead of smtps:// in PROBLEMS_MAIL_URL"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := serve(t, c.withTLS)
			err := s.sender(c.url, func(o *mail.Options) {
				if !c.trusted {
					o.Roots = nil
				}
			}).Send(t.Context(), letter())
			if c.reason == "" {
				if all := s.all(); err != nil || len(all) != 1 || all[0].encrypted != c.withTLS || (all[0].user != "") != c.withTLS {
					t.Errorf("%v; the mails are %+v", err, all)
				}
				return
			}
			f, ok := errors.AsType[*rules.Failure](err)
			if !ok || f.Kind != rules.Unreachable || !strings.Contains(f.Reason, c.reason) || strings.Contains(f.Reason, "no connection") || strings.Contains(f.Reason, "s3cr3t") {
				t.Errorf("the failure is %v, want one with %q", err, c.reason)
			}
			if len(s.all()) > 0 {
				t.Error("a mail has arrived")
			}
		})
	}
}

func TestImplicitTLS(t *testing.T) {
	t.Parallel()
	s := serve(t, true)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	go func() { _ = s.smtp.Serve(tlsListener(l, s)) }()
	s.port = l.Addr().(*net.TCPAddr).Port
	if err := s.sender("smtps://problems%40example.org:s3cr3t%3A%20p%40ss@127.0.0.1").Send(t.Context(), letter()); err != nil {
		t.Fatal(err)
	}
	if all := s.all(); len(all) != 1 || !all[0].encrypted || all[0].user == "" {
		t.Errorf("the mails are %+v", all)
	}
}

func TestFailures(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		refuse string
		code   int
		kind   rules.FailureKind
		person bool
	}{
		"an unknown recipient":      {"RCPT", 550, rules.Refused, true},
		"a full mailbox":            {"RCPT", 452, rules.Deferred, true},
		"greylisting":               {"RCPT", 451, rules.Deferred, true},
		"a mail that is spam":       {"DATA", 554, rules.Refused, false},
		"a mail for later":          {"DATA", 451, rules.Deferred, false},
		"the sender":                {"MAIL", 550, rules.Unreachable, false},
		"the sender, for now":       {"MAIL", 451, rules.Unreachable, false},
		"the end of the connection": {"RCPT", 421, rules.Unreachable, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := serve(t, false)
			s.refuse = func(command, _ string) error {
				if command == c.refuse {
					return &smtp.SMTPError{Code: c.code, EnhancedCode: smtp.EnhancedCode{c.code / 100, 1, 1}, Message: "no, ann@example.org"}
				}
				return nil
			}
			sender := s.sender(plain)
			err := sender.Send(t.Context(), letter())
			f, ok := errors.AsType[*rules.Failure](err)
			if !ok || f.Kind != c.kind || f.Person != c.person || !strings.Contains(f.Reason, fmt.Sprint(c.code)) || strings.Contains(f.Reason, "ann@") {
				t.Fatalf("the failure is %+v", err)
			}
			s.mu.Lock()
			s.refuse = nil
			s.mu.Unlock()
			if err := sender.Send(t.Context(), letter()); err != nil || len(s.all()) != 1 {
				t.Errorf("afterwards: %v, %d mails", err, len(s.all()))
			}
		})
	}
}

// The test of the settings shows the words of the mail server. A letter does not: its failure goes
// to the log, and the words can have addresses.
func TestWordsOfTheServer(t *testing.T) {
	t.Parallel()
	for command, want := range map[string]string{
		"MAIL": `the mail server has refused the sender of the mail with 550: see PROBLEMS_MAIL_FROM; it says: "not for\x1b[31m you 5.1.1 Come back, ann@example.org"`,
		"RCPT": `the mail server has refused the recipient with 550; it says: "not for\x1b[31m you 5.1.1 Come back, ann@example.org"`,
		"DATA": `the mail server has refused the content of the mail with 550; it says: "not for\x1b[31m you 5.1.1 Come back, ann@example.org"`,
	} {
		t.Run(command, func(t *testing.T) {
			t.Parallel()
			s := serve(t, false)
			s.refuse = func(at, _ string) error {
				if at == command {
					return &smtp.SMTPError{Code: 550, EnhancedCode: smtp.EnhancedCode{5, 1, 1}, Message: "not for\x1b[31m you\nCome back, ann@example.org"}
				}
				return nil
			}
			sender := s.sender(plain)
			if err := sender.Test(t.Context(), "ann@example.org"); err == nil || err.Error() != want {
				t.Errorf("the test says\n%v, want\n%s", err, want)
			}
			if err := sender.Send(t.Context(), letter()); err == nil || strings.Contains(err.Error(), "not for") {
				t.Errorf("a letter says %v", err)
			}
		})
	}
}

// A server that ends idle connections is no failure.
func TestConnectionIsOpenedAgain(t *testing.T) {
	t.Parallel()
	s := serve(t, false, func(s *smtp.Server) { s.ReadTimeout = 50 * time.Millisecond })
	sender := s.sender(plain)
	for i := range 3 {
		if err := sender.Send(t.Context(), letter()); err != nil {
			t.Fatalf("mail %d: %v", i, err)
		}
		waitUntilClosed(t, s)
	}
	if len(s.all()) != 3 {
		t.Errorf("%d mails have arrived", len(s.all()))
	}
}

func TestNoServer(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	s := &server{t: t, port: l.Addr().(*net.TCPAddr).Port}
	f, ok := errors.AsType[*rules.Failure](s.sender(plain).Send(t.Context(), letter()))
	if !ok || f.Kind != rules.Unreachable || !strings.Contains(f.Reason, "no connection with the mail server") {
		t.Errorf("the failure is %+v", f)
	}
}

// A mail server may take longer for its answer to a letter than for all others. If it gives
// none, the letter may have arrived, and is put off.
func TestAnswerToALetterIsLate(t *testing.T) {
	t.Parallel()
	const timeout = 500 * time.Millisecond
	for name, c := range map[string]struct {
		takes time.Duration
		ok    bool
	}{"late": {3 * timeout, true}, "too late": {22 * timeout, false}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := serve(t, false)
			s.refuse = func(command, _ string) error {
				if command == "DATA" {
					time.Sleep(c.takes)
				}
				return nil
			}
			err := s.sender(plain, func(o *mail.Options) { o.Timeout = timeout }).Send(t.Context(), letter())
			failure, _ := errors.AsType[*rules.Failure](err)
			if c.ok && err != nil || !c.ok && (failure == nil || failure.Kind != rules.Deferred) {
				t.Errorf("the error is %v", err)
			}
			if all := s.all(); c.ok && len(all) != 1 {
				t.Errorf("%d copies have arrived, want 1", len(all))
			}
		})
	}
}

func TestServerThatHangs(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	s := &server{t: t, port: l.Addr().(*net.TCPAddr).Port}
	f, ok := errors.AsType[*rules.Failure](s.sender(plain, func(o *mail.Options) { o.Timeout = 100 * time.Millisecond }).Send(t.Context(), letter()))
	if !ok || f.Kind != rules.Unreachable || !strings.Contains(f.Reason, "has not answered within 100ms") {
		t.Errorf("the failure is %+v", f)
	}
}

// A server that speaks something else is found out at once. Its words stay out of the failure,
// and an answer without an end does not fill the memory.
func TestServerWithoutSMTP(t *testing.T) {
	t.Parallel()
	for name, answer := range map[string]string{"a line": "welcome s3cr3t\r\n", "a line without an end": "s3cr3t", "an answer without an end": "220-s3cr3t\r\n"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			defer l.Close()
			repeat := 1
			if strings.HasSuffix(name, "without an end") {
				repeat = 10_000
			}
			sent := make(chan int, 1)
			go func() {
				c, err := l.Accept()
				if err != nil {
					return
				}
				defer c.Close()
				part := []byte(strings.Repeat(answer, repeat))
				all := 0
				for ; all < 64<<20; all += len(part) {
					if _, err := c.Write(part); err != nil || repeat == 1 {
						break
					}
				}
				sent <- all
				_, _ = c.Read(make([]byte, 1)) // until the sender has gone
			}()
			s := (&server{t: t, port: l.Addr().(*net.TCPAddr).Port}).sender(plain)
			failed := s.Send(t.Context(), letter())
			failure, ok := errors.AsType[*rules.Failure](failed)
			if !ok || failure.Kind != rules.Unreachable || !strings.Contains(failure.Reason, "does not speak SMTP") || strings.Contains(failure.Reason, "s3cr3t") {
				t.Errorf("the failure is %+v", failed)
			}
			if n := <-sent; n > 32<<20 { // what the system buffers is far less
				t.Errorf("%d bytes of an answer without an end were taken", n)
			}
		})
	}
}

func TestEndOfTheContext(t *testing.T) {
	t.Parallel()
	s := serve(t, false)
	ctx, cancel := context.WithCancel(t.Context())
	hang := make(chan struct{})
	t.Cleanup(func() { close(hang) })
	s.refuse = func(command, _ string) error {
		if command == "RCPT" {
			cancel()
			<-hang // never answers
		}
		return nil
	}
	done := make(chan error, 1)
	sender := s.sender(plain, func(o *mail.Options) { o.Timeout = time.Hour })
	go func() { done <- sender.Send(ctx, letter()) }()
	select {
	case err := <-done:
		if err == nil {
			t.Error("the mail is sent")
		}
	case <-time.After(10 * time.Second):
		t.Error("the sender goes on after the end of its context")
	}
}

func TestOfTheSettings(t *testing.T) {
	t.Parallel()
	s := serve(t, false)
	sender := s.sender(plain)
	if err := sender.Test(t.Context(), "ann@example.org"); err != nil {
		t.Fatal(err)
	}
	if got := open(t, s.all()[0]); got.subject != "A test of the mail" || !strings.Contains(got.text, "problems mail") {
		t.Errorf("the mail is %+v", got)
	}
	if err := sender.Test(t.Context(), "ann"); err == nil || err.Error() != "mail cannot be sent to this address: give one such as ann@example.org" || len(s.all()) != 1 {
		t.Errorf("a wrong address: %v", err)
	}
	if _, err := mail.New(mail.Options{Language: "fr"}); err == nil || !strings.Contains(err.Error(), "choose en or de") {
		t.Errorf("a language that there is not: %v", err)
	}
}
