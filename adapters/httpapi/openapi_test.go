package httpapi

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"

	"github.com/danielgtaylor/huma/v2"

	"github.com/problemtracking/problems/adapters/httpapi/internal/samples"
	"github.com/problemtracking/problems/adapters/httpapi/internal/wire"
	"github.com/problemtracking/problems/adapters/httpframe"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/query"
	"github.com/problemtracking/problems/domain/store"
	"github.com/problemtracking/problems/domain/user"
)

func openAPI(t *testing.T) map[string]any {
	t.Helper()
	f := setup(t, func(o *Options) { o.Limits.RatePerMinute = 600 })
	w := f.send(t, request("GET", "/openapi.json", "", "Authorization", ""), 200, "")
	var document map[string]any
	if err := json.Unmarshal(w.Body.Bytes(), &document); err != nil {
		t.Fatal(err)
	}
	return document
}

// pointer leads to the operation in the document.
func (e endpoint) pointer() string {
	return "/paths/" + strings.ReplaceAll(e.Path, "/", "~1") + "/" + strings.ToLower(e.Method)
}

// at follows a JSON Pointer without escapes but ~1.
func at(document any, pointer string) (any, bool) {
	for _, name := range strings.Split(strings.TrimPrefix(pointer, "/"), "/") {
		object, ok := document.(map[string]any)
		if document, ok = object[strings.ReplaceAll(name, "~1", "/")], ok && object != nil; !ok || document == nil {
			return nil, false
		}
	}
	return document, true
}

func TestDocumentRefersToWhatItHas(t *testing.T) {
	t.Parallel()
	document := openAPI(t)
	if document["openapi"] != "3.1.0" {
		t.Errorf("OpenAPI %v", document["openapi"])
	}
	used := map[string]bool{}
	var walk func(any)
	walk = func(v any) {
		switch v := v.(type) {
		case map[string]any:
			if ref, ok := v["$ref"].(string); ok {
				used[ref] = true
				if _, ok := at(document, strings.TrimPrefix(ref, "#")); !ok {
					t.Errorf("%s leads nowhere", ref)
				}
			}
			for _, member := range v {
				walk(member)
			}
		case []any:
			for _, element := range v {
				walk(element)
			}
		}
	}
	walk(document)
	components := document["components"].(map[string]any)
	for _, kind := range []string{"parameters", "headers", "schemas", "examples"} {
		for name := range components[kind].(map[string]any) {
			if !used["#/components/"+kind+"/"+name] {
				t.Errorf("nothing refers to the %s %s", kind, name)
			}
		}
	}
}

// identifierOf returns a name as generators write identifiers, as far as two names
// become one: its letters and digits, in lower case.
func identifierOf(name string) string {
	return strings.Map(func(c rune) rune {
		if unicode.IsLetter(c) || unicode.IsDigit(c) {
			return unicode.ToLower(c)
		}
		return -1
	}, name)
}

// Generators make a type of each component, whatever its section, and several refuse
// a document in which two get the same name.
func TestComponentsHaveDistinctNames(t *testing.T) {
	t.Parallel()
	taken := map[string]string{} // by identifier, the place in the document
	for section, members := range openAPI(t)["components"].(map[string]any) {
		for name := range members.(map[string]any) {
			place := "/components/" + section + "/" + name
			if !componentForm.MatchString(name) {
				t.Errorf("%s is no identifier", place)
			}
			if other, ok := taken[identifierOf(name)]; ok {
				t.Errorf("%s and %s are one name to a generator", other, place)
			}
			taken[identifierOf(name)] = place
		}
	}
}

// No two parameters share a key, and every operation describes each name in its path. A
// shared key would let one parameter replace the other.
func TestPathsHaveTheirParameters(t *testing.T) {
	t.Parallel()
	keys := map[string]*huma.Param{}
	for _, e := range endpoints() {
		for _, p := range e.Parameters {
			key := e.keys[p.In+" "+p.Name]
			if e.objects != nil {
				key += " of objects"
			}
			if other := keys[key]; other != nil && !reflect.DeepEqual(p, other) {
				t.Errorf("the parameters %v and %v share the key %s", p, other, key)
			}
			keys[key] = p
		}
	}
	document := openAPI(t)
	placeholder := regexp.MustCompile(`{([a-z]+)}`)
	for _, e := range endpoints() {
		op, _ := at(document, e.pointer())
		described := map[string]bool{}
		parameters, _ := op.(map[string]any)["parameters"].([]any)
		for _, p := range parameters {
			described[fmt.Sprint(resolved(t, document, p)["in"], " ", resolved(t, document, p)["name"])] = true
		}
		for _, name := range placeholder.FindAllStringSubmatch(e.Path, -1) {
			if !described["path "+name[1]] {
				t.Errorf("%s has no parameter for {%s} of its path, but %v", e.OperationID, name[1], described)
			}
		}
	}
}

