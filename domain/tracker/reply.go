package tracker

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io"
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
	// Files are the files of the mail, with the pictures inside of its text.
	Files []ReplyFile
	// Layout is the text of its HTML, with the Place of each picture.
	Layout string
}

// Replied is the comment made of a Reply.
type Replied struct {
	User    ident.ID
	Problem problem.ID
	// Repeated is true when an earlier delivery has made the comment.
	Repeated bool
	// Files is the number of attachments, and LeftOut that of the pictures that are none.
	Files, LeftOut int
}

// CheckReply fails with fault.NotFound unless the token is from a mail of this service. It
// does not look at the store.
func (s *Service) CheckReply(token string) error {
	_, _, err := s.replier(token)
	return err
}

// Reply makes a comment of a reply, and attachments of its files, once and in one Change. It fails
// with fault.NotFound for a token of nobody, fault.Forbidden for an inactive user,
// fault.RequiredField for a reply without a file and without text of its own, fault.TooLarge, and
// the faults of AddComment and AddAttachment.
func (s *Service) Reply(ctx context.Context, reply Reply) (Replied, error) {
	key, of, err := s.replier(reply.Token)
	if err != nil {
		return Replied{}, err
	}
	catalogue, err := s.activeReplier(ctx, of.User)
	if err != nil {
		return of, err
	}
	text := mail.Written(reply.Text, reply.Token)
	switch {
	case text == "" && len(reply.Files) == 0:
		return of, noReply()
	case reply.Most > 0 && len(text) > reply.Most:
		return of, fault.New(fault.TooLarge, "the text of the mail has %d bytes, and a comment can have %d: send a shorter one", len(text), reply.Most)
	}
	text = mail.Redact(key, catalogue.Content().Users, text)
	cmd := AddComment{Idempotency: onceFor(reply, of.Problem, text)}
	if text != "" {
		cmd.Text = patch.Set(text)
	}
	if len(reply.Files) > 0 {
		return s.replyWithFiles(ctx, of, reply, cmd)
	}
	a, err := s.AddComment(ctx, Caller{User: of.User}, of.Problem, cmd)
	of.Repeated = a.Replay != nil
	return of, otherMail(err)
}

// activeReplier returns the current metadata, unless the user is inactive.
func (s *Service) activeReplier(ctx context.Context, who ident.ID) (catalogue *metadata.Catalogue, err error) {
	return catalogue, s.core.Store.View(ctx, func(r store.Reader) (err error) {
		if catalogue, err = s.core.Catalogues.Now(ctx, r); err != nil {
			return err
		}
		if u, known := catalogue.User(who); !known || u.Inactive {
			return fault.New(fault.Forbidden, "the recipient of the e-mail is inactive: an administrator can change that")
		}
		return nil
	})
}

func noReply() error {
	return fault.New(fault.RequiredField, "the mail has no text above the mail that it answers: write your comment there")
}

// otherMail says what a conflict of an idempotency key means for a mail.
func otherMail(err error) error {
	if fault.Is(err, fault.IdempotencyConflict) {
		return fault.New(fault.IdempotencyConflict, "another mail with the same Message-ID is a comment already: send yours as a new mail")
	}
	return err
}

// onceFor returns what makes a comment of the deliveries of one mail, once for each problem.
func onceFor(of Reply, about problem.ID, text string) *Idempotency[problem.Comment] {
	message := sha256.Sum256(strconv.AppendInt([]byte(of.Message+"\x00"), int64(about), 10))
	content := sha256.New()
	_, _ = io.WriteString(content, text)
	for _, f := range of.Files {
		digest := sha256.Sum256(f.Content)
		_, _ = io.WriteString(content, "\x00"+f.Name+"\x00"+f.MediaType+"\x00")
		content.Write(digest[:])
	}
	return &Idempotency[problem.Comment]{
		Key:         "mail-" + hex.EncodeToString(message[:]),
		Fingerprint: [32]byte(content.Sum(nil)),
		Render:      func(Answer[problem.Comment]) []byte { return []byte("mail") },
	}
}

func (s *Service) replier(token string) (key webhook.Key, of Replied, err error) {
	if key, err = s.core.ServiceKey(); err != nil {
		return key, of, err
	}
	var ok bool
	if of.User, of.Problem, ok = mail.ReadReplyToken(key, token); !ok {
		return key, of, fault.New(fault.NotFound, "this address is not from a mail of this service, or it was cut: answer the mail again")
	}
	return key, of, nil
}
