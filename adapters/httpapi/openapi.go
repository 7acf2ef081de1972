package httpapi

import (
	"cmp"
	"encoding/json"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/problemtracking/problems/adapters/httpapi/internal/samples"
	"github.com/problemtracking/problems/adapters/httpapi/internal/streams"
	"github.com/problemtracking/problems/adapters/httpapi/internal/wire"
	"github.com/problemtracking/problems/adapters/httpframe"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/tracker"
)

// securityScheme is the name of the one way to authenticate.
const securityScheme = "apiToken"

// document is the OpenAPI document in the making.
type document struct {
	*huma.OpenAPI
	base string // the base path
	// Kinds of requests with a rate limit (D22): with a valid token, and by address
	// without one.
	tokensLimited, addressesLimited bool
	failures                        []failure
}

// describe returns the document with all operations.
func describe(o Options) (*document, error) {
	d, err := newDocument(o)
	if err != nil {
		return nil, err
	}
	for _, e := range endpoints() {
		d.AddOperation(d.operation(e))
	}
	finishSchemas(d.Components.Schemas)
	return d, nil
}

// newDocument returns the document without operations.
func newDocument(o Options) (*document, error) {
	failures, err := failures()
	if err != nil {
		return nil, err
	}
	d := &document{base: o.BasePath, tokensLimited: o.Limits.RatePerMinute > 0, addressesLimited: o.Limits.AddressRatePerMinute > 0, failures: failures}
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
			Parameters: named(parameterKey, parameters()),
			Headers:    named(headerKey, d.answerHeaders()),
			Examples:   map[string]*huma.Example{},
			SecuritySchemes: map[string]*huma.SecurityScheme{securityScheme: {
				Type: "apiKey", In: "header", Name: "Authorization",
				Description: "The token alone; the words Bearer, Token and Ship before it are accepted too.",
			}},
		},
	}
	return d, nil
}

// tags are the chapters of the document, in their order.
func tags() []*huma.Tag {
	return []*huma.Tag{
		{Name: "Problems", Description: "Create, load and update problems, one by one or all that a predicate finds."},
		{Name: "Comments", Description: "Read and add comments of a problem."},
		{Name: "Keywords", Description: "Set and delete keywords of a problem, each with a value or without."},
		{Name: "Relationships", Description: "Relate problems to each other. The other problem has the mirror of each relationship."},
		{Name: "Watchers", Description: "See and add users who watch a problem."},
		{Name: tagSearch, Description: "Find problems, metadata and users by a predicate, page by page.",
			ExternalDocs: &huma.ExternalDocs{Description: "The predicate language", URL: "docs/predicates"}},
		{Name: tagQueries, Description: "Keep predicates, to search by their identifier."},
		{Name: tagUsers, Description: "See, add and change users."},
		{Name: "Tokens", Description: "Make and revoke API tokens, each with one of the scopes read, write and admin."},
		{Name: tagMetadata, Description: "Shape states, priorities, classifications, components and milestones."},
		{Name: tagEvents, Description: "Follow everything that happens, page by page or as a stream."},
		{Name: tagWebhooks, Description: "Have events sent to other services, signed as Standard Webhooks says. By the default limits of the server, a message has at most 8 MiB."},
		{Name: "Audit", Description: "See who changed which metadata, users and tokens, and when."},
	}
}

// Components of all sections have distinct names, because generators make a type of
// each. A schema has the name of its Go type; all others end in their section.
func parameterKey(name string) string { return componentName(name, "Parameter") }
func headerKey(name string) string    { return componentName(name, "Header") }
func exampleKey(name string) string   { return componentName(name, "Example") }

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

// named returns the components with their keys in the document.
func named[C any](key func(string) string, components map[string]C) map[string]C {
	all := map[string]C{}
	for name, component := range components {
		all[key(name)] = component
	}
	return all
}

const (
	schemaPrefix    = "#/components/schemas/"
	parameterPrefix = "#/components/parameters/"
	headerPrefix    = "#/components/headers/"
	examplePrefix   = "#/components/examples/"
)

// paramPageLimit, paramWindowLimit and paramAuditCursor are keys of parameters. Each
// shares its name with a parameter of searches, but differs from it.
const (
	paramPageLimit   = "pageLimit"
	paramWindowLimit = "windowLimit"
	paramAuditCursor = "auditCursor"
)