// resolved returns what a reference of the document refers to.
func resolved(t *testing.T, document map[string]any, reference any) map[string]any {
	t.Helper()
	ref, _ := reference.(map[string]any)["$ref"].(string)
	object, ok := at(document, strings.TrimPrefix(ref, "#"))
	if !ok {
		t.Fatalf("%v refers to nothing", reference)
	}
	return object.(map[string]any)
}

// Generators make a function of each operation.
func TestOperationsHaveDistinctNames(t *testing.T) {
	t.Parallel()
	taken := map[string]string{}
	for _, e := range endpoints() {
		if !operationForm.MatchString(e.OperationID) {
			t.Errorf("the operation %q is not called as a function is, such as loadProblem", e.OperationID)
		}
		if other, ok := taken[identifierOf(e.OperationID)]; ok {
			t.Errorf("%s and %s are one name to a generator", other, e.OperationID)
		}
		taken[identifierOf(e.OperationID)] = e.OperationID
	}
}

// componentForm and operationForm match names that are identifiers in the usual
// languages.
var (
	componentForm = regexp.MustCompile(`^[a-zA-Z][a-zA-Z0-9]*$`)
	operationForm = regexp.MustCompile(`^[a-z][a-zA-Z0-9]*$`)
)

// The values of an enumeration become constants: they are distinct identifiers, too.
func TestEnumerationsAreGoodForGenerators(t *testing.T) {
	t.Parallel()
	document := openAPI(t)
	enumerations := 0
	var walk func(place string, v any)
	walk = func(place string, v any) {
		object, _ := v.(map[string]any)
		for name, member := range object {
			walk(place+"/"+name, member)
		}
		values, ok := object["enum"].([]any)
		if !ok {
			return
		}
		enumerations++
		taken := map[string]bool{}
		for _, v := range values {
			name, ok := v.(string)
			id := identifierOf(name)
			if !ok || id == "" || unicode.IsDigit(rune(id[0])) || taken[id] {
				t.Errorf("%s: %v cannot be the name of a constant beside the others", place, v)
			}
			taken[id] = true
		}
		if object["type"] != "string" {
			t.Errorf("%s: the type is %v, not string", place, object["type"])
		}
	}
	schemas, _ := at(document, "/components/schemas")
	walk("/components/schemas", schemas)
	if enumerations == 0 {
		t.Error("the document has no enumeration")
	}
}

// A choice of several schemas is a component, which has a name: for one in a body,
// oapi-codegen makes a type that is sent as {}.
func TestBodiesAreNamed(t *testing.T) {
	t.Parallel()
	document := openAPI(t)
	choices := 0
	for _, e := range endpoints() {
		for _, b := range e.bodies {
			schema, _ := at(document, e.pointer()+"/requestBody/content/"+strings.ReplaceAll(b.media, "/", "~1")+"/schema")
			ref, ok := at(schema, "/$ref")
			if !ok {
				if _, choice := at(schema, "/anyOf"); choice {
					t.Errorf("the choice of bodies of %s, in %s, has no name", e.OperationID, b.media)
				}
				continue
			}
			component, _ := at(document, strings.TrimPrefix(ref.(string), "#"))
			if forms, ok := at(component, "/anyOf"); ok {
				choices++
				if got := len(forms.([]any)); got != len(b.of) {
					t.Errorf("%s: %d forms, not %d", e.OperationID, got, len(b.of))
				}
			}
		}
	}
	if choices == 0 {
		t.Error("no operation has a choice of bodies")
	}
}

// Every operation has one tag of the list, and every tag of the list says what it is
// about: documentation has a chapter, and generators a class, for each.
func TestTagsAreDescribed(t *testing.T) {
	t.Parallel()
	document := openAPI(t)
	used := map[string]bool{}
	for _, e := range endpoints() {
		used[e.Tags[0]] = true
	}
	for _, tag := range document["tags"].([]any) {
		tag := tag.(map[string]any)
		name, _ := tag["name"].(string)
		description, _ := tag["description"].(string)
		if !strings.HasSuffix(description, ".") {
			t.Errorf("the tag %s has no sentence for a description: %q", name, description)
		}
		if !used[name] {
			t.Errorf("the tag %s is in the list, and has no operation or is there twice", name)
		}
		delete(used, name)
	}
	for name := range used {
		t.Errorf("the tag %s is not in the list", name)
	}
}

