// Package fault holds the closed set of failures of the service. Every error across a
// port is a fault or wraps one.
package fault

import (
	"context"
	"errors"
	"fmt"
	"slices"
)

// Kind is the kind of a failure. Its text is for logs and metrics. Each adapter
// translates a kind for its clients.
type Kind string

// Kinds of a request with a fault of its own.
const (
	MalformedJSON        Kind = "malformed-json"         // not one JSON value by RFC 8259 and D18
	MalformedRequest     Kind = "malformed-request"      // a query parameter or header without a meaning
	Unauthenticated      Kind = "unauthenticated"        // no valid token, for any reason
	Forbidden            Kind = "forbidden"              // the token's scope is too small
	NotFound             Kind = "not-found"              // nothing at this path
	MethodNotAllowed     Kind = "method-not-allowed"     // the path has other methods
	TooLarge             Kind = "too-large"              // the body, or what the request would store, exceeds the limit
	UnsupportedMediaType Kind = "unsupported-media-type" // the body is of a type not supported here
	RangeNotSatisfiable  Kind = "range-not-satisfiable"  // the range of a file is behind its end
	RateLimited          Kind = "rate-limited"           // the token, or the client without one, has used up its rate
)

// Kinds of a body with wrong members. Several can apply to one body: see [List].
const (
	RequiredField     Kind = "required-field"     // a member is missing
	InvalidValue      Kind = "invalid-value"      // of the right type, but not allowed
	InvalidType       Kind = "invalid-type"       // of another JSON type than the member's
	UnknownField      Kind = "unknown-field"      // no such member
	ReadOnlyField     Kind = "read-only-field"    // a member written by the service, with another value than the current
	MetadataNotFound  Kind = "metadata-not-found" // a partial object without a match
	MetadataAmbiguous Kind = "metadata-ambiguous" // a partial object with several matches
	ValidationFailed  Kind = "validation-failed"  // faults of several of these kinds
)

// Kinds of a request in conflict with stored data.
const (
	ProblemNotFound      Kind = "problem-not-found"
	KeywordNotFound      Kind = "keyword-not-found"
	CommentNotFound      Kind = "comment-not-found"
	AttachmentNotFound   Kind = "attachment-not-found"
	RelationshipNotFound Kind = "relationship-not-found"
	StaleRevision        Kind = "stale-revision"         // the problem has another revision than expected by the request
	Claimed              Kind = "claimed"                // somebody works on the problem (D49)
	ClaimLost            Kind = "claim-lost"             // the request names another claim than the current one (D49)
	TransitionNotAllowed Kind = "transition-not-allowed" // D19
	RelationshipCycle    Kind = "relationship-cycle"     // D7
	RelationshipConflict Kind = "relationship-conflict"  // D7: a type cannot be changed in place
	IdempotencyConflict  Kind = "idempotency-conflict"   // D21: the key was used for another request
	AlreadyExists        Kind = "already-exists"         // a unique name or e-mail address is taken
	InUse                Kind = "in-use"                 // cannot change while something depends on it
	MetadataCycle        Kind = "metadata-cycle"         // a component below itself, or its own successor
)

// Kinds of a search or a change of many problems.
const (
	InvalidPredicate  Kind = "invalid-predicate"   // wraps the *predicate.Error with the position
	TooManyResults    Kind = "too-many-results"    // more than one answer may hold
	QueryTooExpensive Kind = "query-too-expensive" // more candidates, or more time, than a query may take
	PreviewRequired   Kind = "preview-required"    // a change of many problems needs the preview of its dry run
)

// CursorGone is the kind of a cursor of the feed from another history, or before the oldest
// entry (D39). It wraps the error with the cursors of both ends.
const CursorGone Kind = "cursor-gone"

// Kinds of a service in trouble.
const (
	Unavailable    Kind = "unavailable"     // for now: the store is away, or the request ran out of time; nothing was done
	UnknownOutcome Kind = "outcome-unknown" // the store went away during a write; nobody knows if it is stored
	StorageFull    Kind = "storage-full"    // there is no room for a file; nothing was stored
	Internal       Kind = "internal"        // a defect of the service
)

// Kinds between the store port and the service. None of them reaches a client.
const (
	Conflict    Kind = "conflict"    // an expectation of the Change no longer holds: load and decide again
	Unsupported Kind = "unsupported" // the store does not know an effect or expectation
	Abandoned   Kind = "abandoned"   // Outcome has ruled out this batch for ever
	Closed      Kind = "closed"      // the store was closed
)

