package httpapi

import (
	"iter"
	"net/http"
	"slices"
)

// array returns the body of an answer that is an array of what comes in batches. When
// there is more than the first batch, the rest follows while it is sent: see stream.
func array[B any](c *call, first B, rest iter.Seq2[B, error], encode func(*encoder, B)) []byte {
	// The bracket, where it does not begin the array, makes room for a comma.
	write := func(buf []byte, batch B) []byte {
		e := encoder{buf: append(buf, '[')}
		encode(&e, batch)
		return e.buf
	}
	body := write(c.lend(), first)
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
func (s *server) stream(w http.ResponseWriter, r *http.Request, a answer, rest iter.Seq2[[]byte, error]) {
	a.setHeader(w.Header(), &frameOf(r).room)
	w.Header()["Content-Type"] = ofJSON
	w.WriteHeader(a.status)
	if r.Method == http.MethodHead {
		return
	}
	flusher := http.NewResponseController(w)
	write := func(part []byte) {
		if _, err := w.Write(part); err != nil {
			panic(http.ErrAbortHandler) // nobody is there to take it
		}
		_ = flusher.Flush() // not all writers can: it is then sent when there is enough of it
	}
	write(a.body)
	frameOf(r).call.giveBack(a.body)
	for part, err := range rest {
		if err != nil {
			if connectionOf(r).Err() == nil {
				s.report(r, err)
			}
			panic(http.ErrAbortHandler)
		}
		write(part)
	}
}
