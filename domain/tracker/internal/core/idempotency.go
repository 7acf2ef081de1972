package core

import (
	"context"
	"time"

	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/store"
	"github.com/problemtracking/problems/domain/tracker/internal/writerlocks"
)

// Idempotency makes a request repeatable: the same Key and Fingerprint get the
// first answer again (D21).
type Idempotency[T any] struct {
	Key         string   // 1 to 255 visible ASCII characters
	Fingerprint [32]byte // of method, path, query, media type and body
	// Render turns the answer into the stored reply. It has to be pure, because it may
	// run more than once.
	Render func(Answer[T]) []byte
}

// ReplyLifetime is the lifetime of replies and batches (D21).
const ReplyLifetime = 24 * time.Hour

// LockKeys returns the lock that makes a repeated request wait for the first one (D21).
// Without an Idempotency-Key there is none.
func (i *Idempotency[T]) LockKeys(caller Caller) []writerlocks.Key {
	if i == nil {
		return nil
	}
	return []writerlocks.Key{writerlocks.Reply(caller.User, i.Key)}
}

// Load returns the reply stored for the key, or nil.
func (i *Idempotency[T]) Load(ctx context.Context, r store.Reader, caller Caller, now time.Time) (*store.Reply, error) {
	if i == nil {
		return nil, nil
	}
	reply, ok, err := r.Reply(ctx, caller.User, i.Key)
	if err != nil || !ok || reply.Created.Before(now.Add(-ReplyLifetime)) {
		return nil, err
	}
	return &reply, nil
}

// Replay returns the answer to an equal request, if there is a stored reply.
func (i *Idempotency[T]) Replay(reply *store.Reply) (a Answer[T], ok bool) {
	if reply == nil || reply.Fingerprint != i.Fingerprint || len(reply.Body) == 0 {
		return a, false
	}
	return Answer[T]{Replay: reply.Body}, true
}

// Check refuses a key used for another request, or with an answer that was redacted (D45).
func (i *Idempotency[T]) Check(reply *store.Reply) error {
	switch {
	case reply == nil:
		return nil
	case len(reply.Body) == 0:
		return fault.New(fault.IdempotencyConflict, "the answer to this Idempotency-Key was redacted: the request was done, so do not repeat it")
	}
	return fault.New(fault.IdempotencyConflict, "this Idempotency-Key was used for another request: choose a new one")
}

// Keep adds the reply to the Change. Its lifetime starts now, not always at the time of
// the Change. about is what the answer shows.
func (i *Idempotency[T]) Keep(c *store.Change, now time.Time, about store.About, answer Answer[T]) {
	if i == nil {
		return
	}
	c.Expect = append(c.Expect, store.KeyUnused{User: c.Author, Key: i.Key, Since: now.Add(-ReplyLifetime)})
	c.Effects = append(c.Effects, store.KeepReply{Reply: store.Reply{
		User:        c.Author,
		Key:         i.Key,
		Fingerprint: i.Fingerprint,
		Created:     now,
		About:       about,
		Body:        i.Render(answer),
	}})
}
