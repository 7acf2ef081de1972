package httpapi

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"github.com/problemtracking/problems/adapters/httpapi/internal/samples"
	"github.com/problemtracking/problems/adapters/httpapi/internal/wire"
	"github.com/problemtracking/problems/domain/access"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/tracker"
	"github.com/problemtracking/problems/domain/tracker/webhooks"
)

// tagWebhooks is the chapter of webhooks in the OpenAPI document.
const tagWebhooks = "Webhooks"

func (s *server) registerWebhooks() {
	const path = "/webhooks/{identifier}"
	tags := []string{tagWebhooks}
	register(s, huma.Operation{
		OperationID: "listWebhooks", Method: http.MethodGet, Path: "/webhooks", Tags: tags,
		Summary:   "List all webhooks",
		Security:  needs(access.Admin),
		Responses: responses{"200": {Description: "The webhooks, in the order of their creation, without their secrets."}},
		Metadata: about(func(e *wire.Encoder) {
			wire.List(e, []webhooks.Webhook{{Webhook: samples.Webhook()}}, e.Webhook)
		}),
	}, s.listWebhooks)
	register(s, huma.Operation{
		OperationID: "createWebhook", Method: http.MethodPost, Path: "/webhooks", Tags: tags,
		Summary:     "Create a webhook",
		Description: "The events from now on are sent to the URL, in their order. The answer holds the secret, by which the receiver checks signatures. It is shown this once. So the answer is not kept, and an Idempotency-Key is refused: " + webhookUnkeyed + ".",
		Security:    needs(access.Admin),
		Responses:   responses{"201": {Description: "The webhook."}},
		Metadata: about(func(e *wire.Encoder) {
			e.IssuedWebhook(webhooks.Issued{Webhook: samples.NewWebhook(), Secret: samples.WebhookSecret()})
		}, fault.RequiredField, fault.UnknownField, fault.ValidationFailed).
			json(`{"url":"https://hooks.example.org/problems","types":["problem.created","problem.changed"],"predicate":"priority.name = 'High'"}`, wire.NewWebhook{}).
			unkeyed(webhookUnkeyed),
	}, s.createWebhook)
	register(s, huma.Operation{
		OperationID: "getWebhook", Method: http.MethodGet, Path: path, Tags: tags,
		Summary:   "Load a webhook",
		Security:  needs(access.Admin),
		Responses: responses{"200": {Description: "The webhook."}},
		Metadata:  about(func(e *wire.Encoder) { e.Webhook(webhooks.Webhook{Webhook: samples.Webhook()}) }, fault.NotFound),
	}, s.loadWebhook)
	register(s, huma.Operation{
		OperationID: "updateWebhook", Method: http.MethodPatch, Path: path, Tags: tags,
		Summary:     "Change, stop, resume or replay a webhook",
		Description: "A cursor sends the events behind it again. active resumes a webhook that waits or was stopped, where it was. Another URL, too, has the next event tried at once.",
		Security:    needs(access.Admin),
		Responses:   responses{"200": {Description: "The webhook."}},
		Metadata: about(func(e *wire.Encoder) { e.Webhook(webhooks.Webhook{Webhook: samples.Resumed()}) }, fault.NotFound, fault.UnknownField, fault.ValidationFailed, fault.CursorGone).
			json(`{"active":true}`, wire.WebhookPatch{}),
	}, s.updateWebhook)
	register(s, huma.Operation{
		OperationID: "deleteWebhook", Method: http.MethodDelete, Path: path, Tags: tags,
		Summary:     "Delete a webhook",
		Description: "Within two seconds, nothing is sent to it any more.",
		Security:    needs(access.Admin),
		Responses:   responses{"204": {Description: "The webhook is gone."}},
		Metadata:    about(nil, fault.NotFound),
	}, s.deleteWebhook)
	register(s, huma.Operation{
		OperationID: "listDeliveries", Method: http.MethodGet, Path: path + "/deliveries", Tags: tags,
		Summary:   "List the latest attempts",
		Security:  needs(access.Admin),
		Responses: responses{"200": {Description: "The latest attempts, oldest first; those with a parked event stay longest."}},
		Metadata:  about(func(e *wire.Encoder) { wire.List(e, samples.Webhook().Progress.Deliveries, e.Delivery) }, fault.NotFound),
	}, s.listDeliveries)
	register(s, huma.Operation{
		OperationID: "testWebhook", Method: http.MethodPost, Path: path + "/test", Tags: tags,
		Summary:     "Send a test",
		Description: "A message of the type webhook.test is sent at once, beside the events, whatever the state of the webhook. The answer says how it went.",
		Security:    needs(access.Admin),
		Responses:   responses{"200": {Description: "The attempt."}},
		Metadata: about(func(e *wire.Encoder) { e.WebhookTest(samples.WebhookTest()) }, fault.NotFound).
			reads().unkeyed("each request sends a message of its own"),
	}, s.testWebhook)
	register(s, huma.Operation{
		OperationID: "rotateWebhookSecret", Method: http.MethodPost, Path: path + "/secret", Tags: tags,
		Summary:     "Make a new secret",
		Description: "For a day, messages have the signatures of the new secret and of the one before. At most three secrets sign at a time: then another one is refused. endEarlier ends the earlier secrets at once, for example after a leak. The secret is shown this once.",
		Security:    needs(access.Admin),
		Responses:   responses{"200": {Description: "The webhook with its new secret."}},
		Metadata: about(func(e *wire.Encoder) {
			e.IssuedWebhook(webhooks.Issued{Webhook: samples.Webhook(), Secret: samples.WebhookSecret()})
		}, fault.NotFound, fault.UnknownField, fault.ValidationFailed, fault.InUse).
			body(body{media: mediaJSON, optional: true, of: []any{wire.NewSecret{}}, example: `{"endEarlier":true}`}),
	}, s.rotateWebhook)
}

