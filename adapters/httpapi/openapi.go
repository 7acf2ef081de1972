package httpapi

import (
	"encoding/json"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/problemtracking/problems/adapters/httpapi/internal/samples"
	"github.com/problemtracking/problems/adapters/httpapi/internal/wire"
	"github.com/problemtracking/problems/adapters/httpframe"
	"github.com/problemtracking/problems/domain/fault"
)

// document is the OpenAPI document in the making.
type document struct {
	*huma.OpenAPI
	base string // the base path
	// Kinds of requests with a rate limit (D22): with a valid token, and by address
	// without one.
	tokensLimited, addressesLimited bool
	operations                      []*huma.Operation // in the order of their registration
	failures                        []recordedFailure
}

// newDocument returns the document without operations.
func newDocument(o Options) *document {
	d := &document{base: o.BasePath, tokensLimited: o.Limits.RatePerMinute > 0, addressesLimited: o.Limits.AddressRatePerMinute > 0}
	d.OpenAPI = &huma.OpenAPI{
		OpenAPI: "3.1.0",
		Info: &huma.Info{
			Title:   "Problem Tracking Service",
			Version: o.Version,
			Description: "Problems with their states, comments, keywords, relationships and watchers.\n\n" +
				"Every request carries an API token in the Authorization header. Writes accept dryRun=true, which does everything but store. " +
				"Errors are problem details (RFC 9457), whose types are pages of this server.",
			License: &huma.License{Name: "Apache 2.0", Identifier: "Apache-2.0"},
		},
		Servers: []*huma.Server{{URL: o.BasePath + prefix}},
		Tags:    tags(),
		Components: &huma.Components{
			Schemas:    huma.NewMapRegistry(schemaPrefix, huma.DefaultSchemaNamer),
			Parameters: map[string]*huma.Param{},
			Headers:    map[string]*huma.Header{},
			Examples:   map[string]*huma.Example{},
			SecuritySchemes: map[string]*huma.SecurityScheme{securityScheme: {
				Type: "apiKey", In: "header", Name: "Authorization",
				Description: "The token alone; the words Bearer, Token and Ship before it are accepted too.",
			}},
		},
	}
	return d
}

// documented is Huma's API with the document. It implements huma.OperationDocumenter.
type documented struct {
	huma.API
	document *document
}

// DocumentOperation keeps a copy of what Huma has found out about an operation: with a
// RequestBody in the operation itself, Huma would read the body.
func (d documented) DocumentOperation(op *huma.Operation) {
	described := *op
	described.Path = strings.Replace(op.Path, "...}", "}", 1)
	d.document.operations = append(d.document.operations, &described)
}

// complete describes all operations. It is called once, after their registration.
func (d *document) complete() (*document, error) {
	var err error
	if d.failures, err = failures(); err != nil {
		return nil, err
	}
	for name, header := range d.commonHeaders() {
		d.Components.Headers[headerKey(name)] = header
	}
	for _, op := range d.operations {
		d.describe(op)
		d.AddOperation(op)
	}
	finishSchemas(d.Components.Schemas)
	return d, nil
}

// tags are the chapters of the document, in their order.
func tags() []*huma.Tag {
	return []*huma.Tag{
		{Name: "Problems", Description: "Create, load and update problems, one by one or all that a predicate finds."},
		{Name: "Claims", Description: "Say who works on a problem now, and get the next one to work on."},
		{Name: "Attachments", Description: "Attach files to a problem, download and delete them."},
		{Name: "Comments", Description: "Read, add and correct comments of a problem."},
		{Name: "Redactions", Description: "Replace a text in a problem for good, such as a password."},
		{Name: "Keywords", Description: "Set and delete keywords of a problem, each with a value or without."},
		{Name: "Relationships", Description: "Relate problems to each other. The other problem has the mirror of each relationship."},
		{Name: "Watchers", Description: "See and add users who watch a problem."},
		{Name: tagSearch, Description: "Find problems, metadata and users by a predicate, page by page.",
			ExternalDocs: &huma.ExternalDocs{Description: "The predicate language", URL: "docs/predicates"}},
		{Name: tagQueries, Description: "Keep predicates, to search by their identifier."},
		{Name: tagUsers, Description: "See, add and change users."},
		{Name: "Tokens", Description: "Make and revoke API tokens, each with one of the scopes read, comment, report, write and admin."},
		{Name: tagMetadata, Description: "Shape states, priorities, classifications, components and milestones."},
		{Name: tagEvents, Description: "Follow everything that happens, page by page or as a stream."},
		{Name: tagWebhooks, Description: "Have events sent to other services, signed as Standard Webhooks says. By the default limits of the server, a message has at most 8 MiB."},
		{Name: "Audit", Description: "See who changed which metadata, users and tokens, and when."},
	}
}

