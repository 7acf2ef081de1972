package cli

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/problemtracking/problems/adapters/client"
	"github.com/problemtracking/problems/app/internal/config"
	"github.com/problemtracking/problems/domain/ident"
)

type webhookCommands struct {
	List   webhookList   `cmd:"" help:"List all webhooks with their state."`
	Test   webhookTest   `cmd:"" help:"Send a test message to the receiver of a webhook."`
	Replay webhookReplay `cmd:"" help:"Send events to a webhook again, or go on after a failure."`
}

// adminServer is a running server and a token of scope admin.
type adminServer struct {
	Remote struct {
		URL       string       `name:"url" default:"http://127.0.0.1:8080" placeholder:"URL" help:"Address of the server. Default: ${default}."`
		Token     config.Token `placeholder:"TOKEN" help:"Token of scope admin for the server. Better set as a variable: other users of the machine can see flags."`
		TokenFile string       `placeholder:"FILE" help:"File with that token."`
	} `embed:"" group:"Running server"`
}

func (s *adminServer) open() (*client.Client, error) {
	token, err := config.ReadToken(s.Remote.Token, s.Remote.TokenFile)
	if err != nil {
		return nil, err
	}
	if !token.Given() {
		return nil, errors.New("the server needs a token of scope admin: set PROBLEMS_TOKEN or PROBLEMS_TOKEN_FILE")
	}
	return client.New(s.Remote.URL, client.Options{Token: token.Secret.Reveal()})
}

// shownWebhook is a webhook as the API shows it (D40).
type shownWebhook struct {
	Identifier  string     `json:"identifier"`
	URL         string     `json:"url"`
	State       string     `json:"state"`
	Reason      *string    `json:"reason"`
	Failures    int        `json:"failures"`
	NextAttempt *time.Time `json:"nextAttempt"`
	Parked      int        `json:"parked"`
}

type webhookList struct {
	adminServer

	JSON bool `name:"json" help:"Print a JSON array instead of a table, with all members."`
}

// Run is called by kong.
func (c *webhookList) Run(ctx context.Context, p Process) error {
	server, err := c.open()
	if err != nil {
		return err
	}
	if c.JSON {
		all, err := client.List[map[string]any](ctx, server, "webhooks")
		if err != nil {
			return err
		}
		return printJSON(p.Stdout, all)
	}
	all, err := client.List[shownWebhook](ctx, server, "webhooks")
	if err != nil {
		return err
	}
	rows := [][]string{{"IDENTIFIER", "URL", "STATE", "FAILURES", "NEXT ATTEMPT", "PARKED", "REASON"}}
	for _, w := range all {
		reason := ""
		if w.Reason != nil {
			reason = *w.Reason
		}
		rows = append(rows, []string{w.Identifier, w.URL, w.State, fmt.Sprint(w.Failures), orElse(w.NextAttempt, "none"), fmt.Sprint(w.Parked), reason})
	}
	return printTable(p.Stdout, rows)
}

// checkWebhook refuses an argument that names no webhook: an empty one would lead to the path of
// all webhooks.
func checkWebhook(identifier string) error {
	if _, err := ident.Parse(identifier); err != nil {
		return errors.New(`that is not the identifier of a webhook: "problems webhook list" shows them`)
	}
	return nil
}

type webhookTest struct {
	adminServer

	Identifier string `arg:"" help:"Identifier of the webhook, as \"problems webhook list\" shows it."`
}

// Run is called by kong.
func (c *webhookTest) Run(ctx context.Context, p Process) error {
	if err := checkWebhook(c.Identifier); err != nil {
		return err
	}
	server, err := c.open()
	if err != nil {
		return err
	}
	var done struct {
		Status   *int    `json:"status"`
		Error    *string `json:"error"`
		Duration int     `json:"duration"`
	}
	if _, err := server.Do(ctx, client.Request{Method: http.MethodPost, Path: []string{"webhooks", c.Identifier, "test"}}, &done); err != nil {
		return err
	}
	if done.Error != nil {
		return errors.New(*done.Error)
	}
	status := 0
	if done.Status != nil {
		status = *done.Status
	}
	_, err = fmt.Fprintf(p.Stdout, "The receiver answered with status %d after %d ms.\n", status, done.Duration)
	return err
}

type webhookReplay struct {
	adminServer

	Identifier string  `arg:"" help:"Identifier of the webhook."`
	After      *string `placeholder:"EVENT" help:"Send the events behind the one with this identifier. With oldest, send all events. With now, send only new events. Default: go on with the failed event."`
}

// Run is called by kong.
func (c *webhookReplay) Run(ctx context.Context, p Process) error {
	if err := checkWebhook(c.Identifier); err != nil {
		return err
	}
	body := map[string]any{"active": true}
	if c.After != nil {
		if *c.After == "" { // as of a variable that is not set
			return errors.New("--after is empty: give it the identifier of an event, oldest or now, or leave it out to go on with the failed event")
		}
		body["cursor"] = *c.After
	}
	server, err := c.open()
	if err != nil {
		return err
	}
	var now shownWebhook
	if _, err := server.Do(ctx, client.Request{Method: http.MethodPatch, Path: []string{"webhooks", c.Identifier}, Body: body}, &now); err != nil {
		return replayError(err)
	}
	state := now.State
	if now.Reason != nil {
		state += ": " + *now.Reason
	}
	_, err = fmt.Fprintf(p.Stderr, "Webhook %s is %s.\n", now.Identifier, state)
	return err
}

// replayError returns an error of the API in the words of the command.
func replayError(err error) error {
	refusal, ok := errors.AsType[*client.Error](err)
	switch {
	case errors.Is(err, client.CursorGone):
		return errors.New("the feed does not have the event from which to go on: it was forgotten, or is of another store; read the problems anew, and go on with --after now, or with --after oldest")
	case ok:
		return errors.New(strings.NewReplacer("cursor: ", "--after: ", "active: ", "").Replace(refusal.Error()))
	}
	return err
}
