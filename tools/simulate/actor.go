package simulate

import (
	"context"
	"math/rand/v2"
	"time"
)

// A period has one instant for each turn of each slot. All timeouts of the service are
// whole periods, so they end at an instant of the actor that set them.
const (
	period       = 100 * time.Microsecond
	turns        = 64
	clientSlot   = 1 // the first slot of clients; 0 is the director's
	requestSlot  = 10
	clientsMost  = 4
	requestsMost = 300 // of one client, at a time
	messageSlot  = requestSlot + clientsMost*requestsMost
	messagesMost = 300
)

// actor is a client, a request on its way through a server, a Change on its way to the
// store, or the director. At the end of its sleep no other actor wakes up, so all steps
// are ordered by time.
type actor struct {
	slot int
	turn int
	rng  *rand.Rand

	// Of a request: its operation's settings for the Commit, and the length of the log
	// shown by its reads.
	op        Op
	mishap    Mishap
	unsettled bool
	shown     moment
}

// moment is a length of the store's log, in one era.
type moment struct {
	era, position int
}

func newActor(slot int, seed, key uint64) *actor {
	return &actor{slot: slot, rng: rand.New(rand.NewPCG(seed, key))}
}

// sleep sleeps for a little longer than d.
func (a *actor) sleep(d time.Duration) {
	a.turn++
	now := time.Now().UnixNano()
	wake := (now+int64(d))/int64(period)*int64(period) + int64(period) + int64(a.slot*turns+a.turn%turns)
	time.Sleep(time.Duration(wake - now))
}

// between returns a random duration.
func (a *actor) between(least, most time.Duration) time.Duration {
	return least + time.Duration(a.rng.Int64N(int64(most-least)))
}

// travel sleeps for as long as a message takes.
func (a *actor) travel() {
	if a.rng.IntN(20) == 0 {
		a.sleep(a.between(0, 60*time.Millisecond))
		return
	}
	a.sleep(a.between(0, 3*time.Millisecond))
}

type actorKey struct{}

func withActor(ctx context.Context, a *actor) context.Context {
	return context.WithValue(ctx, actorKey{}, a)
}

// actorOf returns the actor of a request's context.
func actorOf(ctx context.Context) *actor { return ctx.Value(actorKey{}).(*actor) }
