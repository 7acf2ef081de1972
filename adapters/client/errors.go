package client

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Code is the kind of a refusal: the last part of its type (D18). It is an error itself, as
// the target of errors.Is.
type Code string

func (c Code) Error() string { return string(c) }

// The codes. A server of a later version can have further ones.
const (
	MalformedJSON        Code = "malformed-json"
	MalformedRequest     Code = "malformed-request"
	InvalidPredicate     Code = "invalid-predicate"
	Unauthenticated      Code = "unauthenticated"
	Forbidden            Code = "forbidden"
	NotFound             Code = "not-found"
	ProblemNotFound      Code = "problem-not-found"
	KeywordNotFound      Code = "keyword-not-found"
	CommentNotFound      Code = "comment-not-found"
	AttachmentNotFound   Code = "attachment-not-found"
	RelationshipNotFound Code = "relationship-not-found"
	MethodNotAllowed     Code = "method-not-allowed"
	Claimed              Code = "claimed"
	ClaimLost            Code = "claim-lost"
	TransitionNotAllowed Code = "transition-not-allowed"
	RelationshipCycle    Code = "relationship-cycle"
	RelationshipConflict Code = "relationship-conflict"
	IdempotencyConflict  Code = "idempotency-conflict"
	AlreadyExists        Code = "already-exists"
	InUse                Code = "in-use"
	MetadataCycle        Code = "metadata-cycle"
	CursorGone           Code = "cursor-gone"
	StaleRevision        Code = "stale-revision"
	TooLarge             Code = "too-large"
	UnsupportedMediaType Code = "unsupported-media-type"
	RangeNotSatisfiable  Code = "range-not-satisfiable"
	RequiredField        Code = "required-field"
	InvalidValue         Code = "invalid-value"
	InvalidType          Code = "invalid-type"
	UnknownField         Code = "unknown-field"
	ReadOnlyField        Code = "read-only-field"
	MetadataNotFound     Code = "metadata-not-found"
	MetadataAmbiguous    Code = "metadata-ambiguous"
	ValidationFailed     Code = "validation-failed"
	TooManyResults       Code = "too-many-results"
	QueryTooExpensive    Code = "query-too-expensive"
	PreviewRequired      Code = "preview-required"
	RateLimited          Code = "rate-limited"
	Internal             Code = "internal"
	Unavailable          Code = "unavailable"
	OutcomeUnknown       Code = "outcome-unknown"
	StorageFull          Code = "storage-full"
)

// Error is a refusal of the server (D18).
type Error struct {
	// Status is that of the answer: no 2xx.
	Status int
	// Code is the kind of the refusal; "" when something other than the service answered,
	// such as a proxy.
	Code Code
	// Detail is a sentence with the fault and the remedy.
	Detail string
	// Instance names the request in the log of the server.
	Instance string
	// Items are all faults of a body; empty for other refusals.
	Items []Item
	// Line and Column are the place in a predicate, from 1; 0 for other refusals.
	Line, Column int
	// RetryAfter is how long to wait before another attempt; 0 when the server does not say.
	RetryAfter time.Duration
	// Oldest and Newest are the ends of the feed, with the code CursorGone.
	Oldest, Newest string
}

// Item is one fault of a body.
type Item struct {
	Code   Code
	Detail string
	// Pointer is a JSON Pointer (RFC 6901) into the body; "" for the body as a whole.
	Pointer string
}

// Error returns the faulty members with their reasons, or else the reason of the whole.
func (e *Error) Error() string {
	text := e.Detail
	if len(e.Items) > 0 {
		var items []string
		for _, item := range e.Items {
			if member := member(item.Pointer); member != "" {
				item.Detail = member + ": " + item.Detail
			}
			items = append(items, item.Detail)
		}
		text = strings.Join(items, "; ")
	}
	if e.Line > 0 {
		text += fmt.Sprintf(" (line %d, column %d)", e.Line, e.Column)
	}
	return text
}

// Is reports whether target is the code of the refusal or of one of its items.
func (e *Error) Is(target error) bool {
	code, ok := target.(Code)
	return ok && (e.Code == code || slices.ContainsFunc(e.Items, func(i Item) bool { return i.Code == code }))
}

// temporary reports whether the same request may succeed another time.
func (e *Error) temporary() bool {
	return e.Status >= 500 && e.Code != StorageFull || e.Status == http.StatusTooManyRequests || e.Status == http.StatusRequestTimeout
}

// unclear reports whether a write may be stored in spite of the refusal. A proxy does not
// know what became of its request, and neither does a server with a fault.
func (e *Error) unclear() bool {
	return e.Status >= 500 && e.Code != Unavailable && e.Code != StorageFull || e.Status == http.StatusRequestTimeout
}

// refusal reads an error of the API.
func refusal(status string, code int, header http.Header, body []byte) *Error {
	e := &Error{Status: code, Detail: "the server answered " + status}
	if seconds, err := strconv.Atoi(header.Get("Retry-After")); err == nil && seconds > 0 {
		e.RetryAfter = time.Duration(min(seconds, 3600)) * time.Second
	}
	var sent struct {
		Type, Detail, Instance, Oldest, Newest string
		Errors                                 []struct{ Type, Detail, Pointer string }
		Line, Column                           int
	}
	if err := json.Unmarshal(body, &sent); err != nil || sent.Detail == "" {
		return e
	}
	e.Code, e.Detail, e.Instance = Code(path.Base(sent.Type)), sent.Detail, sent.Instance
	e.Line, e.Column, e.Oldest, e.Newest = sent.Line, sent.Column, sent.Oldest, sent.Newest
	for _, item := range sent.Errors {
		e.Items = append(e.Items, Item{Code(path.Base(item.Type)), item.Detail, item.Pointer})
	}
	return e
}

// member returns a JSON Pointer for people, such as keywords[0].name. A number is an
// element: no member of this API has one for a name.
func member(pointer string) (text string) {
	for segment := range strings.SplitSeq(strings.TrimPrefix(pointer, "/"), "/") {
		segment = strings.NewReplacer("~1", "/", "~0", "~").Replace(segment)
		switch _, err := strconv.Atoi(segment); {
		case err == nil:
			text += "[" + segment + "]"
		case text == "":
			text = segment
		default:
			text += "." + segment
		}
	}
	return text
}

// ErrUnknown is the error of a write that may be stored or not.
var ErrUnknown = errors.New("the change may be stored or not: look before you make it again")

// ConnectionError is an answer that did not arrive.
type ConnectionError struct {
	// Address is that of the server.
	Address string
	// Unsent is true when the server cannot have seen the request.
	Unsent bool
	// Began is true when a part of the answer arrived.
	Began bool
	Err   error
}

func (e *ConnectionError) Error() string {
	if e.Began {
		return fmt.Sprintf("the connection to the server at %s is lost: %v", e.Address, e.Err)
	}
	if _, ok := e.Err.(givenUp); ok {
		return fmt.Sprintf("the request to the server at %s was given up: %v", e.Address, e.Err)
	}
	return fmt.Sprintf("the server at %s does not answer: %v", e.Address, e.Err)
}

func (e *ConnectionError) Unwrap() error { return e.Err }

// givenUp is the error of a request whose context was cancelled.
type givenUp struct{ error }

func (g givenUp) Unwrap() error { return g.error }

// ForeignError is an answer unlike those of the service.
type ForeignError struct {
	Address string
	Err     error
}

func (e *ForeignError) Error() string {
	return fmt.Sprintf("the server at %s does not answer as this service does: %v", e.Address, e.Err)
}

func (e *ForeignError) Unwrap() error { return e.Err }
