package client

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"mime"
	"net/http"
	"time"
)

const (
	// longestPause limits the time between two attempts to connect, unless the server asks
	// for a longer one.
	longestPause = 30 * time.Second
	// largestEvent limits the size of one event in a stream, in bytes.
	largestEvent = 1 << 30
)

// follow yields events until ctx ends.
func (r *reader) follow(ctx context.Context) error {
	lost := false
	for attempt := 0; ; attempt++ {
		err := r.connect(ctx, func() {
			if lost {
				r.Report("connected again")
			}
			lost, attempt = false, 0
		})
		switch {
		case errors.Is(err, errEnough):
			return err
		case ctx.Err() != nil:
			return nil
		case errors.Is(err, CursorGone):
			if err := r.leap(err); err != nil {
				return err
			}
			continue
		case !isTemporary(err):
			return err
		}
		if !lost {
			r.Report(err.Error() + "; trying again")
		}
		lost = true
		pause := shaken(min(r.Pause<<min(attempt, 10), longestPause))
		if refused, ok := errors.AsType[*Error](err); ok {
			pause = max(pause, refused.RetryAfter)
		}
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(pause):
		}
	}
}

// connect yields the events of one connection until it breaks. It calls connected when
// the server has accepted the request.
func (r *reader) connect(ctx context.Context, connected func()) error {
	if r.at == Now {
		// The page has a position before the stream begins: a lost connection then loses no event.
		if _, err := r.page(ctx, 1); err != nil {
			return err
		}
	}
	header := http.Header{"Accept": {"text/event-stream"}, "Accept-Encoding": {"identity"}}
	if r.at != "" {
		header.Set("Last-Event-ID", r.at)
	}
	response, body, err := r.get(ctx, header, r.query())
	if err != nil {
		return err
	}
	defer body.end()
	if kind, _, err := mime.ParseMediaType(response.Header.Get("Content-Type")); err != nil || kind != "text/event-stream" {
		return r.foreign("a stream of events was expected")
	}
	connected()
	r.forget() // what an earlier connection left
	body.before = r.deliver
	err = r.stream(bufio.NewReaderSize(body, 32<<10))
	if errors.Is(err, io.EOF) {
		err = errors.New("it ended the stream")
	}
	if _, ok := errors.AsType[*ForeignError](err); ok || errors.Is(err, errEnough) {
		return err
	}
	return errors.Join(r.deliver(), r.lost(err))
}

// stream takes server-sent events until the end of the stream. One that breaks off is
// dropped, as the standard says.
func (r *reader) stream(lines *bufio.Reader) error {
	var id string
	var data []byte
	for {
		line, err := readLine(lines)
		if err != nil {
			return err
		}
		name, value, _ := bytes.Cut(line, []byte(":"))
		value = bytes.TrimPrefix(value, []byte(" "))
		switch {
		case len(line) == 0 && data != nil && id == "":
			return r.foreign("an event without an identifier")
		case len(line) == 0 && data != nil:
			if err := r.take(data, id); err != nil {
				return err
			}
			data = nil
		case len(line) == 0 && id != "": // a heartbeat behind unwanted events
			r.reached = id
		case string(name) == "id":
			id = string(value)
		case string(name) == "data":
			data = append(append(data, value...), '\n')
		}
	}
}

var errLongEvent = errors.New("an event is too long")

// readLine returns the next line, without its end.
func readLine(from *bufio.Reader) ([]byte, error) {
	var line []byte
	for {
		part, err := from.ReadSlice('\n')
		if line = append(line, part...); len(line) > largestEvent {
			return nil, errLongEvent
		}
		if err == nil {
			return bytes.TrimRight(line, "\r\n"), nil
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return nil, err
		}
	}
}
