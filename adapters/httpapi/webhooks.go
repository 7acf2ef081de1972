package httpapi

import (
	"net/http"

	"github.com/problemtracking/problems/adapters/httpapi/internal/samples"
	"github.com/problemtracking/problems/adapters/httpapi/internal/wire"
	"github.com/problemtracking/problems/domain/access"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/tracker"
)

// tagWebhooks is the chapter of webhooks in the OpenAPI document.
const tagWebhooks = "Webhooks"

func webhookEndpoints() []endpoint {
	example := func(e *wire.Encoder) { e.Webhook(tracker.Webhook{Webhook: samples.Webhook()}) }
	resumed := func(e *wire.Encoder) { e.Webhook(tracker.Webhook{Webhook: samples.Resumed()}) }
	issued := func(e *wire.Encoder) {
		e.IssuedWebhook(tracker.IssuedWebhook{Webhook: samples.NewWebhook(), Secret: samples.WebhookSecret()})
	}
	rotated := func(e *wire.Encoder) {
		e.IssuedWebhook(tracker.IssuedWebhook{Webhook: samples.Webhook(), Secret: samples.WebhookSecret()})
	}
	faults := []fault.Kind{fault.RequiredField, fault.UnknownField, fault.ValidationFailed}
	return []endpoint{
		{
			id: "listWebhooks", method: http.MethodGet, path: "/webhooks", tag: tagWebhooks,
			summary: "List all webhooks",
			scope:   access.Admin,
			answers: []result{{status: 200, description: "The webhooks, in the order of their creation, without their secrets.", of: []wire.Webhook{},
				example: func(e *wire.Encoder) { wire.List(e, []tracker.Webhook{{Webhook: samples.Webhook()}}, e.Webhook) }}},
			do: (*call).listWebhooks,
		},
		{
			id: "createWebhook", method: http.MethodPost, path: "/webhooks", tag: tagWebhooks,
			summary:     "Create a webhook",
			description: "The events from now on are sent to the URL, in their order. The answer holds the secret, by which the receiver checks signatures. It is shown this once. So the answer is not kept, and an Idempotency-Key is refused: " + webhookUnkeyed + ".",
			scope:       access.Admin,
			unkeyed:     webhookUnkeyed,
			bodies:      jsonBody(`{"url":"https://hooks.example.org/problems","types":["problem.created","problem.changed"],"predicate":"priority.name = 'High'"}`, wire.NewWebhook{}),
			answers:     []result{{status: 201, description: "The webhook.", of: wire.IssuedWebhook{}, headers: []string{"Location", "Dry-Run"}, example: issued}},
			faults:      faults,
			do:          (*call).createWebhook,
		},
		{
			id: "getWebhook", method: http.MethodGet, path: "/webhooks/{identifier}", tag: tagWebhooks,
			summary: "Load a webhook",
			scope:   access.Admin,
			answers: []result{{status: 200, description: "The webhook.", of: wire.Webhook{}, example: example}},
			faults:  []fault.Kind{fault.NotFound},
			do:      (*call).loadWebhook,
		},
		{
			id: "updateWebhook", method: http.MethodPatch, path: "/webhooks/{identifier}", tag: tagWebhooks,
			summary:     "Change, stop, resume or replay a webhook",
			description: "A cursor sends the events behind it again. active resumes a webhook that waits or was stopped, where it was. Another URL, too, has the next event tried at once.",
			scope:       access.Admin,
			bodies:      jsonBody(`{"active":true}`, wire.WebhookPatch{}),
			answers:     []result{{status: 200, description: "The webhook.", of: wire.Webhook{}, headers: []string{"Dry-Run"}, example: resumed}},
			faults:      []fault.Kind{fault.NotFound, fault.UnknownField, fault.ValidationFailed, fault.CursorGone},
			do:          (*call).updateWebhook,
		},
		{
			id: "deleteWebhook", method: http.MethodDelete, path: "/webhooks/{identifier}", tag: tagWebhooks,
			summary:     "Delete a webhook",
			description: "Within two seconds, nothing is sent to it any more.",
			scope:       access.Admin,
			answers:     []result{{status: 204, description: "The webhook is gone.", headers: []string{"Dry-Run"}}},
			faults:      []fault.Kind{fault.NotFound},
			do:          (*call).deleteWebhook,
		},
		{
			id: "listDeliveries", method: http.MethodGet, path: "/webhooks/{identifier}/deliveries", tag: tagWebhooks,
			summary: "List the latest attempts",
			scope:   access.Admin,
			answers: []result{{status: 200, description: "The latest attempts, oldest first; those with a parked event stay longest.", of: []wire.Delivery{},
				example: func(e *wire.Encoder) { wire.List(e, samples.Webhook().Progress.Deliveries, e.Delivery) }}},
			faults: []fault.Kind{fault.NotFound},
			do:     (*call).listDeliveries,
		},
		{
			id: "testWebhook", method: http.MethodPost, path: "/webhooks/{identifier}/test", tag: tagWebhooks,
			summary:     "Send a test",
			description: "A message of the type webhook.test is sent at once, beside the events, whatever the state of the webhook. The answer says how it went.",
			scope:       access.Admin,
			reads:       true, // stores nothing
			unkeyed:     "each request sends a message of its own",
			answers:     []result{{status: 200, description: "The attempt.", of: wire.WebhookTest{}, example: func(e *wire.Encoder) { e.WebhookTest(samples.WebhookTest()) }}},
			faults:      []fault.Kind{fault.NotFound},
			do:          (*call).testWebhook,
		},
		{
			id: "rotateWebhookSecret", method: http.MethodPost, path: "/webhooks/{identifier}/secret", tag: tagWebhooks,
			summary:     "Make a new secret",
			description: "For a day, messages have the signatures of the new secret and of the one before. At most three secrets sign at a time: then another one is refused. endEarlier ends the earlier secrets at once, for example after a leak. The secret is shown this once.",
			scope:       access.Admin,
			bodies:      []body{{media: mediaJSON, optional: true, of: []any{wire.NewSecret{}}, example: `{"endEarlier":true}`}},
			answers:     []result{{status: 200, description: "The webhook with its new secret.", of: wire.IssuedWebhook{}, headers: []string{"Dry-Run"}, example: rotated}},
			faults:      []fault.Kind{fault.NotFound, fault.UnknownField, fault.ValidationFailed, fault.InUse},
			do:          (*call).rotateWebhook,
		},
	}
}