// Error is a failure with its kind.
type Error struct {
	Kind Kind
	// Detail is a sentence for the reader of the answer: the fault and the right way. It
	// never repeats the client's input, beyond names of members (D18).
	Detail string
	// Items are the faults of a request body: first those of its form, then those of its
	// content. Empty for all other errors.
	Items []Item
	// Revision is the current revision of the request's problem. It is 0 for a request
	// without a problem, or without a look at it.
	Revision int64
	// Err is the cause, for the log. Clients never see it.
	Err error
}

// Item is one fault of a request body.
type Item struct {
	Kind   Kind
	Detail string
	// At is the location in the request body.
	At Location
}

// New returns an error of the given kind. The arguments are those of
// fmt.Sprintf.
func New(kind Kind, format string, args ...any) *Error {
	return &Error{Kind: kind, Detail: fmt.Sprintf(format, args...)}
}

// Wrap returns an error of the given kind with a cause. Only the log shows the cause.
func Wrap(kind Kind, cause error, format string, args ...any) *Error {
	return &Error{Kind: kind, Detail: fmt.Sprintf(format, args...), Err: cause}
}

// Error returns the kind, the detail and the cause: a text for the log.
func (e *Error) Error() string {
	text := string(e.Kind) + ": " + e.Detail
	for _, item := range e.Items {
		text += fmt.Sprintf("; %s at %q: %s", item.Kind, item.At, item.Detail)
	}
	if e.Err != nil {
		text += ": " + e.Err.Error()
	}
	return text
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// KindOf returns the kind of err: the kind of the first *Error wrapped in it; Unavailable
// for a cancelled or overdue context; Internal for everything else.
func KindOf(err error) Kind {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Kind
	}
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return Unavailable
	}
	return Internal
}

// Is reports whether err is a fault of the given kind.
func Is(err error, kind Kind) bool { return err != nil && KindOf(err) == kind }

// List collects the faults of one request body, to report them together (D11). Of very
// many faults it holds the first of each kind.
type List []Item

// maxOfKind is the greatest number of faults of one kind in a List. More help nobody,
// and a small body must not make a huge answer.
const maxOfKind = 100

// Add appends a fault, unless the list has many of its kind already. The arguments after
// the location are those of fmt.Sprintf.
func (l *List) Add(kind Kind, at Location, format string, args ...any) {
	same := 0
	for _, item := range *l {
		if item.Kind == kind {
			same++
		}
	}
	switch {
	case same < maxOfKind-1:
		*l = append(*l, Item{Kind: kind, At: at, Detail: fmt.Sprintf(format, args...)})
	case same == maxOfKind-1:
		*l = append(*l, Item{Kind: kind, At: at, Detail: fmt.Sprintf(format, args...) + " (if more is wrong in this way, it is not listed)"})
	}
}

// Append adds the faults of another list.
func (l *List) Append(other List) {
	for _, item := range other {
		l.Add(item.Kind, item.At, "%s", item.Detail)
	}
}

// Covers reports whether the list has a fault of the member at the location, or of the
// body as a whole. Further faults of this member are then of no use.
func (l List) Covers(at Location) bool {
	return slices.ContainsFunc(l, func(i Item) bool { return i.At.Whole() || i.At.Equal(at) })
}

// Below takes the faults below a member out of the list, and returns them as those of a body of
// its own.
func (l *List) Below(member string) (below List) {
	rest := (*l)[:0:0]
	for _, item := range *l {
		steps := item.At.Steps()
		if len(steps) == 0 || steps[0].Element || steps[0].Name != member {
			rest = append(rest, item)
			continue
		}
		item.At = Location{}.join(steps[1:])
		below = append(below, item)
	}
	*l = rest
	return below
}

// Within returns the faults as those below a member.
func (l List) Within(member string) (within List) {
	for _, item := range l {
		item.At = At(member).join(item.At.Steps())
		within = append(within, item)
	}
	return within
}

// Err returns nil for an empty list. Otherwise the kind of the error is that of the
// items if they agree, else ValidationFailed (D18).
func (l List) Err() error {
	if len(l) == 0 {
		return nil
	}
	e := &Error{Kind: l[0].Kind, Detail: l[0].Detail, Items: slices.Clone(l)}
	if len(l) == 1 {
		return e
	}
	e.Detail = "several things are wrong with the request: see errors"
	for _, item := range l[1:] {
		if item.Kind != e.Kind {
			e.Kind = ValidationFailed
		}
	}
	return e
}
