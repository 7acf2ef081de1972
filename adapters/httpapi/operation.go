package httpapi

import (
	"cmp"
	"context"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/problemtracking/problems/adapters/httpapi/internal/wire"
	"github.com/problemtracking/problems/adapters/httpframe"
	"github.com/problemtracking/problems/domain/access"
	"github.com/problemtracking/problems/domain/fault"
)

// prefix stands before every path of the API, after the base path (spec section 4).
const prefix = "/api/" + Version

// details are what the checks and the OpenAPI document have to know of an operation beside
// its huma.Operation, in whose Metadata they are.
type details struct {
	example func(*wire.Encoder) // the body of its answers; nil: they have none
	faults  []fault.Kind        // beside the kinds derived from the rest: see kinds
	bodies  []body              // accepted bodies, the default first; none: a body is not read
	file    bool                // its body is a file, which it reads itself
	asked   []string            // parameters in the example command, beside the required ones
	reads   bool                // changes nothing, though it is no GET
	unkeyed string              // for a POST without Idempotency-Key: how to do without one
	objects *searchable         // what a search by parameters is for, unless that is problems

	scope access.Scope
	keys  map[string]string // names of the fields of its parameters, by place and name
}

// body is a kind of body for an operation.
type body struct {
	media    string
	optional bool
	of       []any // its types in package wire
	example  string
}

// responses are the answers of an operation that are no errors, by status.
type responses = map[string]*huma.Response

// notes are the Metadata of an operation, with its details.
type notes map[string]any

const detailsKey = "details"

func detailsOf(op *huma.Operation) *details { return op.Metadata[detailsKey].(*details) }

// about returns the Metadata of an operation, with an example of its answers.
func about(example func(*wire.Encoder), faults ...fault.Kind) notes {
	return notes{detailsKey: &details{example: example, faults: faults}}
}

func (n notes) details() *details { return n[detailsKey].(*details) }

// json adds a body: one of some records.
func (n notes) json(example string, of ...any) notes {
	return n.body(body{media: mediaJSON, of: of, example: example})
}

func (n notes) body(bodies ...body) notes {
	n.details().bodies = bodies
	return n
}

// ofFile has the body be a file.
func (n notes) ofFile() notes {
	n.details().file = true
	return n
}

func (n notes) asked(names ...string) notes {
	n.details().asked = names
	return n
}

func (n notes) unkeyed(how string) notes {
	n.details().unkeyed = how
	return n
}

func (n notes) reads() notes {
	n.details().reads = true
	return n
}

// securityScheme is the name of the one way to authenticate.
const securityScheme = "apiToken"

// needs is the Security of an operation for tokens of a scope.
func needs(scope access.Scope) []map[string][]string {
	return []map[string][]string{{securityScheme: {string(scope)}}}
}

// register registers an operation with Huma. The checks of serve have run before its
// handler; the faults of the handler become answers.
func register[I, O any](s *server, op huma.Operation, handle func(context.Context, *I) (*O, error)) {
	op.SkipValidateParams = true // Request reads them
	a := detailsOf(&op)
	a.scope = access.Scope(op.Security[0][securityScheme][0])
	a.keys = map[string]string{}
	for _, f := range reflect.VisibleFields(reflect.TypeFor[I]()) {
		for _, place := range []string{"path", "query", "header"} {
			if name := f.Tag.Get(place); name != "" {
				a.keys[place+" "+name] = f.Name
			}
		}
	}
	if _, usual := op.Responses["200"]; !usual {
		for _, status := range []int{http.StatusCreated, http.StatusAccepted} {
			if op.Responses[strconv.Itoa(status)] != nil {
				op.DefaultStatus = status
			}
		}
	}
	answers := responses{} // of this operation alone
	for status, response := range op.Responses {
		answers[status] = &huma.Response{Description: response.Description, Content: response.Content}
	}
	op.Responses = answers
	huma.Register(s.api, op, func(ctx context.Context, in *I) (*O, error) {
		c := callOf(ctx)
		out, err := handle(ctx, in)
		c.leaveLarge()
		if err == nil {
			err = c.reserveParts()
		}
		if err != nil {
			return nil, s.failure(c.w.Header(), c.r, err)
		}
		return out, nil
	})
}

// writes reports whether the operation can change anything.
func writes(op *huma.Operation) bool { return op.Method != http.MethodGet && !detailsOf(op).reads }

// ofProblem reports whether the operation is about the problem in its path.
func ofProblem(op *huma.Operation) bool { return strings.HasPrefix(op.Path, "/problems/{identifier}") }

// takes reports whether the operation has a parameter.
func takes(op *huma.Operation, place, name string) bool {
	return slices.ContainsFunc(op.Parameters, func(p *huma.Param) bool { return p.In == place && p.Name == name })
}

// checkKey refuses an Idempotency-Key without effect, because its sender counts on it. It
// accepts the key in searches and on repeatable methods, where it changes nothing.
func checkKey(op *huma.Operation, header http.Header) error {
	if op.Method != http.MethodPost || len(header["Idempotency-Key"]) == 0 {
		return nil
	}
	a := detailsOf(op)
	if a.reads && a.unkeyed == "" || takes(op, "header", "Idempotency-Key") {
		return nil
	}
	return fault.New(fault.MalformedRequest, "an Idempotency-Key is not supported here: %s",
		cmp.Or(a.unkeyed, "leave it out, and look what the first request has done before you repeat it"))
}

// kinds returns all kinds of faults in answers of the operation, in the order of
// httpframe.Failures.
func kinds(op *huma.Operation) []fault.Kind {
	a := detailsOf(op)
	applies := map[fault.Kind]bool{
		fault.MalformedRequest: true,
		fault.Unauthenticated:  true,
		fault.Forbidden:        a.scope != access.Read, // every token can read
		fault.RateLimited:      true,
		fault.Internal:         true,
		fault.Unavailable:      true,
		fault.UnknownOutcome:   writes(op),
		fault.ClaimLost:        a.keys["header Claim"] != "",
	}
	if len(a.bodies) > 0 {
		for _, kind := range []fault.Kind{
			fault.TooLarge, fault.UnsupportedMediaType, fault.MalformedJSON,
			fault.InvalidType, fault.InvalidValue,
		} {
			applies[kind] = true
		}
	}
	for _, kind := range a.faults {
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

// errorStatuses returns the statuses of the kinds, in ascending order.
func errorStatuses(kinds []fault.Kind) []int {
	var statuses []int
	for _, k := range kinds {
		statuses = append(statuses, httpframe.FailureOf(k).Status)
	}
	slices.Sort(statuses)
	return slices.Compact(statuses)
}

// partialKinds are the faults of a body with partial objects.
func partialKinds(more ...fault.Kind) []fault.Kind {
	return append([]fault.Kind{
		fault.UnknownField, fault.MetadataNotFound, fault.MetadataAmbiguous, fault.ValidationFailed,
	}, more...)
}
