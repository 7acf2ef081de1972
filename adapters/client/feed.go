package client

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/http"
	"net/url"
	"strconv"
	"time"
)

// Feed selects events of the feed (D39).
type Feed struct {
	// After is the position to start behind: the identifier of an event, or Now. "" is the
	// start of the feed.
	After string
	// Predicate, unless "", selects problems: events of all others are left out. Problem,
	// unless 0, selects a single one.
	Predicate string
	Problem   int64
	// Gone is the reaction to a lost position. "": GoneFails.
	Gone Gone
	// Report, if not nil, gets sentences about the connection.
	Report func(sentence string)
	// Pause is the usual pause before a second attempt to connect. 0: 2 s.
	Pause time.Duration
	// Silence is how long the server may send nothing. 0: 45 s, three of its heartbeats.
	Silence time.Duration
}

// Batch are some events that follow each other. Keep Position once they are done, and
// start behind it the next time: then no event is missed.
type Batch struct {
	// Events can be empty: the position also moves on over events that were left out.
	Events   []Event
	Position string
}

// Now is the position behind the newest event.
const Now = "now"

// Gone is a reaction to a position lost by the server.
type Gone string

// The reactions: end with an error, or go on from one end of the feed.
const (
	GoneFails      Gone = "fail"
	GoneFromOldest Gone = "oldest"
	GoneFromNow    Gone = "now"
)

// ErrGone is the error of a position lost by the server.
var ErrGone = errors.New("the feed has no event at the saved or given position: it was forgotten, or the server has another history since a backup was restored")

const (
	usualPause   = 2 * time.Second
	usualSilence = 45 * time.Second
	// eventPage is the number of events of one page: the limit of the API.
	eventPage = 1000
	// portion is the size, in bytes, of the events in one batch, give or take an event.
	portion = 64 << 10
)

// errEnough ends a reader whose caller wants no more.
var errEnough = errors.New("the caller wants no more")

// Events yields all events up to the end of the feed. An error ends it: it is [ErrGone], or
// one of those of [Client.Do].
func (c *Client) Events(ctx context.Context, f Feed) iter.Seq2[Batch, error] {
	return c.read(ctx, f, (*reader).print)
}

// Follow yields the events, and further ones as they happen, until ctx ends. A lost
// connection, a restart of the server and a fail-over make it connect again, from the
// position it has reached. An error ends it: [ErrGone], or the server refuses for good.
func (c *Client) Follow(ctx context.Context, f Feed) iter.Seq2[Batch, error] {
	return c.read(ctx, f, (*reader).follow)
}

func (c *Client) read(ctx context.Context, f Feed, read func(*reader, context.Context) error) iter.Seq2[Batch, error] {
	if f.Report == nil {
		f.Report = func(string) {}
	}
	if f.Pause == 0 {
		f.Pause = usualPause
	}
	if f.Silence == 0 {
		f.Silence = usualSilence
	}
	return func(yield func(Batch, error) bool) {
		r := &reader{Feed: f, client: c, at: f.After, yield: yield}
		if err := read(r, ctx); err != nil && !errors.Is(err, errEnough) {
			yield(Batch{}, err)
		}
	}
}

// reader is one reader of the feed.
type reader struct {
	Feed
	client  *Client
	yield   func(Batch, error) bool
	at      string // the position behind everything yielded
	events  []Event
	size    int    // of events, in bytes
	reached string // the position behind events; "" when nothing is waiting
}

// print yields everything up to the end of the feed.
func (r *reader) print(ctx context.Context) error {
	for {
		before := r.at
		more, err := r.page(ctx, eventPage)
		switch {
		case errors.Is(err, errEnough):
			return err
		case ctx.Err() != nil:
			return errors.New("interrupted: this is not the whole feed")
		case errors.Is(err, CursorGone):
			if err := r.leap(err); err != nil {
				return err
			}
		case err != nil && r.at == before:
			return err
		case err == nil && !more && r.at == before:
			return nil
		}
	}
}

// page yields one page, and reports whether there was an event on it. After an error the
// position is behind the last yielded event.
func (r *reader) page(ctx context.Context, limit int) (more bool, err error) {
	query := r.query()
	query.Set("limit", strconv.Itoa(limit))
	if r.at != "" {
		query.Set("after", r.at)
	}
	response, body, err := r.get(ctx, http.Header{"Accept": {"application/json"}}, query)
	if err != nil {
		return false, err
	}
	defer body.end()
	link, ok := next(response.Header)
	if !ok {
		return false, r.foreign("the header Link is missing")
	}
	position := link.Get("after")
	if position == "" {
		return false, r.foreign("the header Link has no position")
	}
	decoder := json.NewDecoder(body)
	if start, err := decoder.Token(); err != nil {
		return false, r.unreadable(err)
	} else if start != json.Delim('[') {
		return false, r.foreign("an array of events was expected")
	}
	for decoder.More() {
		var event json.RawMessage
		if err := decoder.Decode(&event); err != nil {
			return false, errors.Join(r.deliver(), r.unreadable(err))
		}
		more = true
		if err := r.take(event, ""); err != nil {
			return false, errors.Join(r.deliver(), err)
		}
	}
	if _, err := decoder.Token(); err != nil {
		return false, errors.Join(r.deliver(), r.unreadable(err))
	}
	r.reached = position
	return more, r.deliver()
}

