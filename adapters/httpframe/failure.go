package httpframe

import (
	"errors"
	"slices"

	"github.com/problemtracking/problems/domain/fault"
)

// Failure is how clients meet a kind of fault (D18).
type Failure struct {
	fault.Kind
	Slug        string // the end of its type, and of the path of its page
	Status      int
	Title       string
	Description string // the meaning, and the remedy
}

// Failures returns the failures of all kinds for clients, in the order of D18.
func Failures() []Failure { return slices.Clone(failures) }

var failures = []Failure{
	{fault.MalformedJSON, "malformed-json", 400, "Malformed JSON",
		"The body is not one JSON value: it breaks the syntax, is not UTF-8, begins with a byte order mark, has half a surrogate pair, names a member of an object twice, is nested too deeply, or goes on after its end. Nothing of it was used."},
	{fault.MalformedRequest, "malformed-request", 400, "Malformed request",
		"A query parameter is unknown, given twice or has a value that it cannot have; or a header such as If-Match or Idempotency-Key is not written as it should be, or means nothing here. Nothing was done, lest something else was meant."},
	{fault.InvalidPredicate, "invalid-predicate", 400, "Invalid predicate",
		"The predicate, or the sort, is none that can be evaluated. The detail says what is wrong and what would be right; the members line and column say where, and kind says of which sort the fault is: syntax, unsupported, unknownKey, unknownFunction, unboundVariable, typeMismatch, invalidPattern or limitExceeded."},
	{fault.Unauthenticated, "unauthenticated", 401, "Unauthenticated",
		"The Authorization header has no valid token: it is missing, mistyped, unknown, expired or revoked. Send the token alone, or after the word Bearer."},
	{fault.Forbidden, "forbidden", 403, "Forbidden",
		"The scope of the token does not allow this. Reads need the scope read, writes on problems write, as do saved queries and new milestones; all other metadata, users, tokens and the audit log need admin."},
	{fault.NotFound, "not-found", 404, "Not found",
		"There is nothing at this path. The paths of the API begin with the version segment /api/20151105."},
	{fault.ProblemNotFound, "problem-not-found", 404, "Problem not found",
		"No problem has this identifier. Identifiers are whole numbers from 1, written without sign or leading zeros."},
	{fault.KeywordNotFound, "keyword-not-found", 404, "Keyword not found",
		"The problem has no keyword of this name, so there was nothing to delete. Names are compared exactly."},
	{fault.RelationshipNotFound, "relationship-not-found", 404, "Relationship not found",
		"The problem has no relationship of this type to that problem, so there was nothing to delete."},
	{fault.MethodNotAllowed, "method-not-allowed", 405, "Method not allowed",
		"The path has other methods than this one: see the header Allow."},
	{fault.TransitionNotAllowed, "transition-not-allowed", 409, "Transition not allowed",
		"A problem cannot be created in this state, or cannot move to it from the state it is in. The detail names the states that are allowed; the member nextStates of a state lists them too."},
	{fault.RelationshipCycle, "relationship-cycle", 409, "Relationship cycle",
		"The relationship would close a circle of relationships of its family, such as a problem being its own ancestor. The detail names the shortest one."},
	{fault.RelationshipConflict, "relationship-conflict", 409, "Relationship conflict",
		"The two problems have another relationship of the same family. A type cannot be changed in place: delete the existing relationship first."},
	{fault.IdempotencyConflict, "idempotency-conflict", 409, "Idempotency conflict",
		"The Idempotency-Key was used for another request within the last 24 hours. Choose a new one for every request that is not a repetition."},
	{fault.AlreadyExists, "already-exists", 409, "Already exists",
		"A name or e-mail address that has to be unique is taken: that of a component within its parent, that of a milestone within its component."},
	{fault.InUse, "in-use", 409, "In use",
		"This cannot change while something depends on it: whether a state counts as resolved, while a problem is in it; that the last initial state is one; or the last valid token of scope admin, and whether its user is active."},
	{fault.MetadataCycle, "metadata-cycle", 409, "Metadata cycle",
		"A component would be below itself, or succeed itself. The detail names the circle."},
	{fault.CursorGone, "cursor-gone", 410, "Cursor gone",
		"The feed has no event at the cursor: it is of another store, of a history that was lost in a fail-over or replaced by a backup, or the event was forgotten. The members oldest and newest are cursors to go on from. Load the problems anew, and go on from newest."},
	{fault.StaleRevision, "stale-revision", 412, "Stale revision",
		"The problem has another revision than the request expects, by the header If-Match or the member revision: somebody changed it since. The detail and the header Problem-Revision say the current one. Reload the problem and retry. Or, when many problems are changed at once, something has moved since the preview: preview again."},
	{fault.TooLarge, "too-large", 413, "Too large",
		"The body is longer than this server accepts."},
	{fault.UnsupportedMediaType, "unsupported-media-type", 415, "Unsupported media type",
		"The body is of a type, charset or content coding that is not read here. Bodies are application/json in UTF-8; comments can also be text/plain."},
	{fault.RequiredField, "required-field", 422, "Required field",
		"A member that has to be given is missing."},
	{fault.InvalidValue, "invalid-value", 422, "Invalid value",
		"A member has the right type, but a value that is not allowed: too long, empty, null where nothing can be cleared, with control characters, or no longer in use."},
	{fault.InvalidType, "invalid-type", 422, "Invalid type",
		"A member has another JSON type than it should, such as the number 7.0 or the string \"7\" where an integer belongs."},
	{fault.UnknownField, "unknown-field", 422, "Unknown field",
		"The object has no such member. Names of members are compared exactly, upper and lower case included."},
	{fault.ReadOnlyField, "read-only-field", 422, "Read-only field",
		"A member that only the service writes was sent with another value than the current one. Leave it out, or send it as it was read."},
	{fault.MetadataNotFound, "metadata-not-found", 422, "Metadata not found",
		"A partial object fits no metadata object or user. All members that are given have to match. The detail lists what there is, when that is little."},
	{fault.MetadataAmbiguous, "metadata-ambiguous", 422, "Metadata ambiguous",
		"A partial object fits more than one metadata object or user. The detail lists up to ten: give more members, or the identifier."},
	{fault.ValidationFailed, "validation-failed", 422, "Validation failed",
		"The body has several faults of different kinds. The member errors lists them, each with its own type; at most 100 of each."},
	{fault.TooManyResults, "too-many-results", 422, "Too many results",
		"A search without a limit has found more than 10,000 objects. Give it a limit of up to 1,000, and follow the link in the header Link to the next page. Or more than 1,000 problems are to be changed at once: add conditions to the predicate, and change them in parts."},
	{fault.QueryTooExpensive, "query-too-expensive", 422, "Query too expensive",
		"The search would take too long: more than 10,000 problems would have to be looked at one by one, or it took 5 seconds. Add a condition that leaves less to look at, such as one on the state or on a date; comparisons that ignore case or accents, MATCHES and arithmetic on what is stored are the costly ones."},
	{fault.PreviewRequired, "preview-required", 422, "Preview required",
		"Many problems are only changed as a preview has shown: there was none, or it is older than 15 minutes. Send the request with dryRun=true, look at what would change, and send it again with the preview of that answer."},
	{fault.RateLimited, "rate-limited", 429, "Rate limited",
		"The token has made too many requests, or too many have come from the address without a valid token. The header Retry-After says in how many seconds to try again. A valid token is never refused for the requests of others."},
	{fault.Internal, "internal", 500, "Internal error",
		"The server has a defect. Its log names the cause under the request identifier in the member instance."},
	{fault.Unavailable, "unavailable", 503, "Unavailable",
		"The server cannot answer for the moment: its storage is away, its clock has gone too far ahead, the request took too long, or too many searches are under way. The header Retry-After says when to try again. Nothing was done, so the request can be repeated as it is."},
	{fault.UnknownOutcome, "outcome-unknown", 503, "Outcome unknown",
		"The storage went away during a write, or confirmed it too late: it may be stored or not. Repeat the request with the same Idempotency-Key, or with the same If-Match: neither stores it twice. After a repetition, 412 can mean that the first attempt was stored. Without one of these headers, look whether the write is there before you send it again. There is no Retry-After, lest a program repeats the request blindly."},
}

// These details stand in for causes of the service itself.
const (
	internalDetail    = "the server failed; its log names the cause under this request's identifier"
	unavailableDetail = "the server cannot answer for the moment; try again"
)

// FailureOf returns the failure of a kind. Kinds of the storage port are not for clients:
// Unavailable or Internal stands for them.
func FailureOf(kind fault.Kind) Failure {
	switch kind {
	case fault.Conflict, fault.Abandoned, fault.Closed:
		kind = fault.Unavailable
	case fault.Unsupported:
		kind = fault.Internal
	}
	for _, k := range failures {
		if k.Kind == kind {
			return k
		}
	}
	return FailureOf(fault.Internal)
}

// Describe returns the error for the client, and its failure. Causes of the service itself
// are left out.
func Describe(err error) (*fault.Error, Failure) {
	kind := FailureOf(fault.KindOf(err))
	f, ok := errors.AsType[*fault.Error](err)
	switch {
	case kind.Kind == fault.Internal:
		f = fault.New(fault.Internal, internalDetail)
	case !ok || f.Kind != kind.Kind:
		f = fault.New(kind.Kind, unavailableDetail)
	}
	return f, kind
}