func TestDocumentHasAllOperations(t *testing.T) {
	t.Parallel()
	document := openAPI(t)
	seen := map[string]bool{}
	for _, e := range endpoints() {
		if seen[e.OperationID] {
			t.Errorf("two operations are called %s", e.OperationID)
		}
		seen[e.OperationID] = true
		op, ok := at(document, e.pointer())
		if !ok {
			t.Errorf("%s is not in the document", e.OperationID)
			continue
		}
		for _, want := range []string{"summary", "operationId", "tags", "security", "responses"} {
			if _, ok := at(op, want); !ok {
				t.Errorf("%s has no %s", e.OperationID, want)
			}
		}
		for _, b := range e.bodies {
			checkMedia(t, op, e.OperationID, "requestBody/content/"+strings.ReplaceAll(b.media, "/", "~1"), "example")
		}
		for status := range e.answers() {
			if e.of != nil && status < 300 {
				checkMedia(t, op, e.OperationID, fmt.Sprintf("responses/%d/content/application~1json", status), "example")
			} else if _, ok := at(op, "responses/"+strconv.Itoa(status)+"/description"); !ok {
				t.Errorf("%s does not describe %d", e.OperationID, status)
			}
		}
		for _, kind := range kinds(e.Operation) {
			content := fmt.Sprintf("responses/%d/content/application~1problem+json", httpframe.FailureOf(kind).Status)
			checkMedia(t, op, e.OperationID, content, "examples/"+string(kind))
		}
	}
}

func checkMedia(t *testing.T, op any, id, content, example string) {
	t.Helper()
	for _, want := range []string{"/schema", "/" + example} {
		if _, ok := at(op, content+want); !ok {
			t.Errorf("%s has no %s", id, content+want)
		}
	}
}

// D32: where a limit left out is 100, the document says so; and what it says of the
// cursors of searches is not said of the audit log.
func TestDocumentTellsListsFromSearches(t *testing.T) {
	t.Parallel()
	document := openAPI(t)
	limits := map[string]any{"listProblems": 100.0, "listAudit": 100.0, "listEvents": 100.0}
	for _, e := range endpoints() {
		op, _ := at(document, e.pointer())
		parameters, _ := at(op, "/parameters")
		refs, _ := parameters.([]any) // nil: it has none
		for _, ref := range refs {
			pointer, _ := at(ref, "/$ref")
			parameter, _ := at(document, strings.TrimPrefix(pointer.(string), "#"))
			switch p := parameter.(map[string]any); p["name"] {
			case paramLimit:
				if got, _ := at(p, "/schema/default"); got != limits[e.OperationID] {
					t.Errorf("%s: limit is %v when left out, not %v", e.OperationID, got, limits[e.OperationID])
				}
			case paramCursor:
				if about := strings.Contains(p["description"].(string), "predicate"); about == (e.OperationID == "listAudit" || e.OperationID == "loadProblem" || e.OperationID == "loadComments") {
					t.Errorf("%s: a cursor is said to be: %s", e.OperationID, p["description"])
				}
			}
		}
	}
}

// Every error that a client can meet is in the answers of an operation, but those
// of the router and those that no operation of today makes.
func TestDocumentHasAllErrors(t *testing.T) {
	t.Parallel()
	var possible []fault.Kind
	for _, e := range endpoints() {
		possible = append(possible, kinds(e.Operation)...)
	}
	elsewhere := []fault.Kind{fault.MethodNotAllowed}
	for _, k := range httpframe.Failures() {
		if slices.Contains(possible, k.Kind) == slices.Contains(elsewhere, k.Kind) {
			t.Errorf("%s: in the document %v", k.Kind, slices.Contains(possible, k.Kind))
		}
	}
}

// Later versions add members to answers, which must not break clients that check
// them; what requests must not have is refused today.
func TestAnswersAreOpenAndRequestsClosed(t *testing.T) {
	t.Parallel()
	schemas, _ := at(openAPI(t), "/components/schemas")
	for name, schema := range schemas.(map[string]any) {
		request := strings.HasPrefix(name, "New") || strings.HasSuffix(name, "Patch") || strings.HasSuffix(name, "Search") || name == "Link" || name == "UndoScope"
		if closed := schema.(map[string]any)["additionalProperties"] == false; closed != request {
			t.Errorf("%s: closed %t", name, closed)
		}
	}
}

