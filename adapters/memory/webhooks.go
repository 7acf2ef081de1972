package memory

import (
	"context"
	"slices"

	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/lease"
	"github.com/problemtracking/problems/domain/store"
	"github.com/problemtracking/problems/domain/webhook"
)

func isWebhook(id ident.ID) func(*webhook.Webhook) bool {
	return func(w *webhook.Webhook) bool { return w.ID == id }
}

// webhook returns a webhook, or nil when there is none.
func (s *state) webhook(id ident.ID) *webhook.Webhook {
	if i := slices.IndexFunc(s.webhooks, isWebhook(id)); i >= 0 {
		return s.webhooks[i]
	}
	return nil
}

// lease returns the lease of a name.
func (s *state) lease(name string) (lease.Lease, bool) {
	if i := slices.IndexFunc(s.leases, func(l lease.Lease) bool { return l.Name == name }); i >= 0 {
		return s.leases[i], true
	}
	return lease.Lease{}, false
}

func (d *draft) putWebhook(e webhook.Endpoint) {
	next := webhook.Webhook{Endpoint: e}
	if old := d.webhook(e.ID); old != nil {
		next.Progress = old.Progress
	}
	next = next.Clone()
	put(&d.webhooks, &next, isWebhook(e.ID))
}

func (d *draft) putProgress(e store.PutProgress) {
	if old := d.webhook(e.Webhook); old != nil {
		next := webhook.Webhook{Endpoint: old.Endpoint, Progress: e.Progress}.Clone()
		put(&d.webhooks, &next, isWebhook(e.Webhook))
	}
}

// webhooksOf returns the webhooks of an Archive, in memory of their own.
func webhooksOf(archive store.Archive) []*webhook.Webhook {
	all := make([]*webhook.Webhook, len(archive.Webhooks))
	for i, w := range archive.Webhooks {
		own := w.Clone()
		all[i] = &own
	}
	return all
}

// Webhooks implements store.Reader.
func (r reader) Webhooks(ctx context.Context, skip, limit int) ([]webhook.Webhook, error) {
	first := min(max(skip, 0), len(r.webhooks))
	var found []webhook.Webhook
	for _, w := range r.webhooks[first : first+min(limit, len(r.webhooks)-first)] {
		found = append(found, w.Clone())
	}
	return found, store.Ended(ctx)
}

// Webhook implements store.Reader.
func (r reader) Webhook(ctx context.Context, id ident.ID) (webhook.Webhook, bool, error) {
	if w := r.webhook(id); w != nil {
		return w.Clone(), true, store.Ended(ctx)
	}
	return webhook.Webhook{}, false, store.Ended(ctx)
}

// Lease implements store.Reader.
func (r reader) Lease(ctx context.Context, name string) (lease.Lease, bool, error) {
	l, ok := r.lease(name)
	return l, ok, store.Ended(ctx)
}
