package transfer

import (
	"slices"

	"github.com/problemtracking/problems/domain/event"
	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/text"
	"github.com/problemtracking/problems/domain/webhook"
)

// webhook checks a webhook. Its cursors may be older than the feed: then the webhook stops
// with this reason.
func (c *Checker) webhook(w webhook.Webhook) {
	c.uniqueID(KindWebhook, c.hookIDs, w.ID)
	c.identifier("/version", w.Version)
	c.reference("/owner", metadata.Users, w.Owner)
	c.moment("/creationDate", w.Created)
	if err := webhook.CheckURL(w.URL); err != nil {
		c.refuse("/url", "%v", err)
	}
	for i, t := range w.Types {
		if !slices.Contains(event.Types(), t) {
			c.refuse("/types", "must be some of: %s", list(event.Types()))
		}
		if slices.Contains(w.Types[:i], t) {
			c.refuse("/types", "must have each type once")
		}
	}
	w.Predicate = c.text("/predicate", text.Predicate, w.Predicate)
	if w.Predicate != "" {
		_, err := w.Plan(w.Created, nil)
		c.compiles("/predicate", err)
	}
	if err := w.OnFailure.Check(); err != nil {
		c.refuse("/onFailure", "%v", err)
	}
	c.secretRef(w.Secret)
	if w.Epoch < 1 {
		c.refuse("/epoch", "must be at least 1")
	}
	c.cursor("/from", w.From)
	c.progress(w)
	c.webhooks = append(c.webhooks, w)
}

func (c *Checker) secretRef(r webhook.SecretRef) {
	if r.Generation < 1 {
		c.refuse("/secretGeneration", "must be at least 1")
	}
	if !r.Rotated.IsZero() {
		c.moment("/secretRotated", r.Rotated)
	}
	if !r.RotatedBefore.IsZero() {
		c.moment("/secretRotatedBefore", r.RotatedBefore)
	}
}

func (c *Checker) progress(w webhook.Webhook) {
	p := w.Progress
	if p.Epoch < 0 || p.Epoch > w.Epoch {
		c.refuse("/progressEpoch", "must be an integer from 0 to the epoch")
	}
	if p.State != "" && !slices.Contains([]webhook.State{webhook.Active, webhook.Waiting, webhook.Stopped}, p.State) {
		c.refuse("/state", "must be null, %q, %q or %q", webhook.Active, webhook.Waiting, webhook.Stopped)
	}
	c.text("/reason", text.Rule{}, p.Reason)
	if p.Failures < 0 {
		c.refuse("/failures", "must be at least 0")
	}
	if !p.Next.IsZero() {
		c.moment("/nextAttempt", p.Next)
	}
	if p.Parked < 0 {
		c.refuse("/parked", "must be at least 0")
	}
	c.cursor("/cursor", p.Cursor)
}

// cursor checks a cursor of the feed: event.Start, or behind an event.
func (c *Checker) cursor(field string, at event.Cursor) {
	if at != event.Start && (at.Number < 1 || at.Number > MaxInteger || at.Index < 0) {
		c.refuse(field, "must be a cursor of the feed")
	}
}
