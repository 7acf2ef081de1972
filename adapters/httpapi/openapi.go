package httpapi

import (
	"encoding/json"
	"fmt"
	"net/http"
	"reflect"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/problemtracking/problems/domain/fault"
)

// securityScheme is the name of the one way to authenticate.
const securityScheme = "token"

// newDocument returns the OpenAPI document without operations.
func newDocument(o Options) *huma.OpenAPI {
	server := o.BasePath
	if server == "" {
		server = "/"
	}
	return &huma.OpenAPI{
		OpenAPI: "3.1.0",
		Info: &huma.Info{
			Title:   "Problem Tracking Service",
			Version: o.Version,
			Description: "Problems with their states, comments, keywords, relationships and watchers.\n\n" +
				"Every request carries an API token in the Authorization header. Writes accept dryRun=true, which does everything but store. " +
				"Errors are problem details (RFC 9457), whose types are pages of this server.",
			License: &huma.License{Name: "Apache 2.0", Identifier: "Apache-2.0"},
		},
		Servers: []*huma.Server{{URL: server}},
		Tags: []*huma.Tag{
			{Name: "Problems"}, {Name: "Comments"}, {Name: "Keywords"}, {Name: "Relationships"}, {Name: "Watchers"},
			{Name: "Users"}, {Name: "Tokens"},
		},
		Components: &huma.Components{
			Schemas:    huma.NewMapRegistry(schemaPrefix, huma.DefaultSchemaNamer),
			Parameters: parameters(),
			Headers:    answerHeaders(),
			Examples:   errorExamples(o.BasePath),
			SecuritySchemes: map[string]*huma.SecurityScheme{securityScheme: {
				Type: "apiKey", In: "header", Name: "Authorization",
				Description: "The token alone; the words Bearer, Token and Ship before it are accepted too.",
			}},
		},
	}
}

const (
	schemaPrefix    = "#/components/schemas/"
	parameterPrefix = "#/components/parameters/"
	headerPrefix    = "#/components/headers/"
	examplePrefix   = "#/components/examples/"
)

// parameters are what requests carry in their path, query and header. Those of the
// path are named after the operation's tag where they differ.
func parameters() map[string]*huma.Param {
	text := func() *huma.Schema { return &huma.Schema{Type: huma.TypeString} }
	one := 1.0
	return map[string]*huma.Param{
		"Problem": {Name: "identifier", In: "path", Required: true, Description: "The problem's identifier.",
			Schema: &huma.Schema{Type: huma.TypeInteger, Minimum: &one}, Example: 12},
		"Object": {Name: "identifier", In: "path", Required: true, Description: "The object's identifier.",
			Schema: &huma.Schema{Type: huma.TypeString, Format: "uuid"}, Example: sampleAnn.ID.String()},
		"Keyword": {Name: "keyword", In: "path", Required: true, Description: "The keyword's name. A slash in it is sent as %2F.",
			Schema: text(), Example: "version"},
		"DryRun": {Name: "dryRun", In: "query", Description: "true: do everything but store, and answer what would have been answered; what would have been created has no identifier.",
			Schema: &huma.Schema{Type: huma.TypeBoolean}, Example: false},
		"If-Match": {Name: "If-Match", In: "header", Description: "Write only if the problem is at this revision: an ETag of the problem, or the revision in quotes; several in a list; or *.",
			Schema: text(), Example: `"3"`},
		"If-None-Match": {Name: "If-None-Match", In: "header", Description: "Answer 304 if the ETag is still this one.",
			Schema: text(), Example: `"3.14.6"`},
		"Idempotency-Key": {Name: "Idempotency-Key", In: "header", Description: "Makes the request repeatable for 24 hours: the same key with the same request gets the first answer again. 1 to 255 visible characters.",
			Schema: text(), Example: "8e03978e-40d5-43e8-bc93-6894a57f9324"},
	}
}

