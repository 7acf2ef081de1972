package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/problemtracking/problems/app/internal/config"
	"github.com/problemtracking/problems/app/internal/serve"
)

type mailCommand struct {
	config.Settings `embed:""`

	Test string `required:"" placeholder:"ADDRESS" help:"Address for a test e-mail."`
}

// Help is shown by kong.
func (mailCommand) Help() string {
	return `Sends one e-mail at once, with the settings of "problems serve". It needs no running server.

Example:

    problems mail --test ann@example.org`
}

// Run is called by kong.
func (c *mailCommand) Run(ctx context.Context, p Process) error {
	if !c.Mail.MailURL.Given() {
		return errors.New("there is no mail server: set PROBLEMS_MAIL_URL")
	}
	sender, err := serve.MailSender(c.Settings, serve.Options{Now: p.Now})
	if err != nil {
		return err
	}
	if err := sender.Test(ctx, c.Test); err != nil {
		return err
	}
	_, err = fmt.Fprintf(p.Stdout, "The mail server %s has taken the mail.\n", c.Mail.Server().Host)
	return err
}
