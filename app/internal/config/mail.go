package config

import (
	"errors"
	"fmt"
	"io"
	netmail "net/mail"
	"net/url"
	"path/filepath"
	"strings"
	"time"

	"github.com/problemtracking/problems/adapters/mail"
	domain "github.com/problemtracking/problems/domain/mail"
	"github.com/problemtracking/problems/domain/user"
)

// Mail says how the service sends e-mail.
type Mail struct {
	MailURL          MailURL       `name:"mail-url" placeholder:"URL" help:"Mail server for e-mail to watchers, assignees and originators, such as smtp://user@mail.example.org:587 or smtps://mail.example.org. smtp needs STARTTLS, unless ?starttls=optional or ?starttls=off follows. It needs --mail-from and --public-url. Default: none, without e-mail."`
	MailPassword     Password      `placeholder:"PASSWORD" help:"Password at the mail server, instead of one in --mail-url. Better set as a variable: other users of the machine can see flags."`
	MailPasswordFile string        `placeholder:"FILE" help:"File with this password. The service reads it at each connection."`
	MailFrom         string        `placeholder:"ADDRESS" help:"Sender of all e-mail, such as problems@example.org or Problems <problems@example.org>."`
	MailLanguage     string        `default:"en" enum:"en,de" placeholder:"LANGUAGE" help:"Language of e-mail: en or de. Default: ${default}."`
	MailQuiet        time.Duration `default:"2m" placeholder:"TIME" help:"Time without changes before an e-mail about a problem, at most 15m. Default: ${default}."`

	MailRepliesListen  string `placeholder:"HOST:PORT" help:"Address for a mail server to deliver replies by LMTP, such as 127.0.0.1:2424 or unix:/run/problems/lmtp.sock. Replies become comments. Only the mail server may reach this address. It needs --mail-replies-address. Default: off."`
	MailRepliesAddress string `placeholder:"ADDRESS" help:"Address for replies, such as reply@example.org. The mail server delivers all mail for reply+…@example.org."`
}

// MailURL is the URL of a mail server, perhaps with a password. The password is hidden from
// every verb of package fmt, and so from logs.
type MailURL struct {
	server   mail.Server
	password string
	text     string // without the password
}

// UnmarshalText reads a URL. The empty text is none.
func (u *MailURL) UnmarshalText(text []byte) error {
	if len(text) == 0 {
		*u = MailURL{}
		return nil
	}
	server, password, err := mail.ParseServer(string(text))
	if err != nil {
		return err
	}
	parsed, err := url.Parse(string(text))
	if err != nil {
		return errors.New("has to be a URL")
	}
	*u = MailURL{server, password, strings.Replace(parsed.Redacted(), ":xxxxx@", ":…@", 1)}
	return nil
}

// Given reports whether there is a mail server.
func (u MailURL) Given() bool { return u.text != "" }

// Secret reports whether the URL has a password.
func (u MailURL) Secret() bool { return u.password != "" }

// Format writes the URL with a mask in place of its password.
func (u MailURL) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, u.text) }

// String returns the URL with a mask in place of its password.
func (u MailURL) String() string { return u.text }

// Server returns the mail server.
func (m *Mail) Server() mail.Server { return m.MailURL.server }

// Password returns the password at the mail server, also from a file; "" without one.
func (m *Mail) Password() (string, error) {
	if m.MailURL.Secret() {
		return m.MailURL.password, nil
	}
	return readPassword("the password of the mail server", m.MailPassword, m.MailPasswordFile)
}

// From returns the sender.
func (m *Mail) From() (netmail.Address, error) {
	from, err := netmail.ParseAddress(m.MailFrom)
	if err != nil || !user.CanGetMail(from.Address) {
		return netmail.Address{}, errors.New("--mail-from has to be an address such as problems@example.org or Problems <problems@example.org>")
	}
	return *from, nil
}

// unixPrefix begins the address of a Unix socket, and longestSocket is the longest path of
// one, in bytes: Linux takes 107, and others take 103.
const (
	unixPrefix    = "unix:"
	longestSocket = 103
)

