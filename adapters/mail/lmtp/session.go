package lmtp

import (
	"context"
	"errors"
	"io"
	"net"

	"github.com/emersion/go-smtp"

	"github.com/problemtracking/problems/domain/mail"
	"github.com/problemtracking/problems/domain/tracker"
)

// session is the mails of one connection, one after the other.
type session struct {
	server     *Server
	connection net.Conn
	sender     string
	recipients []recipient
}

// recipient is an address for replies.
type recipient struct{ address, token string }

// Mail begins a mail. The sender counts for one thing: a mail without one is automatic.
func (s *session) Mail(from string, _ *smtp.MailOptions) error {
	s.sender, s.recipients = from, nil
	return nil
}

// Rcpt takes an address with a token of this service.
func (s *session) Rcpt(to string, _ *smtp.RcptOptions) error {
	token, _ := mail.TokenOf(to)
	if err := s.server.Service.CheckReply(token); err != nil {
		r := refusalOf(err)
		s.server.note(tracker.Replied{}, r)
		return r.smtp()
	}
	s.recipients = append(s.recipients, recipient{to, token})
	return nil
}

// errNotLMTP is never seen: the library calls LMTPData.
var errNotLMTP = errors.New("this server speaks LMTP")

// Data implements smtp.Session.
func (*session) Data(io.Reader) error { return errNotLMTP }

// noChunks is the answer to a mail in chunks (RFC 3030). The library takes one that was cut off
// for a whole mail, and may give the answer of one mail to the next.
var noChunks = &smtp.SMTPError{Code: 502, EnhancedCode: smtp.EnhancedCode{5, 5, 1}, Message: "mails in chunks are not taken: send them by DATA"}

// LMTPData takes a mail, and answers for each of its recipients.
func (s *session) LMTPData(r io.Reader, status smtp.StatusCollector) error {
	if _, chunks := r.(*io.PipeReader); chunks {
		return noChunks // before it touches the session: another goroutine may use that already
	}
	if c, ok := s.connection.(*connection); ok {
		c.setBusy(true)
		defer c.setBusy(false)
	}
	account := s.server.Memory.Open(nil)
	defer account.Close()
	ctx, cancel := context.WithTimeout(s.server.working, s.server.Step)
	defer cancel()
	m, broken := readMessage(ctx, r, s.sender, s.server.CommentBytes, account)
	for _, to := range s.recipients {
		if refused := s.server.take(to.token, m, broken); refused != nil {
			status.SetStatus(to.address, refused.smtp())
			continue
		}
		status.SetStatus(to.address, taken)
	}
	return nil
}

// taken is the answer to a mail that became a comment, and to one that is automatic.
var taken = &smtp.SMTPError{Code: 250, EnhancedCode: smtp.EnhancedCode{2, 0, 0}, Message: "OK"}

// take makes a comment of a mail, unless it is broken. It returns nil for an automatic mail too,
// whole or not: an answer to it, even a bounce, could begin a loop.
func (s *Server) take(token string, m message, broken *refusal) *refusal {
	switch {
	case broken != nil && (broken.outcome == Deferred || !m.automatic):
		s.note(tracker.Replied{}, broken)
		return broken
	case m.automatic:
		dropped := &refusal{outcome: Automatic}
		if broken != nil {
			dropped.reason = broken.reason
		}
		s.note(tracker.Replied{}, dropped)
		return nil
	}
	if !s.paces.take(token, s.Now()) {
		s.note(tracker.Replied{}, tooFast)
		return tooFast
	}
	ctx, cancel := context.WithTimeout(s.working, calls)
	defer cancel()
	of, err := s.Service.Reply(ctx, tracker.Reply{Token: token, Message: m.id, Text: m.text, Most: s.CommentBytes, Files: m.files, Layout: m.layout})
	if err != nil {
		r := refusalOf(err)
		s.note(of, r)
		return r
	}
	done := &refusal{outcome: Comment}
	if of.Repeated {
		done.outcome = Repeated
	}
	s.note(of, done)
	return nil
}

// note counts and logs an outcome. The log has no address and no text of the mail.
func (s *Server) note(of tracker.Replied, r *refusal) {
	s.Observe(r.outcome)
	args := []any{"outcome", string(r.outcome)}
	if of.Problem != 0 {
		args = append(args, "problem", int64(of.Problem), "user", of.User.String())
	}
	if of.Files+of.LeftOut > 0 {
		args = append(args, "files", of.Files, "leftOut", of.LeftOut)
	}
	if r.reason != "" {
		args = append(args, "reason", r.reason)
	}
	if r.cause != nil {
		args = append(args, "cause", r.cause.Error())
	}
	s.Logger.Info("a reply by e-mail", args...)
}

// Reset forgets the mail.
func (s *session) Reset() { s.sender, s.recipients = "", nil }

// Logout implements smtp.Session.
func (*session) Logout() error { return nil }
