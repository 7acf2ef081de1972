package mail_test

import (
	"crypto/tls"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/problemtracking/problems/adapters/mail"
)

func tlsListener(l net.Listener, s *server) net.Listener { return tls.NewListener(l, s.smtp.TLSConfig) }

// waitUntilClosed waits until the server has closed all connections.
func waitUntilClosed(t *testing.T, s *server) {
	t.Helper()
	closed := make(chan struct{})
	go func() {
		defer close(closed)
		for {
			s.mu.Lock()
			open := s.opened - s.ended
			s.mu.Unlock()
			if open == 0 {
				return
			}
			time.Sleep(time.Millisecond)
		}
	}()
	select {
	case <-closed:
	case <-time.After(10 * time.Second):
		t.Fatal("the server keeps a connection")
	}
}

func TestParseServer(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]mail.Server{
		"smtp://mail.example.org":                       {Host: "mail.example.org", Port: 587, TLS: mail.Required},
		"smtp://mail.example.org:25/?starttls=off":      {Host: "mail.example.org", Port: 25, TLS: mail.Off},
		"smtp://ann:pass@mail.example.org":              {Host: "mail.example.org", Port: 587, User: "ann", TLS: mail.Required},
		"smtp://ann%40a.b@[2001:db8::1]:2525":           {Host: "2001:db8::1", Port: 2525, User: "ann@a.b", TLS: mail.Required},
		"smtps://ann:pass@mail.example.org":             {Host: "mail.example.org", Port: 465, User: "ann", TLS: mail.Implicit},
		"smtp://ann:pass@localhost:25?starttls=off":     {Host: "localhost", Port: 25, User: "ann", TLS: mail.Off},
		"smtp://mail.example.org?starttls=optional":     {Host: "mail.example.org", Port: 587, TLS: mail.Optional},
		"smtp://mail.example.org:465?starttls=required": {Host: "mail.example.org", Port: 465, TLS: mail.Required},
	} {
		got, password, err := mail.ParseServer(text)
		if err != nil || got != want || (password == "pass") != strings.Contains(text, "pass") {
			t.Errorf("%s: %+v, %v; want %+v", text, got, err, want)
		}
	}
	for text, want := range map[string]string{
		"":                                                     "has to be a URL",
		"mail.example.org":                                     "has to be a URL",
		"mail.example.org:25":                                  "has to be a URL",
		"http://mail.example.org":                              "has to be a URL",
		"smtp://":                                              "has to be a URL",
		"smtp://mail.example.org/inbox":                        "has to be a URL",
		"smtp://a:b c@mail.example.org":                        "has to be a URL",
		"smtps://mail.example.org?starttls=off":                "has to be a URL",
		"smtp://mail.example.org:0":                            "from 1 to 65535",
		"smtp://mail.example.org:99999":                        "from 1 to 65535",
		"smtp://mail.example.org?tls=off":                      "one parameter, starttls",
		"smtp://mail.example.org?starttls=yes":                 "one parameter, starttls",
		"smtp://ann:s3cr3t@mail.example.org?starttls=off":      "others could read the password",
		"smtp://ann:s3cr3t@mail.example.org?starttls=optional": "others could read the password",
		"smtp://:s3cr3t@mail.example.org":                      "no user",
	} {
		if _, _, err := mail.ParseServer(text); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "s3cr3t") {
			t.Errorf("%s: %v, want an error with %q", text, err, want)
		}
	}
}
