package httpframe

import (
	"errors"
	"slices"

	"github.com/problemtracking/problems/domain/fault"
)

// Failure is a kind of fault as clients see it (D18).
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
		"The body is not one JSON value. Its syntax is wrong, it is not UTF-8, begins with a byte order mark, has half a surrogate pair, has a member twice in one object, is nested too deeply, or continues after its end. Nothing was done."},
	{fault.MalformedRequest, "malformed-request", 400, "Malformed request",
		"A query parameter is unknown, repeated or has a wrong value. Or a header such as If-Match or Idempotency-Key has a wrong form, or has no meaning here. Nothing was done."},
	{fault.InvalidPredicate, "invalid-predicate", 400, "Invalid predicate",
		"The predicate or the sort is wrong. The detail names the fault and the remedy. The members line and column give its place. The member kind is one of syntax, unsupported, unknownKey, unknownFunction, unboundVariable, typeMismatch, invalidPattern or limitExceeded."},
	{fault.Unauthenticated, "unauthenticated", 401, "Unauthenticated",
		"The Authorization header has no valid token: it is missing, mistyped, unknown, expired or revoked. Send only the token, or the token after the word Bearer."},
	{fault.Forbidden, "forbidden", 403, "Forbidden",
		"The scope of the token does not allow this. Reads, and tokens of your own, need the scope read. Comments, attachments and corrections of your own need comment. New problems need report. All other writes of problems need write; so do saved queries, milestones, your choice of e-mail and your preferences. Writes of other metadata and of users, the tokens and sessions of others, webhooks, erasures, redactions of whole problems and the audit log need admin."},
	{fault.NotFound, "not-found", 404, "Not found",
		"There is nothing at this path, or nothing with this identifier. The OpenAPI document lists the paths of the API."},
	{fault.ProblemNotFound, "problem-not-found", 404, "Problem not found",
		"No problem has this identifier. Identifiers are whole numbers from 1, written without sign or leading zeros."},
	{fault.KeywordNotFound, "keyword-not-found", 404, "Keyword not found",
		"The problem has no keyword of this name, so there was nothing to delete. Names have to match exactly."},
	{fault.CommentNotFound, "comment-not-found", 404, "Comment not found",
		"The problem has no comment with this identifier. It may have been deleted, or be a comment on another problem."},
	{fault.AttachmentNotFound, "attachment-not-found", 404, "Attachment not found",
		"The problem has no attachment with this identifier, or its bytes are gone. It may have been deleted, or be an attachment of another problem."},
	{fault.RelationshipNotFound, "relationship-not-found", 404, "Relationship not found",
		"The problem has no relationship of this type to the other problem, so there was nothing to delete."},
	{fault.MethodNotAllowed, "method-not-allowed", 405, "Method not allowed",
		"The path does not have this method. The header Allow lists its methods."},
	{fault.Claimed, "claimed", 409, "Claimed",
		"Somebody works on the problem: it has a claim. The member claim has the holder and the expiry. Take another problem, or wait until the claim ends. To extend your own claim, send its identifier in the header Claim."},
	{fault.TransitionNotAllowed, "transition-not-allowed", 409, "Transition not allowed",
		"A new problem cannot have this state, or a problem cannot move to it from its current state. The detail lists the allowed states. The member nextStates of a state lists them, too."},
	{fault.RelationshipCycle, "relationship-cycle", 409, "Relationship cycle",
		"The relationship would close a cycle of relationships in its family. For example, a problem would be its own ancestor. The detail names the shortest cycle."},
	{fault.RelationshipConflict, "relationship-conflict", 409, "Relationship conflict",
		"The two problems have another relationship of the same family. Delete the existing relationship first: its type cannot change."},
	{fault.IdempotencyConflict, "idempotency-conflict", 409, "Idempotency conflict",
		"The Idempotency-Key was used for another request within the last 24 hours. Choose a new key for every new request."},
	{fault.AlreadyExists, "already-exists", 409, "Already exists",
		"The name or e-mail address has to be unique, and is taken. Names of components are unique within their parent, and names of milestones within their component."},
	{fault.InUse, "in-use", 409, "In use",
		"Something depends on the current value. A state with problems stays resolved or unresolved. The last initial state stays initial. The last valid token of scope admin stays valid, and its user stays active."},
	{fault.MetadataCycle, "metadata-cycle", 409, "Metadata cycle",
		"A component would be below itself, or succeed itself. The detail names the cycle."},
	{fault.CursorGone, "cursor-gone", 410, "Cursor gone",
		"The feed has no event at the cursor. The cursor is from another store, a fail-over or a backup has replaced the history, or the event was deleted. Load the problems again, and go on from the cursor in the member newest. The member oldest is the cursor before the oldest event."},
	{fault.StaleRevision, "stale-revision", 412, "Stale revision",
		"The problem does not have the revision in the header If-Match or the member revision: somebody has changed it. The detail and the header Problem-Revision have the current revision. Load the problem again and retry. For many problems at once, something has changed since the preview: make a new preview. For the bytes of an attachment, the detail has the ETag of the file."},
	{fault.ClaimLost, "claim-lost", 412, "Claim lost",
		"The header Claim does not name the current claim of the problem. It was ended, or it expired and somebody else has taken it. Stop the work on the problem; nothing was stored."},
	{fault.TooLarge, "too-large", 413, "Too large",
		"The body is too long for this server, or the request would store more than one can. The detail has the limit."},
	{fault.UnsupportedMediaType, "unsupported-media-type", 415, "Unsupported media type",
		"The service does not read this type, charset or content coding of a body. Send application/json in UTF-8. Comments can also be text/plain."},
	{fault.RangeNotSatisfiable, "range-not-satisfiable", 416, "Range not satisfiable",
		"The header Range asks for bytes behind the end of the file. The header Content-Range has the length of the file."},
	{fault.RequiredField, "required-field", 422, "Required field",
		"A required member is missing."},
	{fault.InvalidValue, "invalid-value", 422, "Invalid value",
		"A member has the right type, but a wrong value: too long, empty, null where a value is required, with control characters, or no longer in use."},
	{fault.InvalidType, "invalid-type", 422, "Invalid type",
		"A member has the wrong JSON type, such as the number 7.0 or the string \"7\" instead of an integer."},
	{fault.UnknownField, "unknown-field", 422, "Unknown field",
		"The object has no such member. Names of members have to match exactly, with upper and lower case."},
	{fault.ReadOnlyField, "read-only-field", 422, "Read-only field",
		"Only the service writes this member, and the value differs from the current one. Leave the member out, or send its current value."},
	{fault.MetadataNotFound, "metadata-not-found", 422, "Metadata not found",
		"A partial object fits no metadata object or user. All its members have to match. The detail lists the possible objects, if they are few."},
	{fault.MetadataAmbiguous, "metadata-ambiguous", 422, "Metadata ambiguous",
		"A partial object fits more than one metadata object or user. The detail lists up to ten of them. Send more members, or the identifier."},
	{fault.ValidationFailed, "validation-failed", 422, "Validation failed",
		"The body has faults of several types. The member errors lists them, each with its type. It has at most 100 faults of each type."},
	{fault.TooManyResults, "too-many-results", 422, "Too many results",
		"A search without a limit has found more than 10,000 objects. Set a limit of up to 1,000, and follow the header Link to the next page. Or one change would affect more than 1,000 problems. Add conditions to the predicate, and change the problems in parts."},
	{fault.QueryTooExpensive, "query-too-expensive", 422, "Query too expensive",
		"The search would take too long. It has to examine more than 10,000 problems one by one, or it took 5 seconds. Add a condition on the state or a date, for example. Comparisons without case or accents, MATCHES, and arithmetic on stored values take the most time."},
	{fault.PreviewRequired, "preview-required", 422, "Preview required",
		"A change of many problems needs a preview from the last 15 minutes. Send the request with dryRun=true, and check the changes in the answer. Then send the request again with the preview of the answer."},
	{fault.RateLimited, "rate-limited", 429, "Rate limited",
		"The token has made too many requests, or the address has made too many requests without a valid token. Try again after the seconds in the header Retry-After. Requests of others never count against a valid token."},
	{fault.Internal, "internal", 500, "Internal error",
		"The server has a defect. Its log has the cause, with the request identifier from the member instance."},
	{fault.Unavailable, "unavailable", 503, "Unavailable",
		"The server cannot answer at the moment. Its storage is away, its clock is too far ahead, the request took too long, or too many searches are running. Nothing was done. Repeat the same request after the seconds in the header Retry-After."},
	{fault.UnknownOutcome, "outcome-unknown", 503, "Outcome unknown",
		"The storage failed during a write, or confirmed it too late: the write may be stored or not. Repeat the request with the same Idempotency-Key or If-Match: neither stores it twice. After a repetition, 412 can mean that the first attempt was stored. Without one of these headers, check for the write before you repeat it. There is no Retry-After, so no program repeats the request by itself."},
	{fault.StorageFull, "storage-full", 507, "Storage full",
		"The storage for files has no room for this file. Nothing was stored. The operator has to make room."},
}

// These details stand in for causes of the service itself.
const (
	internalDetail    = "the server failed; its log names the cause under this request's identifier"
	unavailableDetail = "the server cannot answer for the moment; try again"
)

// FailureOf returns the failure of a kind. Clients get Unavailable or Internal for the kinds
// of the storage port.
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
