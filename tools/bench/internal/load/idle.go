package load

import (
	"context"
	"time"

	"github.com/problemtracking/problems/tools/launch"
)

// Idle is the cost of open streams without events.
type Idle struct {
	Streams int     `json:"streams"`
	Seconds float64 `json:"seconds"`
	// Before and Open are the memory of the server in bytes, without the streams and with
	// them. 0: not known.
	Before int64    `json:"before"`
	Open   int64    `json:"open"`
	CPU    *float64 `json:"serverCPU,omitempty"` // seconds; nil: not known
	// Queries is the number of queries to the database; nil: it was not counted.
	Queries *float64 `json:"queries,omitempty"`
}

// reportedWithin is the time in which PostgreSQL counts the transactions of a connection
// without further ones. Each new stream has two, long before.
const reportedWithin = 11 * time.Second

// IdleWith opens streams on a server and leaves them open for the duration. queries, if not
// nil, returns the number of queries to the database so far. Then they stay open before for
// as long, and at most reportedWithin.
func IdleWith(ctx context.Context, c Contender, s *Scene, streams int, d time.Duration, queries func() (float64, error)) (i Idle, err error) {
	i.Streams = streams
	deadline := time.Now().Add(d + reportedWithin + slack)
	if i.Before, err = memoryOf(c); err != nil {
		return i, err
	}
	open, err := Open(ctx, c, s.tokens, streams, deadline)
	if err != nil {
		return i, err
	}
	defer open.Close()
	var asked float64
	if queries != nil {
		if err := pause(ctx, min(d, reportedWithin)); err != nil {
			return i, err
		}
		if asked, err = queries(); err != nil {
			return i, err
		}
	}
	before, known := cpuOf(c.PIDs)
	began := time.Now()
	if err := pause(ctx, d); err != nil {
		return i, err
	}
	i.Seconds = time.Since(began).Seconds()
	if after, ok := cpuOf(c.PIDs); ok && known {
		seconds := (after - before).Seconds()
		i.CPU = &seconds
	}
	if queries != nil {
		n, err := queries()
		if err != nil {
			return i, err
		}
		n -= asked
		i.Queries = &n
	}
	i.Open, err = memoryOf(c)
	return i, err
}

// pause returns after the duration, or when ctx ends.
func pause(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// memoryOf returns the memory of a server, or 0 where it cannot be seen.
func memoryOf(c Contender) (int64, error) {
	m, err := launch.MemoryOf(c.PIDs)
	if err == launch.ErrNoProc {
		return 0, nil
	}
	return m.Now, err
}
