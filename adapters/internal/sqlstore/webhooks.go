package sqlstore

import (
	"context"
	"fmt"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/problemtracking/problems/domain/event"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/lease"
	"github.com/problemtracking/problems/domain/store"
	"github.com/problemtracking/problems/domain/webhook"
)

// A webhook has one row. Its settings and its progress are JSON documents: no query looks
// into them, and the delivering server writes the progress of many webhooks at a time.

// settings are a webhook.Endpoint without its identifier and version.
type settings struct {
	Owner      string            `json:"owner,omitempty"`
	Created    *int64            `json:"created,omitzero"` // microseconds since 1970, as all times here
	URL        string            `json:"url"`
	Types      []event.Type      `json:"types,omitempty"`
	Predicate  string            `json:"predicate,omitempty"`
	OnFailure  webhook.OnFailure `json:"onFailure"`
	Active     bool              `json:"active"`
	Key        string            `json:"key"`
	Generation int64             `json:"generation"`
	Rotated    *int64            `json:"rotated,omitzero"`
	Before     *int64            `json:"rotatedBefore,omitzero"`
	Epoch      int64             `json:"epoch"`
	From       position          `json:"from"`
}

// position is an event.Cursor.
type position struct {
	Number int64  `json:"n,omitzero"`
	Index  int    `json:"i,omitzero"`
	Batch  string `json:"b,omitempty"`
}

// progress is a webhook.Progress.
type progress struct {
	Epoch      int64         `json:"epoch"`
	Cursor     position      `json:"cursor"`
	State      webhook.State `json:"state"`
	Reason     string        `json:"reason,omitempty"`
	Failures   int           `json:"failures,omitzero"`
	Next       *int64        `json:"next,omitzero"`
	Parked     int64         `json:"parked,omitzero"`
	Deliveries []delivery    `json:"deliveries,omitempty"`
}

// delivery is a webhook.Delivery.
type delivery struct {
	Event    position        `json:"e"`
	Type     event.Type      `json:"t"`
	Attempt  int             `json:"a"`
	At       *int64          `json:"at,omitzero"`
	Duration int64           `json:"d"` // nanoseconds
	Status   int             `json:"s,omitzero"`
	Error    string          `json:"r,omitempty"`
	Outcome  webhook.Outcome `json:"o"`
	Next     *int64          `json:"n,omitzero"`
}

func instant(t time.Time) *int64 {
	if t.IsZero() {
		return nil
	}
	at := t.UnixMicro()
	return &at
}

func instantOf(at *int64) time.Time {
	if at == nil {
		return time.Time{}
	}
	return time.UnixMicro(*at).UTC()
}

func positionOf(c event.Cursor) position { return position{c.Number, c.Index, idOrEmpty(c.Batch)} }

func (p position) cursor(ids *idParser) event.Cursor {
	return event.Cursor{Number: p.Number, Index: p.Index, Batch: ids.parse(p.Batch)}
}

func (w *writer) putWebhook(e webhook.Endpoint) error {
	encoded, err := json.Marshal(settings{
		Owner: idOrEmpty(e.Owner), Created: instant(e.Created), URL: e.URL, Types: e.Types, Predicate: e.Predicate, OnFailure: e.OnFailure, Active: e.Active,
		Key: e.Secret.Key.String(), Generation: e.Secret.Generation, Rotated: instant(e.Secret.Rotated), Before: instant(e.Secret.RotatedBefore), Epoch: e.Epoch, From: positionOf(e.From),
	}, anyText)
	if err != nil {
		return fmt.Errorf("sqlstore: the settings of a webhook: %w", err)
	}
	w.put(Row{Table: &w.webhooks, Values: []any{w.ID(e.ID), w.ID(e.Version), string(encoded), ""}})
	return nil
}

func (w *writer) putProgress(e store.PutProgress) error {
	p := e.Progress
	encoded := progress{
		Epoch: p.Epoch, Cursor: positionOf(p.Cursor), State: p.State, Reason: p.Reason, Failures: p.Failures, Next: instant(p.Next), Parked: p.Parked,
	}
	for _, d := range p.Deliveries {
		encoded.Deliveries = append(encoded.Deliveries, delivery{
			positionOf(d.Event), d.Type, d.Attempt, instant(d.At), int64(d.Duration), d.Status, d.Error, d.Outcome, instant(d.Next),
		})
	}
	text, err := json.Marshal(encoded, anyText)
	if err != nil {
		return fmt.Errorf("sqlstore: the progress of a webhook: %w", err)
	}
	w.do("UPDATE webhooks SET progress = ? WHERE id = ?", string(text), w.ID(e.Webhook))
	return nil
}

