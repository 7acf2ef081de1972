package mail

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/textproto"
	"strconv"
	"strings"

	gomail "github.com/wneessen/go-mail"

	"github.com/problemtracking/problems/domain/mail"
)

func unreachable(format string, args ...any) *mail.Failure {
	return &mail.Failure{Kind: mail.Unreachable, Reason: fmt.Sprintf(format, args...)}
}

// notConnected returns the failure of a connection. It has no words of the server but its
// code: they could repeat what was sent.
func (s *Sender) notConnected(err error) *mail.Failure {
	if e, ok := errors.AsType[*tls.CertificateVerificationError](err); ok {
		return unreachable("the certificate of the mail server is not valid: %v", e.Err)
	}
	if e, ok := errors.AsType[*textproto.Error](err); ok {
		if e.Code == 535 || e.Code == 534 || e.Code == 530 {
			return unreachable("the mail server has refused user and password with %d", e.Code)
		}
		return unreachable("the mail server has answered with %d before the mail", e.Code)
	}
	if _, ok := errors.AsType[textproto.ProtocolError](err); ok || errors.Is(err, errAnswer) {
		return unreachable("the mail server does not speak SMTP: its answer has no code, or no end")
	}
	if e, ok := errors.AsType[*net.DNSError](err); ok && e.IsNotFound {
		return unreachable("the host of the mail server is unknown: its name has no address")
	}
	if e, ok := errors.AsType[net.Error](err); errors.Is(err, context.DeadlineExceeded) || ok && e.Timeout() {
		return unreachable("the mail server has not answered within %s", s.Timeout)
	}
	if e, ok := errors.AsType[*net.OpError](err); ok && e.Op == "dial" {
		return unreachable("there is no connection with the mail server: %v", err)
	}
	if _, ok := errors.AsType[tls.RecordHeaderError](err); ok && s.Server.TLS == Implicit {
		return unreachable("the mail server does not speak TLS from the first byte: use smtp:// instead of smtps:// in PROBLEMS_MAIL_URL")
	}
	switch text := err.Error(); { // the library has no types for these
	case strings.HasSuffix(text, "does not support STARTTLS"):
		return unreachable("the mail server does not offer STARTTLS: use smtps://, or add ?starttls=off to PROBLEMS_MAIL_URL for a server on this machine")
	case strings.HasPrefix(text, "server does not support SMTP AUTH"), errors.Is(err, gomail.ErrNoSupportedAuthDiscovered):
		return unreachable("the mail server offers no known way to sign in: leave user and password out of PROBLEMS_MAIL_URL, or use another port of it, such as 587")
	}
	return unreachable("the conversation with the mail server has failed: %v", err)
}

// answered is a failure with the words of the mail server. They can have addresses, so no log
// has them.
type answered struct {
	*mail.Failure
	words string
}

func (a *answered) Unwrap() error { return a.Failure }

// wordsOf returns the answer behind the failure of a message, or "" when there is none.
func wordsOf(err error) string {
	e, ok := errors.AsType[*gomail.SendError](err)
	if !ok || e.ErrorCode() == 0 {
		return ""
	}
	words := strings.TrimPrefix(e.Error(), e.Reason.String()+": ")
	words, _, _ = strings.Cut(words, ", affected ") // the library adds the recipient and the message
	_, words, _ = strings.Cut(words, " ")           // the code
	if plain, err := strconv.Unquote(words); err == nil {
		words = plain
	}
	return strings.Join(strings.Fields(words), " ")
}

// judge returns the failure of a message.
func judge(err error) *mail.Failure {
	if isUnanswered(err) { // it may have arrived: it is not sent again and again
		return &mail.Failure{Kind: mail.Deferred, Reason: "the mail server has not answered to the whole mail, and may have taken it"}
	}
	e, ok := errors.AsType[*gomail.SendError](err)
	if !ok || e.ErrorCode() == 0 {
		return unreachable("the connection with the mail server has broken")
	}
	code := fmt.Sprint(e.ErrorCode())
	if enhanced := e.EnhancedStatusCode(); enhanced != "" {
		code += " " + enhanced
	}
	switch {
	case e.ErrorCode() == 421:
		return unreachable("the mail server has ended the connection with %s", code)
	case e.Reason == gomail.ErrSMTPMailFrom:
		return unreachable("the mail server has refused the sender of the mail with %s: see PROBLEMS_MAIL_FROM", code)
	case e.Reason == gomail.ErrConnCheck:
		return unreachable("the mail server has answered with %s before the mail", code)
	case e.IsTemp():
		return &mail.Failure{Kind: mail.Deferred, Person: !read(e), Reason: fmt.Sprintf("the mail server has put off %s with %s", what(e), code)}
	}
	return &mail.Failure{Kind: mail.Refused, Person: !read(e), Reason: fmt.Sprintf("the mail server has refused %s with %s", what(e), code)}
}

// read reports whether the mail server has seen the content. Before that, it answers the same
// to any mail for the person.
func read(e *gomail.SendError) bool {
	return e.Reason == gomail.ErrWriteContent || e.Reason == gomail.ErrSMTPDataClose
}

// isUnanswered reports whether the connection broke after the whole message.
func isUnanswered(err error) bool {
	e, ok := errors.AsType[*gomail.SendError](err)
	return ok && e.Reason == gomail.ErrSMTPDataClose && e.ErrorCode() == 0
}

func what(e *gomail.SendError) string {
	switch {
	case e.Reason == gomail.ErrSMTPRcptTo:
		return "the recipient"
	case read(e):
		return "the content of the mail"
	}
	return "the mail"
}