// Replies returns where to listen for replies: the network is "tcp", "unix", or "" for
// nowhere.
func (m *Mail) Replies() (network, address string) {
	if m.MailRepliesListen == "" {
		return "", ""
	}
	if path, ok := strings.CutPrefix(m.MailRepliesListen, unixPrefix); ok {
		return "unix", path
	}
	return "tcp", m.MailRepliesListen
}

// checkReplies refuses settings of replies that do not go together.
func (m *Mail) checkReplies() error {
	switch network, address := m.Replies(); {
	case m.MailRepliesListen == "" && m.MailRepliesAddress == "":
		return nil
	case m.MailRepliesListen == "":
		return errors.New("--mail-replies-address needs --mail-replies-listen, where a mail server hands over the replies")
	case m.MailRepliesAddress == "":
		return errors.New("--mail-replies-listen needs --mail-replies-address, the address for replies")
	case network == "unix" && len(address) > longestSocket:
		return fmt.Errorf("--mail-replies-listen has a path of %d bytes, and that of a socket can have %d", len(address), longestSocket)
	case network == "unix" && !filepath.IsAbs(address):
		return errors.New("--mail-replies-listen has to be a host and a port, or the whole path of a socket such as unix:/run/problems/lmtp.sock")
	case network == "tcp":
		if err := checkAddress("--mail-replies-listen", address); err != nil {
			return err
		}
	}
	a, err := netmail.ParseAddress(m.MailRepliesAddress)
	if err != nil || a.Name != "" || a.Address != m.MailRepliesAddress || !user.CanGetMail(a.Address) || strings.ContainsAny(a.Address, "+\"") {
		return errors.New("--mail-replies-address has to be an address without a name and a plus sign, such as reply@example.org")
	}
	if local := strings.LastIndexByte(a.Address, '@'); local > domain.MostLocal {
		return fmt.Errorf("--mail-replies-address has %d characters before the @, and can have %d: the address of each mail needs the others", local, domain.MostLocal)
	}
	return nil
}

// check refuses settings that do not go together.
func (m *Mail) check(s *Server) error {
	given := 0
	for _, is := range []bool{m.MailURL.Secret(), m.MailPassword.Given(), m.MailPasswordFile != ""} {
		if is {
			given++
		}
	}
	if !m.MailURL.Given() {
		if given > 0 || m.MailFrom != "" || m.MailRepliesListen != "" || m.MailRepliesAddress != "" {
			return errors.New("--mail-url is missing: --mail-from, --mail-password, --mail-password-file, --mail-replies-listen and --mail-replies-address belong to it")
		}
		return nil
	}
	_, err := m.From()
	switch {
	case m.MailFrom == "":
		return errors.New("--mail-url needs --mail-from, the sender of all e-mail")
	case err != nil:
		return err
	case s.PublicURL == "":
		return errors.New("--mail-url needs --public-url: the links in e-mail lead there")
	case s.Web == "off":
		return errors.New("--mail-url needs --web=on: the links in e-mail lead to the client application")
	case given > 1:
		return errors.New("a password in --mail-url, --mail-password and --mail-password-file exclude each other")
	case given > 0 && m.Server().User == "":
		return errors.New("--mail-url needs a user for the password, such as smtp://user@mail.example.org")
	case m.MailQuiet < 0 || m.MailQuiet > domain.Longest:
		return fmt.Errorf("--mail-quiet has to be from 0s to %s", domain.Longest)
	}
	return m.checkReplies()
}

// checkMailKey refuses e-mail without a key: the links in e-mail are signed with the key of
// webhooks.
func (s *Settings) checkMailKey() error {
	if !s.Mail.MailURL.Given() || !s.LacksWebhookKey() {
		return nil
	}
	return errors.New("--mail-url needs --webhook-key-file with this store: the links in e-mail are signed with that key; make one with: openssl rand -base64 32 > FILE")
}