// Webhooks implements store.Reader.
func (r Reader) Webhooks(ctx context.Context, skip, limit int) (found []webhook.Webhook, err error) {
	err = r.Read(ctx, rows(&found, r.webhookInto, "SELECT "+webhookColumns+" FROM webhooks ORDER BY position LIMIT ? OFFSET ?", limit, skip))
	return found, err
}

// Webhook implements store.Reader.
func (r Reader) Webhook(ctx context.Context, id ident.ID) (found webhook.Webhook, ok bool, err error) {
	err = r.Read(ctx, Query{SQL: "SELECT " + webhookColumns + " FROM webhooks WHERE id = ?", Args: []any{r.ID(id)}, Row: func(scan func(...any) error) error {
		ok = true
		return r.webhookInto(scan, &found)
	}})
	if !ok || err != nil {
		return webhook.Webhook{}, false, err
	}
	return found, true, nil
}

const webhookColumns = "id, version, settings, progress"

func (d *Dialect) webhookInto(scan func(...any) error, w *webhook.Webhook) error {
	var s, p string
	if err := scan(d.IDInto(&w.ID), d.IDInto(&w.Version), &s, &p); err != nil {
		return err
	}
	ids := idParser{}
	if err := decodeSettings(s, &w.Endpoint, &ids); err != nil {
		return fmt.Errorf("sqlstore: the settings of webhook %v are damaged: %w", w.ID, err)
	}
	if err := decodeProgress(p, &w.Progress, &ids); err != nil {
		return fmt.Errorf("sqlstore: the progress of webhook %v is damaged: %w", w.ID, err)
	}
	if ids.err != nil {
		return fmt.Errorf("sqlstore: webhook %v is damaged: %w", w.ID, ids.err)
	}
	return nil
}

func decodeSettings(encoded string, e *webhook.Endpoint, ids *idParser) error {
	var s settings
	if err := json.Unmarshal([]byte(encoded), &s, anyText); err != nil {
		return err
	}
	key, err := webhook.ParseKeyID(s.Key)
	if err != nil {
		return err
	}
	e.Owner, e.Created, e.URL, e.Predicate, e.OnFailure, e.Active = ids.parse(s.Owner), instantOf(s.Created), s.URL, s.Predicate, s.OnFailure, s.Active
	e.Secret = webhook.SecretRef{Key: key, Generation: s.Generation, Rotated: instantOf(s.Rotated), RotatedBefore: instantOf(s.Before)}
	e.Epoch, e.From = s.Epoch, s.From.cursor(ids)
	if len(s.Types) > 0 {
		e.Types = s.Types
	}
	return nil
}

func decodeProgress(encoded string, to *webhook.Progress, ids *idParser) error {
	if encoded == "" {
		return nil
	}
	var p progress
	if err := json.Unmarshal([]byte(encoded), &p, anyText); err != nil {
		return err
	}
	*to = webhook.Progress{
		Epoch: p.Epoch, Cursor: p.Cursor.cursor(ids), State: p.State, Reason: p.Reason, Failures: p.Failures, Next: instantOf(p.Next), Parked: p.Parked,
	}
	for _, d := range p.Deliveries {
		to.Deliveries = append(to.Deliveries, webhook.Delivery{
			Event: d.Event.cursor(ids), Type: d.Type, Attempt: d.Attempt, At: instantOf(d.At), Duration: time.Duration(d.Duration),
			Status: d.Status, Error: d.Error, Outcome: d.Outcome, Next: instantOf(d.Next),
		})
	}
	return nil
}

const leaseColumns = "name, version, holder, state"

func (d *Dialect) leaseRow(l lease.Lease) Row {
	return Row{Table: &d.leases, Values: []any{l.Name, d.ID(l.Version), d.ID(l.Holder), l.State}}
}

// Lease implements store.Reader.
func (r Reader) Lease(ctx context.Context, name string) (found lease.Lease, ok bool, err error) {
	err = r.Read(ctx, Query{SQL: "SELECT " + leaseColumns + " FROM leases WHERE name = ?", Args: []any{name}, Row: func(scan func(...any) error) error {
		ok = true
		return scan(&found.Name, r.IDInto(&found.Version), r.IDInto(&found.Holder), &found.State)
	}})
	if !ok || err != nil {
		return lease.Lease{}, false, err
	}
	return found, true, nil
}