// Components of all sections have distinct names, because generators make a type of
// each. A schema has the name of its Go type; all others end in their section.
func headerKey(name string) string  { return componentName(name, "Header") }
func exampleKey(name string) string { return componentName(name, "Example") }

// componentName returns the name as an identifier in lower camel case, such as
// ifMatchParameter for "If-Match" and "Parameter".
func componentName(name, section string) string {
	var b strings.Builder
	for word := range strings.SplitSeq(name, "-") {
		if b.Len() == 0 {
			b.WriteString(strings.ToLower(word[:1]) + word[1:])
		} else {
			b.WriteString(strings.ToUpper(word[:1]) + word[1:])
		}
	}
	return b.String() + section
}

const (
	schemaPrefix    = "#/components/schemas/"
	parameterPrefix = "#/components/parameters/"
	headerPrefix    = "#/components/headers/"
	examplePrefix   = "#/components/examples/"
)

// commonHeaders are the headers of answers that no output has.
func (d *document) commonHeaders() map[string]*huma.Header {
	text := func(description, example string) *huma.Header {
		return &huma.Header{Description: description, Schema: &huma.Schema{Type: huma.TypeString}, Example: example}
	}
	headers := map[string]*huma.Header{
		"X-Request-Id":     text("Names the request, in the server's log too. The client's own X-Request-Id, when it has one.", "b7c1f0"),
		"Dry-Run":          text("true when nothing was stored because of dryRun=true.", "true"),
		"WWW-Authenticate": text("How to authenticate.", `Bearer realm="problems"`),
		"Retry-After": {
			Description: "Seconds after which to repeat the request, of which nothing was done. A 503 of the type outcome-unknown has none.",
			Schema:      &huma.Schema{Type: huma.TypeInteger}, Example: 1,
		},
	}
	if d.limited() {
		headers["RateLimit"] = text("How many requests the token has left, or the address without a valid one, and in how many seconds it has them all again.", `"token";r=599;t=1`)
		headers["RateLimit-Policy"] = text("How many requests a token has, or an address without a valid one, and in how many seconds.", `"token";q=600;w=60`)
	}
	return headers
}

// limited reports whether requests are counted.
func (d *document) limited() bool { return d.tokensLimited || d.addressesLimited }

// describe completes the description of an operation, and makes components of its parts.
func (d *document) describe(op *huma.Operation) {
	a := detailsOf(op)
	var parameters []*huma.Param
	for _, p := range op.Parameters {
		parameters = append(parameters, d.parameter(a, p))
	}
	op.Parameters = parameters
	if len(a.bodies) > 0 {
		op.RequestBody = &huma.RequestBody{Required: true, Content: map[string]*huma.MediaType{}}
		for _, b := range a.bodies {
			op.RequestBody.Content[b.media] = &huma.MediaType{Schema: d.bodySchema(op.OperationID, b), Example: b.value()}
			op.RequestBody.Required = !b.optional
		}
	}
	if a.file {
		op.RequestBody = &huma.RequestBody{Required: true, Content: map[string]*huma.MediaType{"*/*": {Schema: &huma.Schema{Type: huma.TypeString, Format: "binary"}}}}
	}
	op.Responses = d.answers(op)
	kinds := kinds(op)
	if !d.limited() {
		kinds = slices.DeleteFunc(kinds, func(k fault.Kind) bool { return k == fault.RateLimited })
	}
	for _, status := range errorStatuses(kinds) {
		op.Responses[strconv.Itoa(status)] = d.errorResponse(op, status, kinds)
	}
}

