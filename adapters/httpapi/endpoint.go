package httpapi

import (
	"cmp"
	"net/http"
	"slices"
	"strings"

	"github.com/problemtracking/problems/adapters/httpapi/internal/wire"
	"github.com/problemtracking/problems/adapters/httpframe"
	"github.com/problemtracking/problems/domain/access"
	"github.com/problemtracking/problems/domain/fault"
)

// prefix stands before every path of the API, after the base path (spec section 4).
const prefix = "/api/" + Version

// endpoint is an operation of the API: its needs, its function, and its description in
// the OpenAPI document.
type endpoint struct {
	id          string // unique; the name of the operation in generated clients
	method      string
	path        string // after prefix, as a pattern of ServeMux
	tag         string
	summary     string
	description string

	reads   bool // changes nothing, though it is no GET
	scope   access.Scope
	query   []string          // the parameters of the query beside dryRun, from parameters
	shown   map[string]string // the keys in parameters of those that mean something else here, by name
	asked   []string          // parameters in the example command, beside the required ones
	headers []string          // of the request, from parameters
	unkeyed string            // for a POST without Idempotency-Key: how to do without one
	bodies  []body            // accepted bodies, the default first; none: a body is not read
	answers []result
	faults  []fault.Kind // beside the kinds derived from the rest: see kinds

	do func(*call) (answer, error)
}

// body is a kind of body for an operation.
type body struct {
	media    string
	optional bool
	of       []any // its types in package wire
	example  string
}

// result is an answer of an operation that is no error.
type result struct {
	status      int
	description string
	headers     []string // from answerHeaders
	of          any      // a type of package wire, or a slice of one; nil: no body
	example     func(*wire.Encoder)
	stream      bool // the elements of the slice come as server-sent events, too
}

// writes reports whether the operation can change anything.
func (e endpoint) writes() bool { return e.method != http.MethodGet && !e.reads }

// checkKey refuses an Idempotency-Key without effect, because its sender counts on it. It
// accepts the key in searches and on repeatable methods, where it changes nothing.
func (e endpoint) checkKey(header http.Header) error {
	repeatable := e.method != http.MethodPost || e.reads && e.unkeyed == ""
	if repeatable || slices.Contains(e.headers, "Idempotency-Key") || len(header["Idempotency-Key"]) == 0 {
		return nil
	}
	return fault.New(fault.MalformedRequest, "an Idempotency-Key is not supported here: %s",
		cmp.Or(e.unkeyed, "leave it out, and look what the first request has done before you repeat it"))
}

// paramDryRun is the common parameter of all writes, in the query (D24).
const paramDryRun = "dryRun"

// queryNames returns the names of all parameters of the query.
func (e endpoint) queryNames() []string {
	names := slices.Clone(e.query)
	if e.writes() {
		names = append(names, paramDryRun)
	}
	return names
}

// ofProblem reports whether the operation is about the problem in its path.
func (e endpoint) ofProblem() bool { return strings.HasPrefix(e.path, "/problems/{identifier}") }

// jsonBody describes a body: one of the given records.
func jsonBody(example string, of ...any) []body {
	return []body{{media: mediaJSON, of: of, example: example}}
}

// kinds returns all kinds of faults in answers of the operation, in the order of
// httpframe.Failures.
func (e endpoint) kinds() []fault.Kind {
	applies := map[fault.Kind]bool{
		fault.MalformedRequest: true,
		fault.Unauthenticated:  true,
		fault.Forbidden:        e.scope != access.Read, // every token can read
		fault.RateLimited:      true,
		fault.Internal:         true,
		fault.Unavailable:      true,
		fault.UnknownOutcome:   e.writes(),
	}
	if len(e.bodies) > 0 {
		for _, kind := range []fault.Kind{
			fault.TooLarge, fault.UnsupportedMediaType, fault.MalformedJSON,
			fault.InvalidType, fault.InvalidValue,
		} {
			applies[kind] = true
		}
	}
	for _, kind := range e.faults {
		applies[kind] = true
	}
	var kinds []fault.Kind
	for _, k := range httpframe.Failures() {
		if applies[k.Kind] {
			kinds = append(kinds, k.Kind)
		}
	}
	return kinds
}

// partialKinds are the faults of a body with partial objects.
func partialKinds(more ...fault.Kind) []fault.Kind {
	return append([]fault.Kind{
		fault.UnknownField, fault.MetadataNotFound, fault.MetadataAmbiguous, fault.ValidationFailed,
	}, more...)
}
