package mail_test

import (
	"crypto/tls"
	"crypto/x509"
	"html"
	"html/template"
	"io"
	"net"
	"net/http/httptest"
	netmail "net/mail"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/emersion/go-sasl"
	"github.com/emersion/go-smtp"

	"github.com/problemtracking/problems/adapters/mail"
)

// received is a mail at the server.
type received struct {
	from, to, text string
	encrypted      bool
	user           string
	utf8           bool // asked for SMTPUTF8
}

// server is a mail server in this process.
type server struct {
	t       *testing.T
	port    int
	smtp    *smtp.Server
	roots   *x509.CertPool
	mu      sync.Mutex
	mails   []received
	opened  int // connections
	ended   int
	refuse  func(command, argument string) error // nil: never
	withTLS bool
}

// serve starts a mail server. With a certificate it offers STARTTLS, and asks for a user
// and a password.
func serve(t *testing.T, withTLS bool, change ...func(*smtp.Server)) *server {
	t.Helper()
	s := &server{t: t, withTLS: withTLS}
	s.smtp = smtp.NewServer(s)
	s.smtp.Domain = "mail.example.org"
	s.smtp.ErrorLog = quiet{}
	if withTLS {
		authority := httptest.NewUnstartedServer(nil)
		authority.StartTLS()
		t.Cleanup(authority.Close)
		s.smtp.TLSConfig = &tls.Config{Certificates: authority.TLS.Certificates}
		s.roots = x509.NewCertPool()
		s.roots.AddCert(authority.Certificate())
	}
	for _, c := range change {
		c(s.smtp)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s.port = l.Addr().(*net.TCPAddr).Port
	go func() { _ = s.smtp.Serve(l) }()
	t.Cleanup(func() { _ = s.smtp.Close() })
	return s
}

type quiet struct{}

func (quiet) Printf(string, ...any) {}
func (quiet) Println(...any)        {}

func (s *server) NewSession(c *smtp.Conn) (smtp.Session, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.opened++
	return &session{server: s, conn: c}, nil
}

func (s *server) all() []received {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]received(nil), s.mails...)
}

func (s *server) connections() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.opened
}

func (s *server) refuses(command, argument string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.refuse == nil {
		return nil
	}
	return s.refuse(command, argument)
}

// session is one connection.
type session struct {
	server *server
	conn   *smtp.Conn
	user   string
	mail   received
}

func (s *session) AuthMechanisms() []string {
	if _, encrypted := s.conn.TLSConnectionState(); encrypted {
		return []string{sasl.Plain}
	}
	return nil
}

func (s *session) Auth(string) (sasl.Server, error) {
	return sasl.NewPlainServer(func(_, user, password string) error {
		if user != "problems@example.org" || password != "s3cr3t: p@ss" {
			return &smtp.SMTPError{Code: 535, EnhancedCode: smtp.EnhancedCode{5, 7, 8}, Message: "the password " + password + " is wrong"}
		}
		s.user = user
		return nil
	}), nil
}

func (s *session) Mail(from string, o *smtp.MailOptions) error {
	s.mail.utf8 = o != nil && o.UTF8
	if s.server.withTLS && s.user == "" {
		return smtp.ErrAuthRequired
	}
	s.mail.from = from
	return s.server.refuses("MAIL", from)
}

func (s *session) Rcpt(to string, _ *smtp.RcptOptions) error {
	s.mail.to = to
	return s.server.refuses("RCPT", to)
}

func (s *session) Data(r io.Reader) error {
	text, err := io.ReadAll(r)
	if err != nil {
		return err
	}
	if err := s.server.refuses("DATA", s.mail.to); err != nil {
		return err
	}
	_, encrypted := s.conn.TLSConnectionState()
	s.server.mu.Lock()
	defer s.server.mu.Unlock()
	s.server.mails = append(s.server.mails, received{s.mail.from, s.mail.to, string(text), encrypted, s.user, s.mail.utf8})
	return nil
}

func (*session) Reset() {}

func (s *session) Logout() error {
	s.server.mu.Lock()
	defer s.server.mu.Unlock()
	s.server.ended++
	return nil
}

var at = time.Date(2026, 3, 14, 9, 30, 0, 0, time.UTC)

// sender returns a Sender for the server, with a URL such as "smtp://HOST?starttls=off".
func (s *server) sender(text string, change ...func(*mail.Options)) *mail.Sender {
	s.t.Helper()
	target, password, err := mail.ParseServer(text)
	if err != nil {
		s.t.Fatal(err)
	}
	target.Port = s.port
	o := mail.Options{
		Server: target, Password: func() (string, error) { return password, nil }, Language: "en", Roots: s.roots, Timeout: 5 * time.Second,
		From: netmail.Address{Name: "Tracker", Address: "problems@example.org"}, Base: &url.URL{Scheme: "https", Host: "tracker.example.org:8443", Path: "/t"},
		HTML: func(text, _ string) template.HTML {
			return template.HTML("<p>safe: " + html.EscapeString(text) + "</p>")
		},
		Now: func() time.Time { return at },
	}
	for _, f := range change {
		f(&o)
	}
	sender, err := mail.New(o)
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(sender.Rest)
	return sender
}

const plain = "smtp://127.0.0.1?starttls=off"

// hasAll reports the texts that are missing.
func hasAll(t *testing.T, what, text string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(text, part) {
			t.Errorf("%s lacks %q:\n%s", what, part, text)
		}
	}
}
