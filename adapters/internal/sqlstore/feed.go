package sqlstore

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/problemtracking/problems/domain/audit"
	"github.com/problemtracking/problems/domain/event"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/store"
)

// The feed has one row for each Change. Its body is a JSON document: no query looks into
// it, and one row is the fastest to write and to read in order. Its members have short
// names, because there are very many bodies.

// body is the part of an event.Entry beside its number and batch.
type body struct {
	At     *int64     `json:"at,omitzero"` // microseconds since 1970
	Author string     `json:"by,omitempty"`
	Via    string     `json:"via,omitempty"`
	Events []happened `json:"ev"`
}

// happened is an event.Event.
type happened struct {
	Type     event.Type `json:"t"`
	Problem  problem.ID `json:"p,omitzero"`
	Title    string     `json:"n,omitempty"`
	State    string     `json:"s,omitempty"`
	Revision int64      `json:"r,omitzero"`
	Kind     audit.Kind `json:"k,omitempty"`
	Object   string     `json:"o,omitempty"`
	Name     string     `json:"m,omitempty"`
	Lines    [][]string `json:"l"` // identifier, type, field, from, to
}

// anyText lets a text with invalid UTF-8 pass, with U+FFFD in place of it.
var anyText = jsontext.AllowInvalidUTF8(true)

// feedRow returns the row for an entry: its batch, the size for Store.Feed, and its body.
func (d *Dialect) feedRow(e event.Entry) ([]any, error) {
	b := body{Author: idOrEmpty(e.Author), Via: idOrEmpty(e.Via), Events: make([]happened, len(e.Events))}
	if !e.At.IsZero() {
		at := e.At.UnixMicro()
		b.At = &at
	}
	for i, v := range e.Events {
		h := happened{
			Type: v.Type, Problem: v.Problem, Title: v.Title, State: idOrEmpty(v.State), Revision: v.Revision,
			Kind: v.Kind, Object: idOrEmpty(v.Object), Name: v.Name, Lines: make([][]string, len(v.Lines)),
		}
		for j, l := range v.Lines {
			h.Lines[j] = []string{idOrEmpty(l.ID), l.Type, l.Field, string(l.From), string(l.To)}
		}
		b.Events[i] = h
	}
	encoded, err := json.Marshal(b, anyText)
	if err != nil {
		return nil, fmt.Errorf("sqlstore: an entry of the feed: %w", err)
	}
	return []any{d.ID(e.Batch), e.Size(), string(encoded)}, nil
}

func idOrEmpty(id ident.ID) string {
	if id.IsNone() {
		return ""
	}
	return id.String()
}

// decode fills the entry from a body.
func decode(e *event.Entry, encoded []byte) error {
	var b body
	if err := json.Unmarshal(encoded, &b, anyText); err != nil {
		return fmt.Errorf("sqlstore: entry %d of the feed is damaged: %w", e.Number, err)
	}
	ids := idParser{}
	if b.At != nil {
		e.At = time.UnixMicro(*b.At).UTC()
	}
	e.Author, e.Via = ids.parse(b.Author), ids.parse(b.Via)
	e.Events = make([]event.Event, len(b.Events))
	for i, h := range b.Events {
		v := event.Event{
			Type: h.Type, Problem: h.Problem, Title: h.Title, State: ids.parse(h.State), Revision: h.Revision,
			Kind: h.Kind, Object: ids.parse(h.Object), Name: h.Name, Lines: make([]event.Line, len(h.Lines)),
		}
		for j, l := range h.Lines {
			if len(l) != 5 {
				return fmt.Errorf("sqlstore: entry %d of the feed is damaged: a line has %d values", e.Number, len(l))
			}
			v.Lines[j] = event.Line{ID: ids.parse(l[0]), Type: l[1], Field: l[2], From: problem.LogValue(l[3]), To: problem.LogValue(l[4])}
		}
		if len(v.Lines) == 0 {
			v.Lines = nil
		}
		e.Events[i] = v
	}
	if ids.err != nil {
		return fmt.Errorf("sqlstore: entry %d of the feed is damaged: %w", e.Number, ids.err)
	}
	return nil
}