// parameter makes a component of a parameter as Huma describes it. Its key is the name of its
// field, because several parameters share a name.
func (d *document) parameter(a *details, p *huma.Param) *huma.Param {
	described := &huma.Param{Name: p.Name, In: p.In, Required: p.Required, Description: p.Description}
	described.Schema, described.Example = exemplified(p.Schema)
	key := a.keys[p.In+" "+p.Name]
	if o := a.objects; o != nil { // with other keys than for problems
		switch p.Name {
		case paramPredicate:
			key, described.Example = o.plural+"-"+key, o.example
		case paramSort:
			key, described.Example = o.plural+"-"+key, "-name"
		}
	}
	key = componentName(key, "Parameter")
	d.Components.Parameters[key] = described
	return &huma.Param{Ref: parameterPrefix + key}
}

// exemplified returns the schema of a parameter or header without its description, and its
// example: they belong beside the schema.
func exemplified(schema *huma.Schema) (*huma.Schema, any) {
	bare := *schema
	bare.Description, bare.Examples = "", nil
	if len(schema.Examples) > 0 {
		return &bare, schema.Examples[0]
	}
	return &bare, nil
}

// answers returns the answers of an operation that are no errors. Huma has described the one
// of the default status. Another one has the same content and headers; a 304 has no content,
// and less to say.
func (d *document) answers(op *huma.Operation) responses {
	usual := op.Responses[strconv.Itoa(op.DefaultStatus)]
	var names []string
	for name, header := range usual.Headers {
		described := &huma.Header{Description: header.Schema.Description}
		described.Schema, described.Example = exemplified(header.Schema)
		d.Components.Headers[headerKey(name)] = described
		names = append(names, name)
	}
	if writes(op) {
		names = append(names, "Dry-Run")
	}
	if body := usual.Content[mediaJSON]; body != nil {
		sample := wire.Encoder{Catalogue: samples.Catalogue(), TokenNames: samples.TokenNames}
		detailsOf(op).example(&sample)
		body.Example = json.RawMessage(sample.Buf)
	}
	answers := responses{}
	for key, response := range op.Responses {
		status, err := strconv.Atoi(key)
		switch {
		case err != nil: // the default one, of Huma's own errors
			continue
		case status == http.StatusNotModified:
			response.Headers = d.headerRefs(status, slices.DeleteFunc(slices.Clone(names), func(name string) bool { return name == "Link" })...)
		default:
			response.Content, response.Headers = usual.Content, d.headerRefs(status, names...)
		}
		answers[key] = response
	}
	return answers
}

// value returns the example as the document shows it.
func (b body) value() any {
	if b.media == mediaText {
		return b.example
	}
	return json.RawMessage(b.example)
}

// bodySchema returns the schema of a body. The first of its types is made for requests.
// The others are records as read, without unknown members. A choice of several is a
// component: generators name it after that, and oapi-codegen would send {} for a choice
// without a name.
func (d *document) bodySchema(operation string, b body) *huma.Schema {
	var choices []*huma.Schema
	for i, of := range b.of {
		choice := wire.Schema(d.Components.Schemas, reflect.TypeOf(of))
		if i > 0 {
			choice.Extensions = map[string]any{"unevaluatedProperties": false}
		}
		choices = append(choices, choice)
	}
	if len(choices) == 1 {
		return choices[0]
	}
	name := strings.ToUpper(operation[:1]) + operation[1:] + "Request"
	d.Components.Schemas.Map()[name] = &huma.Schema{
		Description: "The members to write, or the object as it was read, with changes.",
		AnyOf:       choices,
	}
	return &huma.Schema{Ref: schemaPrefix + name}
}

