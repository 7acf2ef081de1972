// Package mail sends e-mail about problems over SMTP.
package mail

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"html/template"
	"net"
	netmail "net/mail"
	"net/url"
	"strconv"
	"sync"
	"time"

	gomail "github.com/wneessen/go-mail"
	"github.com/wneessen/go-mail/smtp"

	"github.com/problemtracking/problems/domain/mail"
	"github.com/problemtracking/problems/domain/user"
)

// Timeout bounds each step before a letter in a conversation with the mail server.
const Timeout = 15 * time.Second

// letters is how many times longer a letter may take: five minutes. Mail servers look for spam
// before they answer, and a letter without an answer has to be sent once more.
const letters = 20

// Options are the needs of a Sender. All but Replies, Roots and Timeout have to be given.
type Options struct {
	Server Server
	// Password returns the password at the mail server. It is asked at each connection.
	Password func() (string, error)
	From     netmail.Address
	// Replies is the address for answers, such as reply@example.org. Each letter adds its
	// token. "": nobody reads answers.
	Replies string
	// Base is the URL of the client application, without a slash at its end.
	Base *url.URL
	// Language is "en" or "de".
	Language string
	// HTML returns a comment as safe HTML: from its text, and from its HTML if any.
	HTML func(text, html string) template.HTML
	Now  func() time.Time
	// Roots are the trusted authorities for certificates. nil: those of the system.
	Roots *x509.CertPool
	// Timeout is for tests. 0: Timeout.
	Timeout time.Duration
}

// Sender implements mail.Sender. It keeps one connection open between two letters. Its
// methods may be called from many goroutines.
type Sender struct {
	Options
	words *words

	mu     sync.Mutex
	dialer *gomail.Client
	open   *smtp.Client // nil: none
	conn   net.Conn     // of open
	below  *boundedConn // of conn
}

// New returns a Sender. It connects with the first letter. It fails for an unknown
// language, and for an impossible domain of From or Replies.
func New(o Options) (*Sender, error) {
	if o.Timeout == 0 {
		o.Timeout = Timeout
	}
	w, ok := languages[o.Language]
	if !ok {
		return nil, fmt.Errorf("there is no mail in the language %q: choose en or de", o.Language)
	}
	for _, address := range []*string{&o.From.Address, &o.Replies} {
		ascii, err := withASCIIDomain(*address)
		if err != nil {
			return nil, fmt.Errorf("%s cannot send or take mail: %w", *address, err)
		}
		*address = ascii
	}
	return &Sender{Options: o, words: w}, nil
}

// Send implements mail.Sender.
func (s *Sender) Send(ctx context.Context, l mail.Letter) error {
	address, err := recipient(l.To.Email)
	if err != nil {
		return &mail.Failure{Kind: mail.Refused, Person: true, Reason: err.Error()}
	}
	m, err := s.message(l, address)
	if err != nil {
		return &mail.Failure{Kind: mail.Refused, Reason: err.Error()}
	}
	return s.send(ctx, m)
}

// Test sends a mail to an address, to try the settings. Its error has the words of the mail server
// in a refusal.
func (s *Sender) Test(ctx context.Context, address string) error {
	if !user.CanGetMail(address) {
		return errors.New("mail cannot be sent to this address: give one such as ann@example.org")
	}
	address, err := recipient(address)
	if err != nil {
		return err
	}
	defer s.Rest()
	err = s.send(ctx, s.test(address))
	if a, ok := errors.AsType[*answered](err); ok && a.words != "" {
		return fmt.Errorf("%w; it says: %q", err, a.words)
	}
	return err
}

// Rest implements mail.Sender: it closes the connection.
func (s *Sender) Rest() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.open != nil {
		_ = s.dialer.CloseWithSMTPClient(s.open)
		s.open = nil
	}
}

func (s *Sender) send(ctx context.Context, m *gomail.Msg) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	kept := s.open != nil
	err := s.attempt(ctx, m)
	failure, _ := errors.AsType[*mail.Failure](err)
	if kept && s.open == nil && failure != nil && failure.Kind == mail.Unreachable && ctx.Err() == nil { // the server has closed it meanwhile
		err = s.attempt(ctx, m)
	}
	return err
}