// answerHeaders are the headers of answers.
func answerHeaders() map[string]*huma.Header {
	text := func(description, example string) *huma.Header {
		return &huma.Header{Description: description, Schema: &huma.Schema{Type: huma.TypeString}, Example: example}
	}
	whole := func(description string, example int) *huma.Header {
		return &huma.Header{Description: description, Schema: &huma.Schema{Type: huma.TypeInteger}, Example: example}
	}
	return map[string]*huma.Header{
		"X-Request-Id":         text("Names the request, in the server's log too. The client's own X-Request-Id, when it has one.", "b7c1f0"),
		"ETag":                 text("Changes with everything that the answer shows.", `"3.14.6"`),
		"Problem-Revision":     whole("The revision of the problem.", 3),
		"Location":             text("The path of what was created.", prefix+"/problems/12"),
		"Dry-Run":              text("true when nothing was stored because of dryRun=true.", "true"),
		"Idempotency-Replayed": text("true when this is the answer to an earlier, equal request.", "true"),
		"Retry-After":          whole("Seconds after which to try again.", 1),
		"WWW-Authenticate":     text("How to authenticate.", `Bearer realm="problems"`),
	}
}

// operation returns the description of the endpoint, with what it refers to in the
// document.
func (e endpoint) operation(document *huma.OpenAPI) *huma.Operation {
	schemas := document.Components.Schemas
	op := &huma.Operation{
		OperationID: e.id,
		Method:      e.method,
		Path:        prefix + e.path,
		Tags:        []string{e.tag},
		Summary:     e.summary,
		Description: e.description,
		Security:    []map[string][]string{{securityScheme: {string(e.scope)}}},
		Responses:   map[string]*huma.Response{},
	}
	for _, name := range e.parameterNames() {
		op.Parameters = append(op.Parameters, &huma.Param{Ref: parameterPrefix + name})
	}
	if len(e.bodies) > 0 {
		op.RequestBody = &huma.RequestBody{Required: true, Content: map[string]*huma.MediaType{}}
		for _, b := range e.bodies {
			op.RequestBody.Content[b.media] = &huma.MediaType{Schema: schemaOf(schemas, b.of...), Example: b.value()}
			op.RequestBody.Required = !b.optional
		}
	}
	for _, a := range e.answers {
		response := &huma.Response{Description: a.description, Headers: headerRefs(append(a.headers, "X-Request-Id"))}
		if a.of != nil {
			sample := encoder{catalogue: sampleCatalogue()}
			a.example(&sample)
			response.Content = map[string]*huma.MediaType{
				mediaJSON: {Schema: schemaOf(schemas, a.of), Example: json.RawMessage(sample.buf)},
			}
		}
		op.Responses[strconv.Itoa(a.status)] = response
	}
	for _, status := range errorStatuses(e.kinds()) {
		op.Responses[strconv.Itoa(status)] = e.errorResponse(schemas, status)
	}
	return op
}

// parameterNames returns the keys of the parameters that the operation has.
func (e endpoint) parameterNames() []string {
	var names []string
	switch {
	case strings.HasPrefix(e.path, "/problems/{identifier}"):
		names = append(names, "Problem")
	case strings.Contains(e.path, "{identifier}"):
		names = append(names, "Object")
	}
	if strings.Contains(e.path, "{keyword}") {
		names = append(names, "Keyword")
	}
	if e.writes() {
		names = append(names, "DryRun")
	}
	return append(names, e.headers...)
}

// value returns the example as the document shows it.
func (b body) value() any {
	if b.media == mediaText {
		return b.example
	}
	return json.RawMessage(b.example)
}

// schemaOf returns the schema of a body that is one of the given types.
func schemaOf(schemas huma.Registry, of ...any) *huma.Schema {
	var choices []*huma.Schema
	for _, v := range of {
		t := reflect.TypeOf(v)
		if t.Kind() == reflect.Slice { // Huma's own schema of a slice would admit null
			choices = append(choices, &huma.Schema{Type: huma.TypeArray, Items: schemas.Schema(t.Elem(), true, "")})
		} else {
			choices = append(choices, schemas.Schema(t, true, ""))
		}
	}
	if len(choices) == 1 {
		return choices[0]
	}
	return &huma.Schema{AnyOf: choices}
}

