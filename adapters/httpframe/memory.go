package httpframe

import (
	"context"
	"time"

	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
)

const (
	// perRequest is the part of the budget, in bytes, for every request: about the size of
	// its connection, its goroutine and its headers.
	perRequest = 16 << 10
	// FreeOfCharge is the greatest length, in bytes, of a body or an answer without
	// memory of its own in the budget.
	FreeOfCharge = 16 << 10
	// memoryWait is how long a request waits for memory, or for a semaphore.
	memoryWait = 10 * time.Second
)

// Admit counts the request for a user. It fails with fault.Unavailable when the requests
// of the same user hold too much memory already: this one would only wait. Large answers
// without a reader do so.
func (f *Frame) Admit(user ident.ID) error {
	f.memory.For(user)
	if f.memory.Crowded() {
		return fault.New(fault.Unavailable, "running requests with unread answers hold too much memory: nothing was done; read these answers, or try again later")
	}
	f.memory.Add(perRequest)
	return nil
}

// Reserve waits until so many bytes of memory are free for the request. They are given
// back at its end, and no load of a problem uses them. It fails with fault.Unavailable
// when there are none within 10 seconds, or when ctx ends.
func (f *Frame) Reserve(ctx context.Context, bytes int64) error {
	ctx, cancel := context.WithTimeout(ctx, memoryWait)
	defer cancel()
	if err := f.memory.Reserve(ctx, bytes); err != nil {
		return fault.Wrap(fault.Unavailable, err, "too much memory is in use by other requests: nothing was done; try again later")
	}
	f.memory.Keep(bytes)
	return nil
}

// Charge counts bytes in the hands of the request already.
func (f *Frame) Charge(bytes int64) { f.memory.Add(bytes) }