// webhookUnkeyed says how to repeat the request for a webhook. Its answer cannot be stored:
// a reader of the database would have the secret.
const webhookUnkeyed = "if no answer has come, list the webhooks, delete the one that was made, and make another"

func (s *server) listWebhooks(ctx context.Context, in *Request) (*output[[]wire.Webhook], error) {
	a, err := s.Service.Webhooks.List(ctx)
	if err != nil {
		return nil, err
	}
	return &output[[]wire.Webhook]{listOf[wire.Webhook](in.call, a.Catalogue, a.Value, (*wire.Encoder).Webhook)}, nil
}

// webhookMembers are the members of both bodies.
func webhookMembers(p *webhooks.Patch) []wire.Member {
	return []wire.Member{
		{Name: "url", Into: &p.URL},
		{Name: "types", Into: &p.Types},
		{Name: "predicate", Into: &p.Predicate},
		{Name: "onFailure", Into: &p.OnFailure},
	}
}

type createdWebhook struct {
	Located
	Uncached
	Body wire.JSON[wire.IssuedWebhook]
}

func (s *server) createWebhook(ctx context.Context, in *writeInput) (*createdWebhook, error) {
	cmd := webhooks.Create{Write: in.write()}
	if err := in.decode(&cmd.Faults, webhookMembers(&cmd.Patch)...); err != nil {
		return nil, err
	}
	a, err := s.Service.Webhooks.Create(ctx, in.caller, cmd)
	if err != nil {
		return nil, err
	}
	return &createdWebhook{in.located("/webhooks/" + a.Value.ID.String()), uncached, issued(a)}, nil
}

// issued returns a webhook with its secret.
func issued(a tracker.Answer[webhooks.Issued]) wire.JSON[wire.IssuedWebhook] {
	return wire.One[wire.IssuedWebhook](a.Catalogue, (*wire.Encoder).IssuedWebhook, a.Value)
}

func (s *server) loadWebhook(ctx context.Context, in *findInput) (*output[wire.Webhook], error) {
	return find[wire.Webhook](ctx, in, s.Service.Webhooks.Load, (*wire.Encoder).Webhook)
}

func (s *server) updateWebhook(ctx context.Context, in *changeInput) (*output[wire.Webhook], error) {
	id, err := in.object()
	if err != nil {
		return nil, err
	}
	cmd := webhooks.Update{Write: in.write()}
	members := append(webhookMembers(&cmd.Patch), wire.Member{Name: "active", Into: &cmd.Active}, wire.Member{Name: "cursor", Into: &cmd.Cursor})
	if err := in.decode(&cmd.Faults, members...); err != nil {
		return nil, err
	}
	a, err := s.Service.Webhooks.Update(ctx, in.caller, id, cmd)
	return one[wire.Webhook](a, err, (*wire.Encoder).Webhook)
}

func (s *server) deleteWebhook(ctx context.Context, in *changeInput) (*noContent, error) {
	return remove(ctx, in, s.Service.Webhooks.Delete)
}

func (s *server) listDeliveries(ctx context.Context, in *findInput) (*output[[]wire.Delivery], error) {
	return find[[]wire.Delivery](ctx, in, s.Service.Webhooks.Load, func(e *wire.Encoder, w webhooks.Webhook) { wire.List(e, w.Progress.Deliveries, e.Delivery) })
}

func (s *server) testWebhook(ctx context.Context, in *findInput) (*output[wire.WebhookTest], error) {
	id, err := in.object()
	if err != nil {
		return nil, err
	}
	a, err := s.Service.Webhooks.Test(ctx, id)
	if err != nil {
		return nil, err
	}
	return &output[wire.WebhookTest]{wire.One[wire.WebhookTest](nil, (*wire.Encoder).WebhookTest, a)}, nil
}

func (s *server) rotateWebhook(ctx context.Context, in *changeInput) (*secretOutput[wire.IssuedWebhook], error) {
	id, err := in.object()
	if err != nil {
		return nil, err
	}
	cmd := webhooks.Rotate{Write: in.write()}
	if len(in.body) > 0 {
		if err := in.decode(&cmd.Faults, wire.Member{Name: "endEarlier", Into: &cmd.EndEarlier}); err != nil {
			return nil, err
		}
	}
	a, err := s.Service.Webhooks.Rotate(ctx, in.caller, id, cmd)
	return secret[wire.IssuedWebhook](a, err, (*wire.Encoder).IssuedWebhook)
}

// EncodeEvent returns an event as /events does. The catalogue has the names of its objects.
func EncodeEvent(catalogue *metadata.Catalogue, v tracker.PublishedEvent) []byte {
	e := wire.Encoder{Catalogue: catalogue}
	e.Event(v)
	return e.Buf
}
