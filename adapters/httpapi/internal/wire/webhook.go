package wire

import (
	"time"

	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/tracker/webhooks"
	"github.com/problemtracking/problems/domain/webhook"
)

// Webhook is a webhook with the state of its delivery (D40).
type Webhook struct {
	Identifier   string     `json:"identifier" format:"uuid"`
	URL          string     `json:"url" format:"uri"`
	Types        []string   `json:"types" nullable:"true" doc:"The types of the events to send; null for all."`
	Predicate    *string    `json:"predicate" doc:"Events of problems that do not satisfy it are left out, and those of administration. null for none."`
	OnFailure    string     `json:"onFailure" enum:"wait,park" doc:"After the last attempt for an event: wait for an administrator, or park the event and go on."`
	Active       bool       `json:"active" doc:"false once an administrator has stopped it."`
	State        string     `json:"state" enum:"active,waiting,stopped" doc:"waiting after the last attempt for an event; stopped for another reason."`
	Reason       *string    `json:"reason" doc:"Why it is not active, or why the server that answers cannot deliver to it: events wait unless another server has the right key."`
	Cursor       string     `json:"cursor" doc:"The position in the feed, behind the last event that needs no further attempt, or just before one whose attempt has failed."`
	Owner        Reference  `json:"owner" doc:"Whoever made it. The predicate is evaluated for this user."`
	CreationDate time.Time  `json:"creationDate"`
	Failures     int64      `json:"failures" minimum:"0" doc:"Failed attempts for the next event."`
	NextAttempt  *time.Time `json:"nextAttempt" doc:"After a failed attempt."`
	Parked       int64      `json:"parked" minimum:"0" doc:"Parked events so far."`
}

// IssuedWebhook is a webhook with a new secret.
type IssuedWebhook struct {
	Identifier string `json:"identifier,omitempty" format:"uuid" doc:"Absent in a dry run of a new webhook."`
	Webhook
	Secret string `json:"secret,omitempty" doc:"For the receiver, to check signatures: whsec_ and base64. Shown this once; absent in a dry run."`
}

// NewWebhook is the body of a new webhook.
type NewWebhook struct {
	URL       string   `json:"url" format:"uri" maxLength:"2048" doc:"http or https, without user and fragment."`
	Types     []string `json:"types,omitempty" nullable:"true" minItems:"1" doc:"The types of the events to send; null for all."`
	Predicate *string  `json:"predicate,omitempty"`
	OnFailure string   `json:"onFailure,omitempty" enum:"wait,park" doc:"wait without it."`
	_         struct{} `additionalProperties:"false"`
}

// WebhookPatch is the body of a change of a webhook.
type WebhookPatch struct {
	URL       string   `json:"url,omitempty" format:"uri" maxLength:"2048"`
	Types     []string `json:"types,omitempty" nullable:"true" minItems:"1" doc:"The types of the events to send; null for all."`
	Predicate *string  `json:"predicate,omitempty"`
	OnFailure string   `json:"onFailure,omitempty" enum:"wait,park"`
	Active    bool     `json:"active,omitempty" doc:"true tries the next event at once; false stops."`
	Cursor    string   `json:"cursor,omitempty" doc:"The identifier of an event: the events behind it are sent, again or for the first time. Or oldest, or now."`
	_         struct{} `additionalProperties:"false"`
}

// NewSecret is the body of a request for a new secret.
type NewSecret struct {
	EndEarlier bool     `json:"endEarlier,omitempty" doc:"true ends the earlier secrets at once."`
	_          struct{} `additionalProperties:"false"`
}

// Delivery is one attempt to deliver an event (D40).
type Delivery struct {
	Event       string     `json:"event" doc:"The identifier of the event, and of the message: webhook-id."`
	Type        string     `json:"type"`
	Attempt     int64      `json:"attempt" minimum:"1"`
	Timestamp   time.Time  `json:"timestamp"`
	Duration    int64      `json:"duration" minimum:"0" doc:"In milliseconds."`
	Status      *int64     `json:"status" doc:"The HTTP status of the answer; null without one."`
	Error       *string    `json:"error" doc:"Why the attempt has failed."`
	Outcome     string     `json:"outcome" enum:"delivered,failed,parked"`
	NextAttempt *time.Time `json:"nextAttempt" doc:"After a failed attempt, unless it was the last one."`
}

