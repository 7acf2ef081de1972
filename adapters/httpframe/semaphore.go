package httpframe

import (
	"context"
	"net/http"
	"runtime"

	"github.com/problemtracking/problems/domain/fault"
)

// LargeBody is the length, in bytes, of the first large body. Reading one keeps a
// processor busy for milliseconds, so its request passes a Semaphore.
const LargeBody = 64 << 10

// Semaphore bounds the number of large requests of one kind in progress, so others soon
// get a processor.
type Semaphore chan struct{}

// NewSemaphore returns a Semaphore for half of the processors, and for two at least.
func NewSemaphore() Semaphore { return make(Semaphore, max(2, runtime.GOMAXPROCS(0)/2)) }

// Acquire waits until the request may go on. The caller has to call release in the end.
// It fails with fault.Unavailable after 10 seconds, or when the client has gone.
func (s Semaphore) Acquire(r *http.Request) (release func(), err error) {
	ctx, cancel := context.WithTimeout(r.Context(), memoryWait)
	defer cancel()
	connection := Of(r).connection
	select {
	case s <- struct{}{}:
		return func() { <-s }, nil
	case <-connection.Done():
		err = connection.Err()
	case <-ctx.Done():
		err = ctx.Err()
	}
	return nil, fault.Wrap(fault.Unavailable, err, "too many large requests are under way: nothing was done; try again later")
}
