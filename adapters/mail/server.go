package mail

import (
	"errors"
	"net"
	"net/url"
	"strconv"

	gomail "github.com/wneessen/go-mail"
)

// Encryption says how the connection to a mail server is encrypted.
type Encryption string

// The ways of encryption.
const (
	// Required is STARTTLS: without it, nothing is sent.
	Required Encryption = "required"
	// Optional is STARTTLS if the server offers it. Somebody on the way can prevent it.
	Optional Encryption = "optional"
	// Off is no encryption.
	Off Encryption = "off"
	// Implicit is TLS from the first byte, by the scheme smtps.
	Implicit Encryption = "implicit"
)

// Server is the mail server for all mail.
type Server struct {
	Host string
	Port int
	User string // empty: no authentication
	TLS  Encryption
}

// errServer is the form of a URL.
var errServer = errors.New("has to be a URL such as smtp://user@mail.example.org:587 or smtps://mail.example.org")

// ParseServer reads the URL of a mail server, and the password in it. The ports are 587 and
// 465 by default. The text of an error follows the name of the setting, and repeats nothing
// of the URL.
func ParseServer(text string) (s Server, password string, err error) {
	u, err := url.Parse(text)
	if err != nil || u.Hostname() == "" || u.Opaque != "" || u.Path != "" && u.Path != "/" || u.Fragment != "" {
		return Server{}, "", errServer
	}
	s = Server{Host: u.Hostname(), User: u.User.Username()}
	password, _ = u.User.Password()
	query, err := url.ParseQuery(u.RawQuery)
	if err != nil {
		return Server{}, "", errServer
	}
	starttls := query.Get("starttls")
	query.Del("starttls")
	switch {
	case u.Scheme == "smtps" && starttls == "":
		s.Port, s.TLS = 465, Implicit
	case u.Scheme == "smtp":
		if s.Port, s.TLS = 587, Encryption(starttls); starttls == "" {
			s.TLS = Required
		}
	default:
		return Server{}, "", errServer
	}
	if s.TLS != Required && s.TLS != Optional && s.TLS != Off && s.TLS != Implicit || len(query) > 0 {
		return Server{}, "", errors.New("can have one parameter, starttls: required, optional or off")
	}
	if port := u.Port(); port != "" {
		n, err := strconv.ParseUint(port, 10, 16)
		if err != nil || n == 0 {
			return Server{}, "", errors.New("has to have a port from 1 to 65535")
		}
		s.Port = int(n)
	}
	if s.User != "" && (s.TLS == Off || s.TLS == Optional) && !s.local() {
		return Server{}, "", errors.New("cannot have a user with starttls=off or starttls=optional, unless the server is on this machine: others could read the password")
	}
	if s.User == "" && password != "" {
		return Server{}, "", errors.New("has a password, and no user")
	}
	return s, password, nil
}

// local reports whether the server is on this machine.
func (s Server) local() bool {
	address := net.ParseIP(s.Host)
	return s.Host == "localhost" || address != nil && address.IsLoopback()
}

func (s Server) policy() gomail.TLSPolicy {
	switch s.TLS {
	case Optional:
		return gomail.TLSOpportunistic
	case Off, Implicit:
		return gomail.NoTLS
	}
	return gomail.TLSMandatory
}

// auth returns the way of authentication. Without encryption only that on this machine is
// left: see ParseServer.
func (s Server) auth() gomail.SMTPAuthType {
	switch s.TLS {
	case Off, Optional:
		return gomail.SMTPAuthPlainNoEnc
	case Implicit: // the library does not see that the connection is encrypted
		return gomail.SMTPAuthPlain
	}
	return gomail.SMTPAuthAutoDiscover
}