// Without a limit there is nothing to say about it.
func TestDocumentWithoutRateLimit(t *testing.T) {
	t.Parallel()
	text := setup(t).send(t, request("GET", "/openapi.json", ""), 200, "").Body.String()
	for _, word := range []string{"RateLimit", "429", "rate-limited"} {
		if strings.Contains(text, word) {
			t.Errorf("the document has %s", word)
		}
	}
}

// The document says where the counters of tokens and of addresses are answered.
func TestDocumentWithRateLimits(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		limits Limits
		want   map[string]bool // by status of GET /me, whether it has RateLimit
	}{
		{Limits{RatePerMinute: 9}, map[string]bool{"200": true, "401": false, "429": true}},
		{Limits{AddressRatePerMinute: 9}, map[string]bool{"200": false, "401": true, "429": true}},
		{Limits{RatePerMinute: 9, AddressRatePerMinute: 9}, map[string]bool{"200": true, "401": true, "429": true}},
	} {
		f := setup(t, func(o *Options) {
			o.Limits.RatePerMinute, o.Limits.AddressRatePerMinute = c.limits.RatePerMinute, c.limits.AddressRatePerMinute
		})
		var document any
		if err := json.Unmarshal(f.send(t, request("GET", "/openapi.json", ""), 200, "").Body.Bytes(), &document); err != nil {
			t.Fatal(err)
		}
		for status, want := range c.want {
			if _, has := at(document, "/paths/~1me/get/responses/"+status+"/headers/RateLimit"); has != want {
				t.Errorf("with %+v the answer %s of GET /me has RateLimit: %t", c.limits, status, has)
			}
		}
	}
}

func TestDocumentBelowBasePath(t *testing.T) {
	t.Parallel()
	f := setup(t, func(o *Options) { o.BasePath = "/tracker" })
	text := f.send(t, request("GET", "/tracker/openapi.json", ""), 200, "").Body.String()
	for want, ok := range map[string]bool{
		`"servers":[{"url":"/tracker/api/20151105"}]`: true,
		`"type":"/tracker/errors/`:                    true,
		`"type":"/errors/`:                            false,
	} {
		if strings.Contains(text, want) != ok {
			t.Errorf("%s in the document: %t", want, !ok)
		}
	}
}

// The examples of requests are requests that work, and are answered like the
// examples of answers, but for times and identifiers of what is new.
func TestExamplesOfRequestsWork(t *testing.T) {
	t.Parallel()
	document := openAPI(t)
	for _, e := range endpoints() {
		for i, b := range e.bodies {
			f := setup(t)
			for i := range f.tokens {
				f.tokens[i].Name = samples.Token.Name
			}
			switch e.OperationID {
			case "createUser": // is there already
				f.catalogue = metadata.NewCatalogue(ident.Version{Number: 14}, metadata.Content{Users: []user.User{samples.Bob}})
				f.tokens[2].User = samples.Bob.ID
			case "searchProblemsByPost", "claimNext":
				f.hits = []store.Hit{{ID: 12}}
			case "updateProblem":
				f.snapshot.State, f.snapshot.Revision = samples.Open.ID, 2
			case "updateProblems", "undoBatch":
				f.hits = []store.Hit{{ID: 12, Revision: 3}}
			case "updateWebhook":
				f.feed = feedOfHook()
			case "updateQuery":
				saved := samples.Query()
				saved.ID = objectOf(e)
				f.queries = []query.Saved{saved}
			}
			path := strings.NewReplacer("/problems/{identifier}", "/problems/12", "{identifier}", objectOf(e).String(), "{keyword}", "version", "{comment}", samples.Comment().ID.String(), "{batch}", f.snapshot.Batch.String(), "{attachment}", samples.Attachment().ID.String()).Replace(e.Path)
			switch e.OperationID {
			case "updateProblems":
				path += "?predicate=TRUEPREDICATE&dryRun=true"
			case "undoBatch":
				path += "?dryRun=true"
			}
			w := f.do(request(e.Method, api+path, b.example, "Content-Type", b.media))
			if e.answers()[w.Code] == nil {
				t.Errorf("%s: status %d: %s", e.OperationID, w.Code, w.Body)
				continue
			}
			checkHeaders(t, document, e, w)
			if i > 0 || e.of == nil {
				continue // the example of the answer is that to the first body
			}
			sample := wire.Encoder{Catalogue: samples.Catalogue(), TokenNames: samples.TokenNames}
			e.example(&sample)
			if got, want := lasting(t, w.Body.Bytes()), lasting(t, sample.Buf); got != want {
				t.Errorf("%s: the answer is\n%s\nand its example\n%s", e.OperationID, got, want)
			}
		}
	}
}