// parameters are the path, query and header parameters of requests. The key is the name;
// where several parameters share a name, it is the subject.
func parameters() map[string]*huma.Param {
	text := func() *huma.Schema { return &huma.Schema{Type: huma.TypeString} }
	none, one, most, minute := 0.0, 1.0, float64(tracker.MostOnPage), float64(mostWait)
	all := map[string]*huma.Param{
		"Problem": {Name: "identifier", In: "path", Required: true, Description: "The problem's identifier.",
			Schema: &huma.Schema{Type: huma.TypeInteger, Format: "int64", Minimum: &one}, Example: 12},
		"Object": {Name: "identifier", In: "path", Required: true, Description: "The object's identifier.",
			Schema: &huma.Schema{Type: huma.TypeString, Format: "uuid"}, Example: samples.Ann.ID.String()},
		"Keyword": {Name: "keyword", In: "path", Required: true, Description: "The keyword's name. A slash in it is sent as %2F.",
			Schema: text(), Example: "version"},
		paramAfter: {Name: paramAfter, In: "query", Description: "Start behind this: the identifier of an event, a cursor from the link to the next page, or now. Without it, the feed starts with its oldest event.",
			Schema: text(), Example: samples.Events()[0].Cursor.String()},
		paramWait: {Name: paramWait, In: "query", Description: "The longest wait for an event, in seconds. Without it, the answer may be empty at once.",
			Schema: &huma.Schema{Type: huma.TypeInteger, Minimum: &none, Maximum: &minute, Default: 0}, Example: 30},
		paramEventProblem: {Name: paramProblem, In: "query", Description: "Only the events of this problem.",
			Schema: &huma.Schema{Type: huma.TypeInteger, Format: "int64", Minimum: &one}, Example: 12},
		paramEventPredicate: {Name: paramPredicate, In: "query", Description: "Only the events of problems that satisfy this condition when the event is sent, in the [predicate language](docs/predicates).",
			Schema: text(), Example: "state.resolved = NO AND assignee.identifier = $ApiUser"},
		lastEventID: {Name: lastEventID, In: "header", Description: "The same as after, for clients that connect again to a stream. It overrides after=now.",
			Schema: text(), Example: samples.Events()[0].Cursor.String()},
		paramDryRun: {Name: paramDryRun, In: "query", Description: "true: do everything but store, and answer what would have been answered; a problem, metadata object or user that would have been created has no identifier.",
			Schema: &huma.Schema{Type: huma.TypeBoolean}, Example: true},
		paramAsOf: {Name: paramAsOf, In: "query", Description: "Show this as it stood: at a revision, which is a whole number, or at a time (RFC 3339). What is referred to is shown as it is today.",
			Schema: text(), Example: "3"},
		paramPredicate: {Name: paramPredicate, In: "query", Description: "The condition in the [predicate language](docs/predicates), a part of NSPredicate. It is required, unless a savedQuery stands for it.",
			Schema: text(), Example: "state.resolved = NO AND assignee.identifier = $ApiUser"},
		paramSavedQuery: {Name: paramSavedQuery, In: "query", Description: "Instead of predicate: the identifier of a saved query, or a URL whose last path segment is one. A title after the URL does not count.",
			Schema: text(), Example: samples.Identifier(30).String()},
		paramSort: {Name: paramSort, In: "query", Description: "The order: key paths, separated by commas; a minus before one descends; nulls come first. What it does not tell apart is in the order of identifiers, and so is all without it. In pages, an order by what changes can lose objects: see the search.",
			Schema: text(), Example: "-priority.order,title"},
		paramLimit: {Name: paramLimit, In: "query", Description: "How many are wanted at most: the whole result when left out.",
			Schema: &huma.Schema{Type: huma.TypeInteger, Minimum: &one, Maximum: &most}, Example: 100},
		paramWindowLimit: {Name: paramLimit, In: "query", Description: "How many are wanted at most: all when left out.",
			Schema: &huma.Schema{Type: huma.TypeInteger, Minimum: &one, Maximum: &most}, Example: 100},
		paramPageLimit: {Name: paramLimit, In: "query", Description: "How many are wanted at most.",
			Schema: &huma.Schema{Type: huma.TypeInteger, Minimum: &one, Maximum: &most, Default: usualLimit}, Example: usualLimit},
		paramCursor: {Name: paramCursor, In: "query", Description: "Where to go on: from the link to the next page. It is good for the same predicate, sort and user.",
			Schema: text()},
		paramAuditCursor: {Name: paramCursor, In: "query", Description: "Where to go on: from the link to the next page.",
			Schema: text()},
		paramIncludeDetail: {Name: paramIncludeDetail, In: "query", Description: "true: with the logs of the problems.",
			Schema: &huma.Schema{Type: huma.TypeBoolean}, Example: false},
		paramPreview: {Name: paramPreview, In: "query", Description: "What the answer to the same request with dryRun=true has as preview. Without it, there can only be a dry run.",
			Schema: text()},
		"If-Match": {Name: "If-Match", In: "header", Description: "Write only if the problem is at this revision: an ETag of the problem, or the revision in quotes; several in a list; or *.",
			Schema: text(), Example: `"3"`},
		"If-None-Match": {Name: "If-None-Match", In: "header", Description: "Answer 304 if the ETag is still this one.",
			Schema: text(), Example: `"3.14.6.3b71d16e7fb88410"`},
		"Idempotency-Key": {Name: "Idempotency-Key", In: "header", Description: "Makes the request repeatable for 24 hours: the same key with the same request gets the first answer again. 1 to 255 visible characters. All that creates something with POST takes one, but for tokens. GET, PUT, PATCH and DELETE ignore it: repeated, they do nothing more, and If-Match tells whether somebody else has written meanwhile.",
			Schema: text(), Example: "8e03978e-40d5-43e8-bc93-6894a57f9324"},
	}
	for _, s := range searchables { // with other keys than for problems
		shown := s.shown()
		what, order := *all[paramPredicate], *all[paramSort]
		what.Required, what.Description, what.Example = true, "The condition in the [predicate language](docs/predicates), a part of NSPredicate.", s.example
		order.Example = "-name"
		all[shown[paramPredicate]], all[shown[paramSort]] = &what, &order
	}
	return all
}

