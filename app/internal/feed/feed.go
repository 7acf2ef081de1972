// Package feed reads the feed of events of a running server (D39).
package feed

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/problemtracking/problems/app/internal/remote"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/problem"
)

// Options describe a reader of the feed. Server and Deliver are required.
type Options struct {
	Server *remote.Server
	// After is the position to start behind: the identifier of an event, or Now. "" is the
	// start of the feed.
	After string
	// Predicate, unless "", selects problems: events of all others are left out. Problem,
	// unless 0, selects a single one.
	Predicate string
	Problem   problem.ID
	// Gone is the reaction to a lost position.
	Gone Gone
	// Deliver gets events in their order, each as a line of JSON, and the position behind
	// the last one. There may be no lines: the position also moves on over unwanted
	// events. An error ends the reader.
	Deliver func(ctx context.Context, lines []byte, position string) error
	// Report, if not nil, gets sentences about the connection.
	Report func(sentence string)
	// Pause is the usual pause before a second attempt to connect. 0: 2 s.
	Pause time.Duration
	// Silence is how long the server may send nothing. 0: 45 s, three of its heartbeats.
	Silence time.Duration
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
	// pageLimit is the number of events of one page: the limit of the API.
	pageLimit = 1000
	// portion is the size, in bytes, of the lines in one delivery, give or take an event.
	portion = 64 << 10
	// largestEvent limits the size of one event in a stream, in bytes.
	largestEvent = 1 << 30
)

// reader is one reader of the feed.
type reader struct {
	Options
	at      string // the position behind everything delivered
	lines   bytes.Buffer
	reached string // the position behind lines; "" when nothing is waiting
}

func newReader(o Options) *reader {
	if o.Report == nil {
		o.Report = func(string) {}
	}
	if o.Pause == 0 {
		o.Pause = usualPause
	}
	if o.Silence == 0 {
		o.Silence = usualSilence
	}
	return &reader{Options: o, at: o.After}
}

// Print delivers all events up to the end of the feed. It fails with ErrGone, with the
// errors of package remote, and with that of Deliver.
func Print(ctx context.Context, o Options) error {
	r := newReader(o)
	for {
		before := r.at
		more, err := r.page(ctx, pageLimit)
		switch {
		case ctx.Err() != nil:
			return errors.New("interrupted: this is not the whole feed")
		case isGone(err):
			if err := r.leap(ctx, err); err != nil {
				return err
			}
		case err != nil && (isDelivery(err) || r.at == before):
			return err
		case err == nil && !more && r.at == before:
			return nil
		}
	}
}

// page delivers one page, and reports whether there was an event on it. After an error the
// position is behind the last delivered event.
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
	next, err := nextPosition(response)
	if err != nil {
		return false, r.Server.Foreign(err)
	}
	decoder := json.NewDecoder(body)
	if start, err := decoder.Token(); err != nil {
		return false, r.unreadable(err)
	} else if start != json.Delim('[') {
		return false, r.Server.Foreign(errors.New("an array of events was expected"))
	}
	for decoder.More() {
		var event json.RawMessage
		if err := decoder.Decode(&event); err != nil {
			return false, errors.Join(r.deliver(ctx), r.unreadable(err))
		}
		var id struct{ Identifier string }
		if err := json.Unmarshal(event, &id); err != nil || id.Identifier == "" {
			return false, errors.Join(r.deliver(ctx), r.Server.Foreign(errors.New("an event without an identifier")))
		}
		more = true
		if err := r.take(ctx, event, id.Identifier); err != nil {
			return false, err
		}
	}
	if _, err := decoder.Token(); err != nil {
		return false, errors.Join(r.deliver(ctx), r.unreadable(err))
	}
	r.reached = next
	return more, r.deliver(ctx)
}

// unreadable returns the error of an incomplete page.
func (r *reader) unreadable(err error) error {
	if _, ok := errors.AsType[*json.SyntaxError](err); ok {
		return r.Server.Foreign(err)
	}
	return r.Server.Lost(err)
}

// nextPosition returns the position in the header Link. Its path may differ from the
// path of this client, behind a proxy.
func nextPosition(response *http.Response) (string, error) {
	link := []byte(response.Header.Get("Link"))
	start, end := bytes.IndexByte(link, '<'), bytes.IndexByte(link, '>')
	if start < 0 || end < start {
		return "", errors.New("the header Link is missing")
	}
	next, err := url.Parse(string(link[start+1 : end]))
	if err != nil {
		return "", err
	}
	position := next.Query().Get("after")
	if position == "" {
		return "", errors.New("the header Link has no position")
	}
	return position, nil
}

// query returns the parameters of every request.
func (r *reader) query() url.Values {
	query := url.Values{}
	if r.Predicate != "" {
		query.Set("predicate", r.Predicate)
	}
	if r.Problem != 0 {
		query.Set("problem", strconv.FormatInt(int64(r.Problem), 10))
	}
	return query
}

// take adds an event to the lines.
func (r *reader) take(ctx context.Context, event []byte, position string) error {
	before := r.lines.Len()
	if err := json.Compact(&r.lines, event); err != nil {
		r.lines.Truncate(before)
		return r.Server.Foreign(err)
	}
	r.lines.WriteByte('\n')
	r.reached = position
	if r.lines.Len() < portion {
		return nil
	}
	return r.deliver(ctx)
}

// deliver delivers the lines, and moves the position.
func (r *reader) deliver(ctx context.Context) error {
	if r.reached == "" || r.reached == r.at && r.lines.Len() == 0 {
		return nil
	}
	if err := r.Deliver(ctx, r.lines.Bytes(), r.reached); err != nil {
		return &deliveryError{err}
	}
	r.at, r.reached = r.reached, ""
	r.lines.Reset()
	return nil
}

// deliveryError is an error of Deliver.
type deliveryError struct{ error }

func (e *deliveryError) Unwrap() error { return e.error }

func isDelivery(err error) bool {
	_, ok := errors.AsType[*deliveryError](err)
	return ok
}

func isGone(err error) bool {
	refusal, ok := errors.AsType[*remote.Refusal](err)
	return ok && refusal.Kind == fault.CursorGone
}

// leap moves a lost position to an end of the feed, as Gone says.
func (r *reader) leap(ctx context.Context, err error) error {
	refusal, _ := errors.AsType[*remote.Refusal](err)
	switch r.Gone {
	case GoneFromOldest:
		r.at = ""
		r.Report(ErrGone.Error() + "; going on from the oldest event")
	case GoneFromNow:
		if refusal.Newest == "" {
			return r.Server.Foreign(errors.New("the newest event of the feed was expected"))
		}
		r.Report(ErrGone.Error() + "; going on from the newest event")
		r.reached = refusal.Newest
		return r.deliver(ctx)
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
	response, err := r.Server.Get(ctx, header, query, "events")
	watch.Stop()
	if err != nil {
		if cause := context.Cause(ctx); cause != nil && errors.Is(err, context.Canceled) {
			if unreachable, ok := errors.AsType[*remote.UnreachableError](err); ok {
				unreachable.Err = cause
			}
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