// webhookUnkeyed says how to repeat the request for a webhook. Its answer cannot be stored:
// a reader of the database would have the secret.
const webhookUnkeyed = "if no answer has come, list the webhooks, delete the one that was made, and make another"

func (c *call) listWebhooks() (answer, error) {
	a, err := c.Service.Webhooks(c.r.Context())
	return answered(a, err, func(a tracker.Answer[[]tracker.Webhook]) answer {
		return answer{status: http.StatusOK, body: listInParts(c, a.Catalogue, a.Value, (*wire.Encoder).Webhook)}
	})
}

// webhookMembers are the members of both bodies.
func webhookMembers(p *tracker.WebhookPatch) []wire.Member {
	return []wire.Member{
		{Name: "url", Into: &p.URL},
		{Name: "types", Into: &p.Types},
		{Name: "predicate", Into: &p.Predicate},
		{Name: "onFailure", Into: &p.OnFailure},
	}
}

func (c *call) createWebhook() (answer, error) {
	cmd := tracker.CreateWebhook{Write: tracker.Write{DryRun: c.dryRun}}
	if err := c.decode(&cmd.Faults, webhookMembers(&cmd.WebhookPatch)...); err != nil {
		return answer{}, err
	}
	a, err := c.Service.CreateWebhook(c.r.Context(), c.caller, cmd)
	return answered(a, err, func(a tracker.Answer[tracker.IssuedWebhook]) answer {
		issued := c.issuedWebhook(http.StatusCreated, a)
		if !c.dryRun {
			issued.header.Set("Location", c.BasePath+prefix+"/webhooks/"+a.Value.ID.String())
		}
		return issued
	})
}