// idParser parses identifiers and stores the first error.
type idParser struct{ err error }

func (p *idParser) parse(s string) ident.ID {
	if s == "" {
		return ident.None
	}
	id, err := ident.Parse(s)
	if p.err == nil {
		p.err = err
	}
	return id
}

// publish returns the statement for the entry of a Change, if it publishes anything.
func (w *writer) publish(change store.Change) error {
	e := change.Entry()
	if len(e.Events) == 0 {
		return nil
	}
	values, err := w.feedRow(e)
	if err != nil {
		return err
	}
	w.do(w.Publish, values...)
	return nil
}

// forgetFeed is an effect of store.ForgetFeed: the newest entry stays.
const forgetFeed = "DELETE FROM feed WHERE number <= ? AND number < (SELECT max(number) FROM feed)"

// FeedRow returns the row for a restored entry.
func (d *Dialect) FeedRow(e event.Entry) (Row, error) {
	values, err := d.feedRow(e)
	if err != nil {
		return Row{}, err
	}
	return Row{Table: &d.feed, Values: append([]any{e.Number}, values...)}, nil
}

// Feed implements store.Reader.
func (r Reader) Feed(ctx context.Context, from int64, limit int, budget int64) ([]event.Entry, error) {
	return r.feedFrom(ctx, r.WholeFeed, from, limit, budget)
}

// NumberedFeed returns the entries with a number. It runs the further queries behind, at
// once if the session can.
func (r Reader) NumberedFeed(ctx context.Context, from int64, limit int, budget int64, further ...Query) ([]event.Entry, error) {
	return r.feedFrom(ctx, "feed", from, limit, budget, further...)
}

func (r Reader) feedFrom(ctx context.Context, source string, from int64, limit int, budget int64, further ...Query) (found []event.Entry, err error) {
	// Every entry has a size of at least least: no more rows can be within the budget.
	const least = 256
	limit = int(min(int64(limit), max(budget, 0)/least+1))
	from = max(from, math.MinInt64+1)
	q := Query{
		// The sizes say where the budget ends: the bodies behind it stay unread.
		SQL: "SELECT number, batch, body FROM " + source + " WHERE number >= ? AND number <= (SELECT max(number) FROM (" +
			"SELECT number, sum(size) OVER (ORDER BY number) - size AS before FROM (" +
			"SELECT number, size FROM " + source + " WHERE number >= ? ORDER BY number LIMIT ?" +
			") AS sized) AS sums WHERE before < ?) ORDER BY number LIMIT ?",
		Args: []any{from, from, limit, max(budget, 1), limit}, // the first entry always fits
		Row: func(scan func(...any) error) error {
			var e event.Entry
			var encoded string
			if err := scan(&e.Number, r.IDInto(&e.Batch), &encoded); err != nil {
				return err
			}
			if err := decode(&e, []byte(encoded)); err != nil {
				return err
			}
			found = append(found, e)
			return nil
		},
		Long: true,
	}
	return found, r.Read(ctx, append([]Query{q}, further...)...)
}

// FeedEnds returns the oldest and the newest entry with a number, without their events. It
// runs the further queries behind, as NumberedFeed does.
func (r Reader) FeedEnds(ctx context.Context, further ...Query) (oldest, newest event.Entry, err error) {
	ends := Query{
		SQL: "SELECT number, batch, body FROM feed WHERE number IN ((SELECT min(number) FROM feed), (SELECT max(number) FROM feed)) ORDER BY number",
		Row: func(scan func(...any) error) error {
			var e event.Entry
			var encoded string
			if err := scan(&e.Number, r.IDInto(&e.Batch), &encoded); err != nil {
				return err
			}
			if err := decode(&e, []byte(encoded)); err != nil {
				return err
			}
			e.Events = nil
			if oldest.Number == 0 {
				oldest = e
			}
			newest = e
			return nil
		},
		Long: true,
	}
	err = r.Read(ctx, append([]Query{ends}, further...)...)
	return oldest, newest, err
}