// foreign returns the error of an answer in an unknown form.
func (r *reader) foreign(fault string) error {
	return &ForeignError{r.client.Address(), errors.New(fault)}
}

// unreadable returns the error of an incomplete page.
func (r *reader) unreadable(err error) error {
	if _, ok := errors.AsType[*json.SyntaxError](err); ok {
		return &ForeignError{r.client.Address(), err}
	}
	return r.lost(err)
}

// lost returns the error of a broken answer.
func (r *reader) lost(err error) error {
	return &ConnectionError{Address: r.client.Address(), Began: true, Err: err}
}

// query returns the parameters of every request.
func (r *reader) query() url.Values {
	query := url.Values{}
	if r.Predicate != "" {
		query.Set("predicate", r.Predicate)
	}
	if r.Problem != 0 {
		query.Set("problem", strconv.FormatInt(r.Problem, 10))
	}
	return query
}

// take adds an event. Its position is that of the stream, or else its identifier.
func (r *reader) take(text []byte, position string) error {
	var line bytes.Buffer
	var e Event
	err := json.Compact(&line, text)
	if err == nil {
		err = json.Unmarshal(line.Bytes(), &e)
	}
	if err != nil {
		return &ForeignError{r.client.Address(), err}
	}
	if position == "" {
		position = e.Identifier
	}
	if position == "" {
		return r.foreign("an event without an identifier")
	}
	e.JSON = line.Bytes()
	r.events = append(r.events, e)
	r.size += line.Len()
	r.reached = position
	if r.size < portion {
		return nil
	}
	return r.deliver()
}

// deliver yields the events, and moves the position.
func (r *reader) deliver() error {
	if r.reached == "" || r.reached == r.at && len(r.events) == 0 {
		return nil
	}
	batch := Batch{r.events, r.reached}
	r.at = r.reached
	r.forget()
	if !r.yield(batch, nil) {
		return errEnough
	}
	return nil
}

// forget drops what was not yielded.
func (r *reader) forget() { r.events, r.size, r.reached = nil, 0, "" }

// leap moves a lost position to an end of the feed, as Gone says.
func (r *reader) leap(err error) error {
	switch r.Gone {
	case GoneFromOldest:
		r.at = ""
		r.Report(ErrGone.Error() + "; going on from the oldest event")
	case GoneFromNow:
		refused, _ := errors.AsType[*Error](err)
		if refused.Newest == "" {
			return r.foreign("the newest event of the feed was expected")
		}
		r.Report(ErrGone.Error() + "; going on from the newest event")
		r.reached = refused.Newest
		return r.deliver()
	default:
		return ErrGone
	}
	return nil
}

// get sends a request. The body ends when the server is silent for too long.
func (r *reader) get(ctx context.Context, header http.Header, query url.Values) (*http.Response, *body, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	silent := fmt.Errorf("silence for %v", r.Silence)
	watch := time.AfterFunc(r.Silence, func() { cancel(silent) })
	response, err := r.client.send(ctx, &Request{Method: http.MethodGet, Path: []string{"events"}, Query: query, Header: header}, nil)
	watch.Stop()
	if err != nil {
		if lost, ok := errors.AsType[*ConnectionError](err); ok && context.Cause(ctx) != nil {
			lost.Err = context.Cause(ctx)
		}
		cancel(nil)
		return nil, nil, err
	}
	return response, &body{from: response.Body, ctx: ctx, watch: watch, patience: r.Silence, cancel: cancel}, nil
}

// body is the body of an answer. Only the time in which it waits for the server counts
// as silence.
type body struct {
	from     io.ReadCloser
	ctx      context.Context
	watch    *time.Timer
	patience time.Duration
	cancel   context.CancelCauseFunc
	// before, if not nil, is called before waiting for the server.
	before func() error
}

func (b *body) Read(p []byte) (int, error) {
	if b.before != nil {
		if err := b.before(); err != nil {
			return 0, err
		}
	}
	b.watch.Reset(b.patience)
	n, err := b.from.Read(p)
	b.watch.Stop()
	if cause := context.Cause(b.ctx); err != nil && cause != nil {
		err = cause
	}
	return n, err
}

// end closes the body.
func (b *body) end() {
	b.watch.Stop()
	b.cancel(nil)
	_ = b.from.Close() // it was read as far as anybody wants
}