// issuedWebhook renders a webhook with its secret, which no cache may keep.
func (c *call) issuedWebhook(status int, a tracker.Answer[tracker.IssuedWebhook]) answer {
	e := wire.Encoder{Catalogue: a.Catalogue}
	e.IssuedWebhook(a.Value)
	return answer{status: status, header: http.Header{"Cache-Control": {"no-store"}}, body: e.Buf}
}

func renderWebhook(a tracker.Answer[tracker.Webhook]) answer {
	e := wire.Encoder{Catalogue: a.Catalogue}
	e.Webhook(a.Value)
	return answer{status: http.StatusOK, body: e.Buf}
}

func (c *call) loadWebhook() (answer, error) {
	id, err := c.object()
	if err != nil {
		return answer{}, err
	}
	a, err := c.Service.Webhook(c.r.Context(), id)
	return answered(a, err, renderWebhook)
}

func (c *call) updateWebhook() (answer, error) {
	id, err := c.object()
	if err != nil {
		return answer{}, err
	}
	cmd := tracker.ChangeWebhook{Write: tracker.Write{DryRun: c.dryRun}}
	members := append(webhookMembers(&cmd.WebhookPatch), wire.Member{Name: "active", Into: &cmd.Active}, wire.Member{Name: "cursor", Into: &cmd.Cursor})
	if err := c.decode(&cmd.Faults, members...); err != nil {
		return answer{}, err
	}
	a, err := c.Service.ChangeWebhook(c.r.Context(), c.caller, id, cmd)
	return answered(a, err, renderWebhook)
}

func (c *call) deleteWebhook() (answer, error) {
	id, err := c.object()
	if err != nil {
		return answer{}, err
	}
	a, err := c.Service.DeleteWebhook(c.r.Context(), c.caller, id, tracker.Write{DryRun: c.dryRun})
	return answered(a, err, noContent)
}

func (c *call) listDeliveries() (answer, error) {
	id, err := c.object()
	if err != nil {
		return answer{}, err
	}
	a, err := c.Service.Webhook(c.r.Context(), id)
	return answered(a, err, func(a tracker.Answer[tracker.Webhook]) answer {
		e := wire.Encoder{Catalogue: a.Catalogue}
		wire.List(&e, a.Value.Progress.Deliveries, e.Delivery)
		return answer{status: http.StatusOK, body: e.Buf}
	})
}

func (c *call) testWebhook() (answer, error) {
	id, err := c.object()
	if err != nil {
		return answer{}, err
	}
	a, err := c.Service.TestWebhook(c.r.Context(), id)
	if err != nil {
		return answer{}, err
	}
	e := wire.Encoder{}
	e.WebhookTest(a)
	return answer{status: http.StatusOK, body: e.Buf}, nil
}

func (c *call) rotateWebhook() (answer, error) {
	id, err := c.object()
	if err != nil {
		return answer{}, err
	}
	cmd := tracker.RotateWebhook{Write: tracker.Write{DryRun: c.dryRun}}
	if len(c.body) > 0 {
		if err := c.decode(&cmd.Faults, wire.Member{Name: "endEarlier", Into: &cmd.EndEarlier}); err != nil {
			return answer{}, err
		}
	}
	a, err := c.Service.RotateWebhook(c.r.Context(), c.caller, id, cmd)
	return answered(a, err, func(a tracker.Answer[tracker.IssuedWebhook]) answer { return c.issuedWebhook(http.StatusOK, a) })
}

// EncodeEvent returns an event as /events does. The catalogue has the names of its objects.
func EncodeEvent(catalogue *metadata.Catalogue, v tracker.PublishedEvent) []byte {
	e := wire.Encoder{Catalogue: catalogue}
	e.Event(v)
	return e.Buf
}
