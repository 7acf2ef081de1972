package mail_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/emersion/go-smtp"

	"github.com/problemtracking/problems/adapters/mail"
	rules "github.com/problemtracking/problems/domain/mail"
)

// Addresses outside of ASCII: domains go as punycode, and other parts by SMTPUTF8 only. A mail
// that does not need SMTPUTF8 does not ask for it: servers behind the first one may lack it.
func TestInternationalAddresses(t *testing.T) {
	t.Parallel()
	longest := strings.Repeat("a", 254-len("@example.org")) + "@example.org"
	for name, c := range map[string]struct {
		address string
		offered bool
		to      string // at the server; empty: refused
		utf8    bool
		reason  string
	}{
		"ASCII":                       {"ann@example.org", false, "ann@example.org", false, ""},
		"ASCII, offered":              {"ann@example.org", true, "ann@example.org", false, ""},
		"domain":                      {"ann@bücher.example", false, "ann@xn--bcher-kva.example", false, ""},
		"domain, offered":             {"ann@Bücher.example", true, "ann@xn--bcher-kva.example", false, ""},
		"ASCII domain with underline": {"ann@a_B.example", false, "ann@a_B.example", false, ""},
		"local part, offered":         {"jürgen@bücher.example", true, "jürgen@xn--bcher-kva.example", true, ""},
		"local part":                  {"jürgen@example.org", false, "", false, "the mail server has no SMTPUTF8"},
		"impossible domain":           {"ann@b\u0378.example", true, "", false, "the domain of the address is not valid"},
		"as long as possible":         {longest, false, longest, false, ""},
		"too long":                    {"a" + longest, true, "", false, "the address has 255 bytes, and mail servers take 254"},
		"too long as punycode":        {strings.Replace(longest, "example", "exämple", 1)[3:], true, "", false, "mail servers take 254"},
		"quoted":                      {`a"n@example.org`, true, "", false, "no address for mail"},
		"two lines":                   {"ann@example.org\r\nBcc: b@example.org", true, "", false, "no address for mail"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := serve(t, false, func(s *smtp.Server) { s.EnableSMTPUTF8 = c.offered })
			sender, l := s.sender(plain), letter()
			l.To.Email = c.address
			err := sender.Send(t.Context(), l)
			if c.to == "" {
				if f, ok := errors.AsType[*rules.Failure](err); !ok || f.Kind != rules.Refused || !strings.Contains(f.Reason, c.reason) || len(s.all()) > 0 {
					t.Errorf("the failure is %v; %d mails", err, len(s.all()))
				}
			} else if got := s.all(); err != nil || len(got) != 1 {
				t.Errorf("%v; %d mails", err, len(got))
			} else if got[0].to != c.to || got[0].utf8 != c.utf8 {
				t.Errorf("it came to %s, with SMTPUTF8: %t", got[0].to, got[0].utf8)
			} else if to := open(t, got[0]).header.Get("To"); !strings.Contains(to, "<"+c.to+">") {
				t.Errorf("the header names %q", to)
			}
			if err := sender.Send(t.Context(), letter()); err != nil {
				t.Errorf("the next mail: %v", err)
			}
			if got := s.all(); len(got) == 0 || got[len(got)-1].utf8 || s.connections() != 1 {
				t.Errorf("the next mail asks for SMTPUTF8, or came over connection %d", s.connections())
			}
		})
	}
}

// A sender with an international domain has ASCII in each header.
func TestInternationalSender(t *testing.T) {
	t.Parallel()
	s := serve(t, false)
	sender := s.sender(plain, func(o *mail.Options) {
		o.From.Address, o.Replies = "problems@bücher.example", "reply@bücher.example"
	})
	l := letter()
	l.Reply = "kq1"
	if err := sender.Send(t.Context(), l); err != nil {
		t.Fatal(err)
	}
	got := s.all()[0]
	head, _, _ := strings.Cut(got.text, "\r\n\r\n")
	if got.from != "problems@xn--bcher-kva.example" || strings.ContainsFunc(head, func(c rune) bool { return c > 0x7f }) {
		t.Errorf("from %s:\n%s", got.from, head)
	}
	hasAll(t, "the head", head, "<reply+kq1@xn--bcher-kva.example>", "1.2@xn--bcher-kva.example")
}
