package httpapi

import (
	"context"
	"iter"
	"net/http"
	"runtime"

	"github.com/problemtracking/problems/adapters/httpapi/internal/wire"
	"github.com/problemtracking/problems/domain/metadata"
)

// sending returns the context for loads while an answer is sent. It has no time limit: a
// client may read slowly.
func (c *call) sending() context.Context { return context.WithoutCancel(c.r.Context()) }

// compose returns the body of the answer. It fails only in parts.
func compose[T any](c *call, e wire.Encoder, parts bool, write func(*wire.Encoder) error) wire.JSON[T] {
	e.TokenNames = c.tokenName
	if parts {
		c.inParts = true
		return wire.JSON[T]{Table: e.Table != nil, Parts: inParts(e, write)}
	}
	e.Buf = c.getBuf()
	_ = write(&e)
	return wire.JSON[T]{Table: e.Table != nil, Text: e.Buf}
}

// longList is from how many elements on a list is sent in parts.
const longList = 200

// listOf returns a list as a body.
func listOf[W, V any](c *call, catalogue *metadata.Catalogue, all []V, encode func(*wire.Encoder, V)) wire.JSON[[]W] {
	return compose[[]W](c, wire.Encoder{Catalogue: catalogue}, len(all) > longList, func(e *wire.Encoder) error {
		wire.List(e, all, func(one V) { encode(e, one) })
		return nil
	})
}

// inParts returns the parts of a body, which is written while it is sent.
func inParts(e wire.Encoder, write func(*wire.Encoder) error) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		e := e
		e.Send = func(part []byte) bool { return yield(part, nil) }
		if err := write(&e); e.Stopped {
			return
		} else if err != nil {
			yield(nil, err)
			return
		}
		e.Buf = append(e.Buf, '\n')
		e.Flush()
	}
}

// reserveParts takes the memory for an answer in parts. It does not wait for memory after a
// write: fault.Unavailable means that nothing was done (D18).
func (c *call) reserveParts() error {
	switch {
	case !c.inParts, c.r.Method == http.MethodHead:
		return nil
	case c.writes:
		c.frame.Charge(perStream)
		return nil
	}
	return c.frame.Reserve(c.r.Context(), perStream)
}

// stream sends an answer in parts, each as it is made. After a failure it aborts the
// connection, because a client must not take a part for the whole (D31).
func (c *call) stream(parts iter.Seq2[[]byte, error]) {
	c.w.WriteHeader(c.status)
	if c.r.Method == http.MethodHead {
		return
	}
	flusher := http.NewResponseController(c.w)
	write := func(part []byte) {
		if _, err := c.w.Write(part); err != nil {
			panic(http.ErrAbortHandler) // nobody is there to take it
		}
		_ = flusher.Flush() // not all writers can: it is then sent when there is enough of it
	}
	c.beginEncoding()
	defer func() {
		if c.encodes {
			c.endEncoding()
		}
	}()
	for part, err := range parts {
		if err != nil {
			if c.frame.Connection().Err() == nil {
				c.frame.Report(c.r.Context(), err)
			}
			panic(http.ErrAbortHandler)
		}
		c.endEncoding()
		write(part)
		c.beginEncoding()
	}
}

// beginEncoding takes a place for the encoding of a part. It aborts the connection of a
// client that has gone, but not after a write: net/http says the same of a client that has
// only closed its own side, and waits for the answer.
func (c *call) beginEncoding() {
	gone := c.frame.Connection().Done()
	if c.writes {
		gone = nil
	}
	if !c.server.encoding.take(gone) {
		panic(http.ErrAbortHandler)
	}
	c.encodes = true
}

func (c *call) endEncoding() {
	c.encodes = false
	c.server.encoding.leave()
}

// pause leaves the place for encoding, if the call has one, because a load may wait. The
// caller calls resume after the load.
func (c *call) pause() (resume func()) {
	if !c.encodes {
		return func() {}
	}
	c.endEncoding()
	return c.beginEncoding
}

// loads returns the elements of all. It pauses the encoding while the next one is loaded.
func loads[T any](c *call, all iter.Seq2[T, error]) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		resume := c.pause()
		all(func(one T, err error) bool {
			resume()
			more := yield(one, err)
			resume = c.pause()
			return more
		})
		resume()
	}
}

// perStream is the memory, in bytes, of an answer in parts: the current
// part, and the problems of the next one.
const perStream = 1 << 20

// encoding is a semaphore. It bounds how many parts of answers are encoded at a time,
// because each keeps a processor busy for a moment, and short answers have to be soon.
// Loads, which can wait for memory, and the sending of a part are outside of it.
type encoding chan struct{}

func newEncoding() encoding { return make(encoding, max(1, runtime.GOMAXPROCS(0)/2)) }

// take waits for a place. It returns false when gone is closed before one is free.
func (e encoding) take(gone <-chan struct{}) bool {
	select {
	case e <- struct{}{}:
		return true
	default:
	}
	select {
	case e <- struct{}{}:
		return true
	case <-gone:
		return false
	}
}

func (e encoding) leave() { <-e }
