package httpapi

import (
	"context"
	"io"
	"net/http"
	"runtime"
	"time"

	"github.com/problemtracking/problems/domain/fault"
)

const (
	// perRequest is what a request takes of the budget in any case, in bytes: about what
	// its connection, its goroutine and its headers do.
	perRequest = 16 << 10
	// freeOfCharge is up to which size bodies take no more.
	freeOfCharge = 16 << 10
	// perBodyByte is how many bytes of memory one of a request's body takes, until what
	// came of it is stored: the body, its texts, and what is sent to the store.
	perBodyByte = 4
	// perStream is what an answer takes that is sent in parts: the one that is sent, and
	// the problems that the next one is made of.
	perStream = 1 << 20
	// bodyWait is how long a body waits for memory, and an answer in parts.
	bodyWait = 10 * time.Second
)

// admit refuses the request when those of the same user hold too much memory already: it
// would only wait. That can be when answers are large and nobody reads them.
func (c *call) admit() error {
	memory := frameOf(c.r).memory
	memory.For(c.caller.User)
	if memory.Crowded() {
		return fault.New(fault.Unavailable, "requests under way hold too much memory, with answers that are not read: nothing was done; read them, or try again later")
	}
	memory.Add(perRequest)
	return nil
}

// largeBody is from which size on bodies are heavy: reading one keeps a processor busy for
// milliseconds, and makes many times its size of objects.
const largeBody = 64 << 10

// heavy bounds how many heavy requests of one kind are served at a time, so that a
// processor is soon free for all others.
type heavy chan struct{}

func newHeavy() heavy { return make(heavy, max(2, runtime.GOMAXPROCS(0)/2)) }

// enter waits for a place, which leave gives back. It fails with fault.Unavailable when
// there is none in time, or the client has gone.
func (h heavy) enter(r *http.Request) (leave func(), err error) {
	ctx, cancel := context.WithTimeout(r.Context(), bodyWait)
	defer cancel()
	select {
	case h <- struct{}{}:
		return func() { <-h }, nil
	case <-connectionOf(r).Done():
		err = connectionOf(r).Err()
	case <-ctx.Done():
		err = ctx.Err()
	}
	return nil, fault.Wrap(fault.Unavailable, err, "too many large requests are under way: nothing was done; try again later")
}

// reserve waits until so much memory is free for the request. It fails with
// fault.Unavailable when there is none in time.
func (c *call) reserve(bytes int64) error {
	ctx, cancel := context.WithTimeout(c.r.Context(), bodyWait)
	defer cancel()
	memory := frameOf(c.r).memory
	if err := memory.Reserve(ctx, bytes); err != nil {
		return fault.Wrap(fault.Unavailable, err, "too much memory is in use by other requests: nothing was done; try again later")
	}
	memory.Use(bytes)
	return nil
}

// readAll reads a body to its end. It takes memory for what has arrived, whatever the
// client says is to come.
func (c *call) readAll(body io.Reader) ([]byte, error) {
	buf := make([]byte, 0, 512)
	if n := c.r.ContentLength; n >= 0 && n < freeOfCharge {
		buf = make([]byte, 0, n+1)
	}
	for {
		n, err := body.Read(buf[len(buf):cap(buf)])
		buf = buf[:len(buf)+n]
		switch {
		case err == io.EOF:
			return buf, nil
		case err != nil:
			return buf, err
		case len(buf) < cap(buf):
			continue
		}
		larger := 4 * cap(buf)
		if larger > freeOfCharge {
			larger = 2 * cap(buf)
			if err := c.reserve(int64(larger-cap(buf)) * perBodyByte); err != nil {
				return buf, err
			}
		}
		buf = append(make([]byte, 0, larger), buf...)
	}
}
