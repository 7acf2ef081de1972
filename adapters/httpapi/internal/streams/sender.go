// Package streams sends events to clients as they happen: as a stream, or as the answer to a
// poll with a wait.
package streams

import (
	"context"
	"net/http"
	"time"

	"github.com/problemtracking/problems/adapters/httpapi/internal/sse"
	"github.com/problemtracking/problems/adapters/httpframe"
	"github.com/problemtracking/problems/domain/budget"
	"github.com/problemtracking/problems/domain/tracker/usecases"
)

// Options are what all streams of a handler have in common.
type Options struct {
	Service *usecases.All
	Streams *Streams
	// Memory is the budget for events on their way. nil: no limit.
	Memory *budget.Budget
	// RequestTime is the longest time for one read of events.
	RequestTime time.Duration
	// Slowest limits one write. A slower reader is cut, and goes on where it was.
	Slowest time.Duration
	Now     func() time.Time
	// Stopping, if not nil, ends when the server begins to stop. Streams end with it.
	Stopping context.Context
}

// Sender sends the events of a service to clients.
type Sender struct {
	Options
	pages *sse.Cache
}

// NewSender returns a Sender.
func NewSender(o Options) *Sender { return &Sender{Options: o, pages: sse.NewCache(o.Memory)} }

// whileConnected returns a context without the time limit of a request. It ends when the
// client closes its side of the connection.
func whileConnected(r *http.Request) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(context.WithoutCancel(r.Context()))
	stop := context.AfterFunc(httpframe.Of(r).Connection(), cancel)
	return ctx, func() { stop(); cancel() }
}

// untilStopping returns a context that also ends with the place of the request, and when the server
// begins to stop.
func (s *Sender) untilStopping(ctx, place context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	stop := context.AfterFunc(place, cancel)
	if s.Stopping == nil {
		return ctx, func() { stop(); cancel() }
	}
	stopToo := context.AfterFunc(s.Stopping, cancel)
	return ctx, func() { stop(); stopToo(); cancel() }
}
