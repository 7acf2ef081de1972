package tracker

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"strconv"

	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/mail"
	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/patch"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/store"
	"github.com/problemtracking/problems/domain/webhook"
)

// Reply is a reply to a mail about a problem.
type Reply struct {
	// Token is the one in the address that it was sent to. It alone says whose reply this is.
	Token string
	// Message distinguishes the reply from others, and is the same when it is delivered again.
	Message string
	// Text is the text of the mail, with quotes.
	Text string
	// Most is the most bytes of the comment. 0: any number.
	Most int
}

// Replied is the comment made of a Reply.
type Replied struct {
	User    ident.ID
	Problem problem.ID
	// Repeated is true when an earlier delivery has made the comment.
	Repeated bool
}

// CheckReply fails with fault.NotFound unless the token is from a mail of this service. It
// does not look at the store.
func (s *Service) CheckReply(token string) error {
	_, _, err := s.replier(token)
	return err
}

// Reply makes a comment of a reply, once. It fails with fault.NotFound for a token of nobody,
// fault.Forbidden for an inactive user, fault.RequiredField for a reply without text of its
// own, fault.TooLarge, and the faults of AddComment.
func (s *Service) Reply(ctx context.Context, reply Reply) (Replied, error) {
	key, of, err := s.replier(reply.Token)
	if err != nil {
		return Replied{}, err
	}
	var catalogue *metadata.Catalogue
	err = s.store.View(ctx, func(r store.Reader) (err error) {
		if catalogue, err = s.catalogues.Now(ctx, r); err != nil {
			return err
		}
		if u, known := catalogue.User(of.User); !known || u.Inactive {
			return fault.New(fault.Forbidden, "the recipient of the e-mail is inactive: an administrator can change that")
		}
		return nil
	})
	if err != nil {
		return of, err
	}
	text := mail.Written(reply.Text, reply.Token)
	switch {
	case text == "":
		return of, fault.New(fault.RequiredField, "the mail has no text above the mail that it answers: write your comment there")
	case reply.Most > 0 && len(text) > reply.Most:
		return of, fault.New(fault.TooLarge, "the text of the mail has %d bytes, and a comment can have %d: send a shorter one", len(text), reply.Most)
	}
	text = mail.Redact(key, catalogue.Content().Users, text)
	cmd := AddComment{Text: patch.Set(text), Idempotency: onceFor(reply.Message, of.Problem, text)}
	a, err := s.AddComment(ctx, Caller{User: of.User}, of.Problem, cmd)
	if fault.Is(err, fault.IdempotencyConflict) {
		return of, fault.New(fault.IdempotencyConflict, "another mail with the same Message-ID is a comment already: send yours as a new mail")
	}
	of.Repeated = a.Replay != nil
	return of, err
}

// onceFor returns what makes a comment of the deliveries of one mail, once for each problem.
func onceFor(id string, about problem.ID, text string) *Idempotency[problem.Comment] {
	message := sha256.Sum256(strconv.AppendInt([]byte(id+"\x00"), int64(about), 10))
	return &Idempotency[problem.Comment]{
		Key:         "mail-" + hex.EncodeToString(message[:]),
		Fingerprint: sha256.Sum256([]byte(text)),
		Render:      func(Answer[problem.Comment]) []byte { return []byte("mail") },
	}
}

func (s *Service) replier(token string) (key webhook.Key, of Replied, err error) {
	if key, err = s.serviceKey(); err != nil {
		return key, of, err
	}
	var ok bool
	if of.User, of.Problem, ok = mail.ReadReplyToken(key, token); !ok {
		return key, of, fault.New(fault.NotFound, "this address is not from a mail of this service, or it was cut: answer the mail again")
	}
	return key, of, nil
}