// answerHeaders are the headers of answers.
func (d *document) answerHeaders() map[string]*huma.Header {
	text := func(description, example string) *huma.Header {
		return &huma.Header{Description: description, Schema: &huma.Schema{Type: huma.TypeString}, Example: example}
	}
	whole := func(description string, example int) *huma.Header {
		return &huma.Header{Description: description, Schema: &huma.Schema{Type: huma.TypeInteger}, Example: example}
	}
	headers := map[string]*huma.Header{
		"X-Request-Id":         text("Names the request, in the server's log too. The client's own X-Request-Id, when it has one.", "b7c1f0"),
		"ETag":                 text("Changes with everything that the answer shows.", `"3.14.6.3b71d16e7fb88410"`),
		"Problem-Revision":     whole("The revision of the problem.", 3),
		"Link":                 text("The path of the next page, when there is one. The answer to an invalid or too expensive predicate has the path of the page about the language instead, with rel=help.", `<`+prefix+`/problems?cursor=eyJ1IjoiIn0>; rel="next"`),
		"Location":             text("The path of what was created.", prefix+"/problems/12"),
		"Dry-Run":              text("true when nothing was stored because of dryRun=true.", "true"),
		"Ignored-Members":      text("The members of the body that were not stored, though the problem or object has another value of them: a list of their names.", "creationDate, originator"),
		"Idempotency-Replayed": text("true when this is the answer to an earlier, equal request.", "true"),
		"Retry-After":          whole("Seconds after which to repeat the request, of which nothing was done. A 503 of the type outcome-unknown has none.", 1),
		"WWW-Authenticate":     text("How to authenticate.", `Bearer realm="problems"`),
	}
	if d.limited() {
		headers["RateLimit"] = text("How many requests the token has left, or the address without a valid one, and in how many seconds it has them all again.", `"token";r=599;t=1`)
		headers["RateLimit-Policy"] = text("How many requests a token has, or an address without a valid one, and in how many seconds.", `"token";q=600;w=60`)
	}
	return headers
}

// limited reports whether requests are counted.
func (d *document) limited() bool { return d.tokensLimited || d.addressesLimited }