// The examples of the parameters of searches make searches that work.
func TestExamplesOfSearchesWork(t *testing.T) {
	t.Parallel()
	document := openAPI(t)
	searches := 0
	for _, e := range endpoints() {
		if e.Method != http.MethodGet || !strings.HasSuffix(e.Path, "/search") {
			continue
		}
		searches++
		values := url.Values{}
		op, _ := at(document, e.pointer())
		parameters, _ := at(op, "/parameters")
		for _, ref := range parameters.([]any) {
			pointer, _ := at(ref, "/$ref")
			parameter, _ := at(document, strings.TrimPrefix(pointer.(string), "#"))
			p := parameter.(map[string]any)
			if name := p["name"].(string); p["in"] == "query" && p["example"] != nil && name != paramSavedQuery {
				values.Set(name, fmt.Sprint(p["example"]))
			}
		}
		if values.Get(paramPredicate) == "" || values.Get(paramSort) == "" {
			t.Errorf("%s: no example of a predicate or a sort: %v", e.OperationID, values)
		}
		setup(t).send(t, request(e.Method, api+e.Path+"?"+values.Encode(), ""), 200, "")
	}
	if searches != len(searchables)+1 {
		t.Errorf("%d searches", searches)
	}
}

// lasting returns a body without what is another one in every answer.
func lasting(t *testing.T, body []byte) string {
	t.Helper()
	var v any
	if err := json.Unmarshal(body, &v); err != nil {
		t.Fatal(err)
	}
	var strip func(any)
	strip = func(v any) {
		switch v := v.(type) {
		case map[string]any:
			for name, member := range v {
				if _, text := member.(string); text && (strings.HasSuffix(strings.ToLower(name), "identifier") || strings.HasSuffix(name, "Date") || name == "token" || name == "secret" || name == "preview") {
					delete(v, name)
				}
				strip(member)
			}
		case []any:
			for _, element := range v {
				strip(element)
			}
		}
	}
	strip(v)
	text, _ := json.Marshal(v)
	return string(text)
}

// A generated client sends what was read: it has to be accepted.
func TestWhatWasReadCanBeSentBack(t *testing.T) {
	t.Parallel()
	f := setup(t)
	read := func(path string) string { return f.send(t, request("GET", api+path, ""), 200, "").Body.String() }
	first := func(array string) string { return strings.TrimSuffix(strings.TrimPrefix(array, "["), "]\n") }
	before := read("/problems/12")
	w := f.send(t, request("PATCH", api+"/problems/12", before), 200, "")
	if len(f.changes) > 0 || w.Header().Get("Problem-Revision") != "3" {
		t.Errorf("sending back what was read changed %v", f.changes)
	}
	f.send(t, request("POST", api+"/problems?dryRun=true", before), 409, fault.TransitionNotAllowed) // its state is not initial
	f.send(t, request("DELETE", api+"/problems/12/relationships", first(read("/problems/12/relationships"))), 204, "")
	f.send(t, request("PUT", api+"/problems/12/watchers", first(read("/problems/12/watchers"))), 200, "")
	written := len(f.changes)
	for _, e := range endpoints() {
		if e.Method == "PATCH" && e.Tags[0] == "Metadata" {
			path := strings.Replace(e.Path, "{identifier}", objectOf(e).String(), 1)
			if w := f.send(t, request("PATCH", api+path, read(path)), 200, ""); len(f.changes) > written || w.Body.String() != read(path) {
				t.Errorf("%s: sending back what was read is answered with %s and changes %v", path, w.Body, f.changes[written:])
			}
		}
	}
	f.send(t, request("PATCH", api+"/users/"+samples.Ann.ID.String(), read("/users/"+samples.Ann.ID.String())), 200, "")
	f.send(t, request("PATCH", api+"/users/"+samples.Ann.ID.String(), read("/users/"+samples.Bob.ID.String())), 422, fault.ReadOnlyField)
}
