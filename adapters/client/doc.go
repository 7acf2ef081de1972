// Package client calls the API of a running server. It needs the standard library alone.
//
// A [Client] has a method for each everyday operation, [Client.Do] and [All] for all
// others, and [Client.Events] and [Client.Follow] for the feed.
//
// # Repeats
//
// A client repeats a request when the server is away or overloaded. It never writes twice:
//
//   - A request that was never sent, or that the server says it has not done, is sent again.
//   - After a broken connection or "outcome-unknown", nobody knows whether a write is
//     stored. A creation, or the taking of a claim, is repeated with its Idempotency-Key,
//     and gets the first answer. Any other write is repeated only with [IfRevision] or [IfMatch].
//   - The error is [ErrUnknown] when that repeat meets another revision, and when there is
//     no safe repeat. Then look before you write again.
//
// # Errors
//
// A refusal of the server is an [*Error] with its [Code]: errors.Is(err, client.StaleRevision).
// A [*ConnectionError] and a [*ForeignError] tell of servers that do not answer, or are
// something else.
package client