// operation returns the description of the endpoint, with references into the document.
func (d *document) operation(e endpoint) *huma.Operation {
	op := &huma.Operation{
		OperationID: e.id,
		Method:      e.method,
		Path:        e.path,
		Tags:        []string{e.tag},
		Summary:     e.summary,
		Description: e.description,
		Security:    []map[string][]string{{securityScheme: {string(e.scope)}}},
		Responses:   map[string]*huma.Response{},
	}
	for _, name := range e.parameterNames() {
		op.Parameters = append(op.Parameters, &huma.Param{Ref: parameterPrefix + parameterKey(name)})
	}
	if len(e.bodies) > 0 {
		op.RequestBody = &huma.RequestBody{Required: true, Content: map[string]*huma.MediaType{}}
		for _, b := range e.bodies {
			op.RequestBody.Content[b.media] = &huma.MediaType{Schema: d.bodySchema(e, b), Example: b.value()}
			op.RequestBody.Required = !b.optional
		}
	}
	for _, a := range e.answers {
		response := &huma.Response{Description: a.description, Headers: d.headerRefs(a.status, a.headers...)}
		if a.of != nil {
			sample := wire.Encoder{Catalogue: samples.Catalogue()}
			a.example(&sample)
			response.Content = map[string]*huma.MediaType{
				mediaJSON: {Schema: d.schema(a.of), Example: json.RawMessage(sample.Buf)},
			}
			if a.stream {
				response.Content[mediaEvents] = eventStreamType()
			}
		}
		op.Responses[strconv.Itoa(a.status)] = response
	}
	kinds := e.kinds()
	if !d.limited() {
		kinds = slices.DeleteFunc(kinds, func(k fault.Kind) bool { return k == fault.RateLimited })
	}
	for _, status := range errorStatuses(kinds) {
		op.Responses[strconv.Itoa(status)] = d.errorResponse(e, status, kinds)
	}
	return op
}

// parameterNames returns the keys of the operation's parameters.
func (e endpoint) parameterNames() []string {
	var names []string
	switch {
	case e.ofProblem():
		names = append(names, "Problem")
	case strings.Contains(e.path, "{identifier}"):
		names = append(names, "Object")
	}
	if strings.Contains(e.path, "{keyword}") {
		names = append(names, "Keyword")
	}
	for _, name := range e.queryNames() {
		names = append(names, cmp.Or(e.shown[name], name))
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

// schema returns the schema of a type of package wire, or of a slice of one.
func (d *document) schema(of any) *huma.Schema {
	t := reflect.TypeOf(of)
	if t.Kind() == reflect.Slice { // Huma's own schema of a slice would admit null
		return &huma.Schema{Type: huma.TypeArray, Items: d.Components.Schemas.Schema(t.Elem(), true, "")}
	}
	return d.Components.Schemas.Schema(t, true, "")
}

// bodySchema returns the schema of a body. The first of its types is made for requests.
// The others are records as read, without unknown members. A choice of several is a
// component: generators name it after that, and oapi-codegen would send {} for a choice
// without a name.
func (d *document) bodySchema(e endpoint, b body) *huma.Schema {
	var choices []*huma.Schema
	for i, of := range b.of {
		choice := d.schema(of)
		if i > 0 {
			choice.Extensions = map[string]any{"unevaluatedProperties": false}
		}
		choices = append(choices, choice)
	}
	if len(choices) == 1 {
		return choices[0]
	}
	name := strings.ToUpper(e.id[:1]) + e.id[1:] + "Request"
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
				schema.Properties[member] = &huma.Schema{
					Description: property.Description,
					AnyOf:       []*huma.Schema{{Ref: property.Ref}, {Type: "null"}},
				}
			}
		}
	}
}

// errorResponse describes the errors of one status, with an example of each.
func (d *document) errorResponse(e endpoint, status int, kinds []fault.Kind) *huma.Response {
	var headers []string
	if slices.ContainsFunc(kinds, func(kind fault.Kind) bool {
		return isOfSearch(kind) && httpframe.FailureOf(kind).Status == status
	}) || e.id == "saveQuery" && status == http.StatusUnprocessableEntity {
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
		if example := d.addFailure(kind, e.id); example != nil {
			examples[httpframe.FailureOf(kind).Slug] = example
		}
		if e.ofProblem() && knowsRevision(kind) {
			headers = append(headers, "Problem-Revision")
		}
	}
	return &huma.Response{
		Description: strings.Join(slugs, ", "),
		Headers:     d.headerRefs(status, headers...),
		Content: map[string]*huma.MediaType{
			mediaProblem: {Schema: d.schema(wire.Error{}), Examples: examples},
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
	return kind == fault.KeywordNotFound || kind == fault.RelationshipNotFound
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

// errorStatuses returns the statuses of the kinds, in ascending order.
func errorStatuses(kinds []fault.Kind) []int {
	var statuses []int
	for _, k := range kinds {
		statuses = append(statuses, httpframe.FailureOf(k).Status)
	}
	slices.Sort(statuses)
	return slices.Compact(statuses)
}

// eventStreamType describes the answer as server-sent events.
func eventStreamType() *huma.MediaType {
	return &huma.MediaType{
		Schema: &huma.Schema{
			Type:        huma.TypeString,
			Description: "Server-sent events. The data of each are an Event, and its id is the identifier of the Event.",
		},
		Example: streams.Reconnect + "id: " + samples.Events()[0].Cursor.String() + "\ndata: {…}\n\n",
	}
}