// WebhookTest is the outcome of a test of a webhook.
type WebhookTest struct {
	Timestamp time.Time `json:"timestamp"`
	Duration  int64     `json:"duration" minimum:"0" doc:"In milliseconds."`
	Status    *int64    `json:"status" doc:"The HTTP status of the answer; null without one."`
	Error     *string   `json:"error" doc:"Why the attempt has failed."`
	Outcome   string    `json:"outcome" enum:"delivered,failed"`
}

// Webhook writes a webhook.
func (e *Encoder) Webhook(w webhooks.Webhook) {
	e.Open('{')
	e.webhookMembers(w)
	e.Close('}')
}

// IssuedWebhook writes a webhook with its new secret.
func (e *Encoder) IssuedWebhook(w webhooks.Issued) {
	e.Open('{')
	e.webhookMembers(webhooks.Webhook{Webhook: w.Webhook}) // the server has just made the secret
	if secret := w.Secret.Reveal(); secret != "" {
		e.key("secret").Text(secret)
	}
	e.Close('}')
}

func (e *Encoder) webhookMembers(w webhooks.Webhook) {
	p := w.Current()
	owner, known := e.Catalogue.User(w.Owner)
	ownerActive := known && !owner.Inactive
	state, reason := w.StateFor(ownerActive)
	if !w.ID.IsNone() {
		e.key("identifier").ID(w.ID)
	}
	e.key("url").Text(w.URL)
	e.key("types")
	if len(w.Types) == 0 {
		e.null()
	} else {
		e.Open('[')
		for _, t := range w.Types {
			e.Text(string(t))
		}
		e.Close(']')
	}
	e.key("predicate").textOrNull(w.Predicate)
	e.key("onFailure").Text(string(w.OnFailure))
	e.key("active").bool(w.Active)
	e.key("state").Text(string(state))
	e.key("reason").textOrNull(reason)
	e.key("cursor").Text(p.Cursor.String())
	e.key("owner").Reference(w.Owner, e.Catalogue.Name(metadata.Users, w.Owner), true)
	e.key("creationDate").Time(w.Created)
	e.key("failures").Int(int64(p.Failures))
	e.key("nextAttempt").Time(w.NextAttempt(ownerActive))
	e.key("parked").Int(p.Parked)
}

// textOrNull writes a text; the empty one is null.
func (e *Encoder) textOrNull(s string) { e.nullText(problem.NullText{String: s, Valid: s != ""}) }

// Delivery writes an attempt.
func (e *Encoder) Delivery(d webhook.Delivery) {
	e.Open('{')
	e.key("event").Text(d.Event.String())
	e.key("type").Text(string(d.Type))
	e.key("attempt").Int(int64(d.Attempt))
	e.attempt(d.At, d.Duration, d.Status, d.Error, d.Outcome)
	e.key("nextAttempt").Time(d.Next)
	e.Close('}')
}

// WebhookTest writes the outcome of a test.
func (e *Encoder) WebhookTest(a webhook.Attempt) {
	e.Open('{')
	d := a.Tested()
	e.attempt(d.At, d.Duration, d.Status, d.Error, d.Outcome)
	e.Close('}')
}

func (e *Encoder) attempt(at time.Time, duration time.Duration, status int, reason string, outcome webhook.Outcome) {
	e.key("timestamp").Time(at)
	e.key("duration").Int(duration.Milliseconds())
	e.key("status")
	if status == 0 {
		e.null()
	} else {
		e.Int(int64(status))
	}
	e.key("error").textOrNull(reason)
	e.key("outcome").Text(string(outcome))
}
