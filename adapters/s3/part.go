package s3

import (
	"context"
	"io"
	"time"

	"github.com/problemtracking/problems/domain/blob"
	"github.com/problemtracking/problems/domain/budget"
	"github.com/problemtracking/problems/domain/fault"
)

const (
	// partSize is the size of a part, and the most memory of an upload. S3 takes 10,000 parts of
	// at least 5 MiB.
	partSize = 5 << 20
	// memoryWait is how long an upload waits for memory.
	memoryWait = 10 * time.Second
)

// part is the buffer for a part. It grows with the bytes that arrive, so a small file takes
// little of the budget of its request.
type part struct {
	account *budget.Account
	held    int64 // of the account
	buf     []byte
}

// fill reads until the part is full, or r or ctx has ended. What was in the buffer is lost.
func (p *part) fill(ctx context.Context, r io.Reader) (err error) {
	p.buf = p.buf[:0]
	for len(p.buf) < partSize && err == nil {
		if len(p.buf) == cap(p.buf) {
			if err := p.grow(ctx); err != nil {
				return err
			}
		}
		if ctx.Err() != nil {
			return failure(ctx, ctx.Err(), blob.Key{})
		}
		var n int
		n, err = r.Read(p.buf[len(p.buf):cap(p.buf)])
		p.buf = p.buf[:len(p.buf)+n]
	}
	return err
}

// grow makes the buffer four times as large, within the budget.
func (p *part) grow(ctx context.Context) error {
	larger := max(4*cap(p.buf), partSize/64)
	more := int64(larger - cap(p.buf))
	limited, cancel := context.WithTimeout(ctx, memoryWait)
	defer cancel()
	if err := p.account.Reserve(limited, more); err != nil {
		return fault.Wrap(fault.Unavailable, err, "too much memory is in use by other requests: nothing was stored; try again later")
	}
	more = min(more, p.account.Free())
	p.account.Keep(more)
	p.held += more
	p.buf = append(make([]byte, 0, larger), p.buf...)
	return nil
}

// release returns the memory: the request goes on, perhaps with another file.
func (p *part) release() { p.account.Add(-p.held) }
