package tracker

import (
	"context"

	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/mail"
	"github.com/problemtracking/problems/domain/patch"
	"github.com/problemtracking/problems/domain/tracker/internal/body"
	"github.com/problemtracking/problems/domain/user"
)

// SetMail is the command of PUT /me/mail: the caller's choice of e-mail.
type SetMail struct {
	Write
	// Mail is the name of a user.Mail.
	Mail patch.Field[string]
}

// SetMail sets which e-mail the caller gets. It fails with the faults of a body.
func (s *Service) SetMail(ctx context.Context, caller Caller, cmd SetMail) (Answer[user.User], error) {
	body.Require(&cmd.Faults, cmd.Mail.Sent, fault.At("mail"), `say which e-mail you want: "everything", "mine" or "none"`)
	return s.Users().Update(ctx, caller, caller.User, UpdateObject[UserPatch]{Write: cmd.Write, Patch: UserPatch{Mail: cmd.Mail}})
}

// Unsubscribe ends the e-mail to the user with the token of a mail. It fails with
// fault.NotFound for any other token.
func (s *Service) Unsubscribe(ctx context.Context, token string) error {
	who, err := s.unsubscriber(token)
	if err != nil {
		return err
	}
	_, err = s.SetMail(ctx, Caller{User: who}, SetMail{Mail: patch.Set(user.MailNone.String())})
	return err
}

// CheckUnsubscribe fails like Unsubscribe, and changes nothing.
func (s *Service) CheckUnsubscribe(ctx context.Context, token string) error {
	who, err := s.unsubscriber(token)
	if err != nil {
		return err
	}
	_, err = s.Users().Load(ctx, who)
	return err
}

func (s *Service) unsubscriber(token string) (ident.ID, error) {
	key, err := s.serviceKey()
	if err != nil {
		return ident.None, err
	}
	who, ok := mail.ReadToken(key, token)
	if !ok {
		return ident.None, fault.New(fault.NotFound, "this link is not from an e-mail of this service, or it was cut: use the whole link")
	}
	return who, nil
}
