package boltstore

import (
	"bytes"
	"context"

	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/lease"
	"github.com/problemtracking/problems/domain/store"
	"github.com/problemtracking/problems/domain/webhook"
)

// webhook returns a webhook. ok is false when there is none.
func (c contents) webhook(id ident.ID) (w webhook.Webhook, ok bool, err error) {
	position := bytes.Clone(c.in(webhookPositions).Get(id[:]))
	if position == nil {
		return webhook.Webhook{}, false, nil
	}
	return get[webhook.Webhook](c, webhooks, position)
}

// putWebhook leaves the progress as it is.
func (c contents) putWebhook(e webhook.Endpoint) error {
	w, _, err := c.webhook(e.ID)
	if err != nil {
		return err
	}
	w.Endpoint = e
	return c.putAtPosition(webhooks, webhookPositions, e.ID, w)
}

// putProgress does nothing without the webhook.
func (c contents) putProgress(e store.PutProgress) error {
	w, ok, err := c.webhook(e.Webhook)
	if err != nil || !ok {
		return err
	}
	w.Progress = e.Progress
	return c.putAtPosition(webhooks, webhookPositions, e.Webhook, w)
}

// Webhooks implements store.Reader.
func (r reader) Webhooks(ctx context.Context, skip, limit int) ([]webhook.Webhook, error) {
	all, err := list[webhook.Webhook](r.contents, webhooks, nil)
	if err != nil {
		return nil, err
	}
	all = all[min(max(skip, 0), len(all)):]
	return all[:min(limit, len(all))], store.Ended(ctx)
}

// Webhook implements store.Reader.
func (r reader) Webhook(ctx context.Context, id ident.ID) (webhook.Webhook, bool, error) {
	if err := store.Ended(ctx); err != nil {
		return webhook.Webhook{}, false, err
	}
	return r.webhook(id)
}

// Lease implements store.Reader.
func (r reader) Lease(ctx context.Context, name string) (lease.Lease, bool, error) {
	if err := store.Ended(ctx); err != nil {
		return lease.Lease{}, false, err
	}
	return get[lease.Lease](r.contents, leases, []byte(name))
}