// finishSchemas adds facts missing from Huma's schemas. Records are open to other members
// unless their type says more. A pointer to a record is nullable, as Huma says by itself
// of all other pointers.
func finishSchemas(schemas huma.Registry) {
	for _, unused := range []string{"ErrorModel", "ErrorDetail"} { // of Huma's own errors
		delete(schemas.Map(), unused)
	}
	for name, schema := range schemas.Map() {
		of := schemas.TypeFromRef(schemaPrefix + name)
		if of == nil { // a choice of records: see bodySchema
			continue
		}
		if _, said := of.FieldByName("_"); !said {
			schema.AdditionalProperties = nil
		}
		for _, field := range reflect.VisibleFields(of) {
			member, _, _ := strings.Cut(field.Tag.Get("json"), ",")
			property := schema.Properties[member]
			if field.Type.Kind() == reflect.Pointer && property != nil && property.Ref != "" {
				schema.Properties[member] = wire.OrNull(&huma.Schema{Ref: property.Ref})
				schema.Properties[member].Description = property.Description
			}
		}
	}
}

// errorResponse describes the errors of one status, with an example of each.
func (d *document) errorResponse(op *huma.Operation, status int, kinds []fault.Kind) *huma.Response {
	var headers []string
	if slices.ContainsFunc(kinds, func(kind fault.Kind) bool {
		return isOfSearch(kind) && httpframe.FailureOf(kind).Status == status
	}) || op.OperationID == "saveQuery" && status == http.StatusUnprocessableEntity {
		headers = append(headers, "Link")
	}
	switch status {
	case http.StatusUnauthorized:
		headers = append(headers, "WWW-Authenticate")
	case http.StatusTooManyRequests, http.StatusServiceUnavailable:
		headers = append(headers, "Retry-After")
	}
	var slugs []string
	examples := map[string]*huma.Example{}
	for _, kind := range kinds {
		if httpframe.FailureOf(kind).Status != status {
			continue
		}
		slugs = append(slugs, httpframe.FailureOf(kind).Slug)
		if example := d.addFailure(kind, op.OperationID); example != nil {
			examples[httpframe.FailureOf(kind).Slug] = example
		}
		if ofProblem(op) && knowsRevision(kind) {
			headers = append(headers, "Problem-Revision")
		}
	}
	return &huma.Response{
		Description: strings.Join(slugs, ", "),
		Headers:     d.headerRefs(status, headers...),
		Content: map[string]*huma.MediaType{
			mediaProblem: {Schema: wire.Schema(d.Components.Schemas, reflect.TypeFor[wire.Error]()), Examples: examples},
		},
	}
}

// knowsRevision reports whether an answer of the kind, about a problem, follows a
// look at the problem, and so says its revision.
func knowsRevision(kind fault.Kind) bool {
	switch httpframe.FailureOf(kind).Status {
	case http.StatusConflict, http.StatusPreconditionFailed, http.StatusUnprocessableEntity:
		return true
	}
	return kind == fault.NotFound || kind == fault.KeywordNotFound || kind == fault.CommentNotFound || kind == fault.AttachmentNotFound || kind == fault.RelationshipNotFound
}

// headerRefs refers to the headers of an answer, including the common ones.
func (d *document) headerRefs(status int, names ...string) map[string]*huma.Header {
	refs := map[string]*huma.Header{"X-Request-Id": {Ref: headerPrefix + headerKey("X-Request-Id")}}
	counted := d.tokensLimited && status != http.StatusUnauthorized && status != http.StatusForbidden ||
		d.addressesLimited && status == http.StatusUnauthorized
	if counted || d.limited() && status == http.StatusTooManyRequests {
		names = append([]string{"RateLimit", "RateLimit-Policy"}, names...)
	}
	for _, name := range names {
		refs[name] = &huma.Header{Ref: headerPrefix + headerKey(name)}
	}
	return refs
}
