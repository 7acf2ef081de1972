package httpframe

import (
	"context"
	"errors"
	"io"
	"net/http"
	"os"
	"time"

	"github.com/problemtracking/problems/domain/fault"
)

// perBodyByte is how many bytes of memory one byte of a body takes until its content is
// stored: the body, its texts, and the statements to the store.
const perBodyByte = 4

// ReadBody reads the body of a request, of limit bytes at most. It takes memory of the
// budget for large bodies, as they arrive. It fails with fault.TooLarge,
// fault.MalformedRequest when the body ends too early, or fault.Unavailable when time or
// memory run out.
func (f *Frame) ReadBody(w http.ResponseWriter, r *http.Request, limit int64) ([]byte, error) {
	tooLarge := fault.New(fault.TooLarge, "the body is longer than %d bytes", limit)
	if r.ContentLength > limit {
		return nil, tooLarge
	}
	// A slow body must not outlast the time of the request.
	ctx := r.Context()
	stop := context.AfterFunc(ctx, func() { endReading(w) })
	defer stop()
	body, err := f.readAll(ctx, http.MaxBytesReader(w, r.Body, limit), r.ContentLength)
	switch {
	case err == nil:
		f.arrived = true
		return body, nil
	case errors.As(err, new(*http.MaxBytesError)):
		return nil, tooLarge
	case fault.Is(err, fault.Unavailable):
		return nil, err
	case ctx.Err() != nil, errors.Is(err, os.ErrDeadlineExceeded): // whichever timeout of the server came first
		return nil, fault.Wrap(fault.Unavailable, err, "the body took too long to arrive; nothing was done")
	default:
		return nil, fault.Wrap(fault.MalformedRequest, err, "the body ended before it was complete")
	}
}

const (
	// dropBytes and dropTime bound what is read of a refused body.
	dropBytes = 128 << 20
	dropTime  = 10 * time.Second
)

// begun is a body that knows whether somebody has read of it.
type begun struct {
	io.ReadCloser

	read bool
}

func (b *begun) Read(p []byte) (int, error) {
	b.read = true
	return b.ReadCloser.Read(p)
}

// drop sends the answer, and reads on for a while. Otherwise the server would close the connection
// under a client that is still sending, and the client might lose the answer with it.
func (f *Frame) drop(w http.ResponseWriter, body io.Reader) {
	control := http.NewResponseController(w)
	if control.Flush() == nil && control.SetReadDeadline(f.options.Now().Add(dropTime)) == nil {
		_, _ = io.CopyN(io.Discard, body, dropBytes) // the answer was given
	}
}

// endReading ends the reading of a body. Not all writers can: then the server's own timeouts
// have to do.
func endReading(w http.ResponseWriter) {
	_ = http.NewResponseController(w).SetReadDeadline(time.Unix(1, 0))
}

// readAll reads a body to its end. It takes memory for the bytes as they arrive, not for
// the announced length.
func (f *Frame) readAll(ctx context.Context, body io.Reader, announced int64) ([]byte, error) {
	buf := make([]byte, 0, 512)
	if announced >= 0 && announced < FreeOfCharge {
		buf = make([]byte, 0, announced+1)
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
		if larger > FreeOfCharge {
			larger = 2 * cap(buf)
			if err := f.Reserve(ctx, int64(larger-cap(buf))*perBodyByte); err != nil {
				return buf, err
			}
		}
		buf = append(make([]byte, 0, larger), buf...)
	}
}
