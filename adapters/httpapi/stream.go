package httpapi

import (
	"context"
	"iter"
	"net/http"
	"runtime"
	"slices"

	"github.com/problemtracking/problems/adapters/httpapi/internal/wire"
	"github.com/problemtracking/problems/domain/metadata"
)

// array returns the body of an answer that is an array of what comes in batches. When
// there is more than the first batch, the rest follows while it is sent: see stream.
func array[B any](c *call, first B, rest iter.Seq2[B, error], encode func(*wire.Encoder, B)) []byte {
	// The bracket, where it does not begin the array, makes room for a comma.
	write := func(buf []byte, batch B) []byte {
		e := wire.Encoder{Buf: append(buf, '[')}
		encode(&e, batch)
		return e.Buf
	}
	body := write(c.getBuf(), first)
	if rest == nil {
		return append(body, ']')
	}
	c.rest = func(yield func([]byte, error) bool) {
		var buf []byte
		for batch, err := range rest {
			if err != nil {
				yield(nil, err)
				return
			}
			if buf = write(buf[:0], batch); len(buf) == 1 {
				continue // an empty one
			}
			buf[0] = ','
			if !yield(buf, nil) {
				return
			}
		}
		yield([]byte("]\n"), nil)
	}
	return body
}

// sending returns the context of what is loaded while an answer is sent, which has no
// time limit of its own: a client may take the time that it needs to read.
func (c *call) sending() context.Context { return context.WithoutCancel(c.r.Context()) }

// compose returns the body of the answer, or nil when that is written in parts. It fails
// only in parts.
func (c *call) compose(e wire.Encoder, parts bool, write func(*wire.Encoder) error) []byte {
	if parts {
		c.inParts(e, write)
		return nil
	}
	e.Buf = c.getBuf()
	_ = write(&e)
	return e.Buf
}

// longList is from how many elements on a list is sent in parts.
const longList = 200

// listInParts returns the body of a list, or nil when that is long.
func listInParts[T any](c *call, catalogue *metadata.Catalogue, all []T, encode func(*wire.Encoder, T)) []byte {
	return c.compose(wire.Encoder{Catalogue: catalogue}, len(all) > longList, func(e *wire.Encoder) error {
		wire.List(e, all, func(one T) { encode(e, one) })
		return nil
	})
}

// inParts has the body of the answer written in parts, while it is sent.
func (c *call) inParts(e wire.Encoder, write func(*wire.Encoder) error) {
	c.rest = func(yield func([]byte, error) bool) {
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

// objectBatch is how many metadata objects or users are written at once.
const objectBatch = 1000

// batches divides what is found into the first batch and the rest, which is nil when
// there is no more.
func batches[T any](all []T) (first []T, rest iter.Seq2[[]T, error]) {
	if len(all) <= objectBatch {
		return all, nil
	}
	return all[:objectBatch], func(yield func([]T, error) bool) {
		for batch := range slices.Chunk(all[objectBatch:], objectBatch) {
			if !yield(batch, nil) {
				return
			}
		}
	}
}

// stream sends an answer whose body is not known as a whole: first the body of the
// answer, then the rest as it comes. When that fails, the connection is aborted: what
// was sent so far must not pass for all (D31).
func (c *call) stream(w http.ResponseWriter, a answer) {
	if c.r.Method != http.MethodHead {
		if err := c.frame.Reserve(c.r.Context(), perStream); err != nil {
			c.fail(w, c.r, err)
			return
		}
	}
	a.setHeader(w.Header())
	w.Header().Set("Content-Type", mediaJSON)
	w.WriteHeader(a.status)
	if c.r.Method == http.MethodHead {
		return
	}
	flusher := http.NewResponseController(w)
	write := func(part []byte) {
		if _, err := w.Write(part); err != nil {
			panic(http.ErrAbortHandler) // nobody is there to take it
		}
		_ = flusher.Flush() // not all writers can: it is then sent when there is enough of it
	}
	if len(a.body) > 0 {
		write(a.body)
	}
	c.putBuf(a.body)
	c.making <- struct{}{}
	makes := true
	defer func() {
		if makes {
			<-c.making
		}
	}()
	for part, err := range c.rest {
		if err != nil {
			if c.frame.Connection().Err() == nil {
				c.frame.Report(c.r.Context(), err)
			}
			panic(http.ErrAbortHandler)
		}
		<-c.making
		makes = false
		write(part)
		c.making <- struct{}{}
		makes = true
	}
}

// perStream is the memory, in bytes, of an answer in parts: the part that is sent, and the
// problems of the next one.
const perStream = 1 << 20

// making bounds how many parts of answers are made at a time, which takes a processor for
// a moment: short answers are not to wait for many long ones. Who sends a part makes none.
type making chan struct{}

func newMaking() making { return make(making, max(1, runtime.GOMAXPROCS(0)/2)) }