// attempt sends a message over the open connection, or a new one. After a failure that
// concerns more than the message, there is no open connection.
func (s *Sender) attempt(ctx context.Context, m *gomail.Msg) error {
	if s.open == nil {
		if err := s.connect(ctx); err != nil {
			return err
		}
	}
	// The library asks for SMTPUTF8 in each mail to a server that has it. Servers behind this one
	// may lack it, and would refuse the mail.
	utf8 := needsUTF8(m)
	if offered, _ := s.open.Extension("SMTPUTF8"); utf8 && !offered {
		return &mail.Failure{Kind: mail.Refused, Person: true, Reason: "an address of the mail has letters outside of ASCII before the @, and the mail server has no SMTPUTF8"}
	}
	s.open.SkipSMTPUTF8(!utf8)
	conn := s.conn
	s.below.more.Store(int64(letters * s.Timeout))
	stop := context.AfterFunc(ctx, func() { _ = conn.Close() })
	err := s.dialer.SendWithSMTPClient(s.open, m)
	if !stop() {
		s.open = nil
	}
	if err == nil || m.IsDelivered() { // it can fail behind the delivery
		return nil
	}
	failure := judge(err)
	if (failure.Kind == mail.Unreachable || isUnanswered(err)) && s.open != nil {
		_ = conn.Close()
		s.open = nil
	}
	return &answered{failure, wordsOf(err)}
}

func (s *Sender) connect(ctx context.Context) error {
	password, err := s.Password()
	if err != nil {
		return unreachable("%v", err)
	}
	trust := &tls.Config{ServerName: s.Server.Host, RootCAs: s.Roots, MinVersion: tls.VersionTLS12}
	var conn net.Conn
	// The library ends neither a conversation with ctx, nor a connection after a failure.
	stop := func() bool { return true }
	defer func() { stop() }()
	options := []gomail.Option{
		gomail.WithPort(s.Server.Port), gomail.WithTimeout(s.Timeout), gomail.WithTLSPolicy(s.Server.policy()), gomail.WithTLSConfig(trust),
		gomail.WithHELO(s.helo()), gomail.WithDialContextFunc(func(dialing context.Context, network, _ string) (opened net.Conn, err error) {
			// The library's own address has no brackets around IPv6.
			address := net.JoinHostPort(s.Server.Host, strconv.Itoa(s.Server.Port))
			if opened, err = new(net.Dialer).DialContext(dialing, network, address); err != nil {
				return nil, err
			}
			below := &boundedConn{Conn: opened}
			s.below, opened = below, below
			if s.Server.TLS == Implicit {
				encrypted := tls.Client(opened, trust)
				if err := encrypted.HandshakeContext(dialing); err != nil {
					_ = opened.Close()
					return nil, err
				}
				opened = encrypted
			}
			conn, stop = opened, context.AfterFunc(ctx, func() { _ = opened.Close() })
			return opened, nil
		}),
	}
	if s.Server.User != "" {
		options = append(options, gomail.WithUsername(s.Server.User), gomail.WithPassword(password), gomail.WithSMTPAuth(s.Server.auth()))
	}
	if s.dialer, err = gomail.NewClient(s.Server.Host, options...); err != nil {
		return unreachable("the mail server cannot be used: %v", err)
	}
	open, err := s.dialer.DialToSMTPClientWithContext(ctx)
	if err != nil {
		if conn != nil {
			_ = conn.Close()
		}
		return s.notConnected(err)
	}
	s.open, s.conn = open, conn
	return nil
}

// helo returns the name of this program for the mail server: that of the client
// application, as far as mail servers take it.
func (s *Sender) helo() string {
	host := s.Base.Hostname()
	if address := net.ParseIP(host); address != nil {
		if address.To4() == nil {
			return "[IPv6:" + host + "]"
		}
		return "[" + host + "]"
	}
	return host
}