// admitNull lets members that point to a record be null. Huma does so for all
// other pointers by itself.
func admitNull(schemas huma.Registry) {
	for name, schema := range schemas.Map() {
		for _, field := range reflect.VisibleFields(schemas.TypeFromRef(schemaPrefix + name)) {
			member, _, _ := strings.Cut(field.Tag.Get("json"), ",")
			property := schema.Properties[member]
			if field.Type.Kind() == reflect.Pointer && property != nil && property.Ref != "" {
				schema.Properties[member] = &huma.Schema{
					Description: property.Description,
					AnyOf:       []*huma.Schema{{Ref: property.Ref}, {Type: "null"}},
				}
			}
		}
	}
}

// errorResponse describes the errors of one status, with an example of each.
func (e endpoint) errorResponse(schemas huma.Registry, status int) *huma.Response {
	headers := []string{"X-Request-Id"}
	switch status {
	case http.StatusUnauthorized:
		headers = append(headers, "WWW-Authenticate")
	case http.StatusPreconditionFailed:
		headers = append(headers, "Problem-Revision")
	case http.StatusTooManyRequests, http.StatusServiceUnavailable:
		headers = append(headers, "Retry-After")
	}
	var slugs []string
	examples := map[string]*huma.Example{}
	for _, kind := range e.kinds() {
		if kindOf(kind).status == status {
			slugs = append(slugs, string(kind))
			examples[string(kind)] = &huma.Example{Ref: examplePrefix + string(kind)}
		}
	}
	return &huma.Response{
		Description: strings.Join(slugs, ", "),
		Headers:     headerRefs(headers),
		Content: map[string]*huma.MediaType{
			mediaProblem: {Schema: schemaOf(schemas, Error{}), Examples: examples},
		},
	}
}

func headerRefs(names []string) map[string]*huma.Header {
	refs := map[string]*huma.Header{}
	for _, name := range names {
		refs[name] = &huma.Header{Ref: headerPrefix + name}
	}
	return refs
}

// errorExamples returns an example of every error, by slug.
func errorExamples(base string) map[string]*huma.Example {
	examples := map[string]*huma.Example{}
	for _, kind := range errorKinds {
		detail, _, _ := strings.Cut(kind.description, ". ")
		f := fault.New(kind.Kind, "%s", detail)
		switch {
		case kind.Kind == fault.ValidationFailed:
			f.Items = []fault.Item{
				{Kind: fault.RequiredField, Pointer: "/title", Detail: "a problem needs a title"},
				{Kind: fault.InvalidType, Pointer: "/read", Detail: errBool.Error()},
			}
		case kind.status == http.StatusUnprocessableEntity:
			f.Items = []fault.Item{{Kind: kind.Kind, Pointer: "/title", Detail: detail}}
		}
		e := encoder{base: base}
		e.failure(f, kind, "b7c1f0")
		examples[string(kind.Kind)] = &huma.Example{Summary: kind.title, Value: json.RawMessage(e.buf)}
	}
	return examples
}

// addDocument serves the OpenAPI document, made once: Huma would make it on the
// first request, without a lock.
func (s *server) addDocument(document *huma.OpenAPI) error {
	admitNull(document.Components.Schemas)
	text, err := json.Marshal(document)
	if err != nil {
		return fmt.Errorf("httpapi: the OpenAPI document cannot be written: %w", err)
	}
	s.mux.HandleFunc("GET "+s.BasePath+"/openapi.json", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/openapi+json")
		w.Header().Set("Cache-Control", "no-cache")
		send(w, r, http.StatusOK, text)
	})
	return nil
}
