package httpapi

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/problemtracking/problems/domain/fault"
)

func openAPI(t *testing.T) map[string]any {
	t.Helper()
	w := setup(t).send(t, request("GET", "/openapi.json", "", "Authorization", ""), 200, "")
	var document map[string]any
	if err := json.Unmarshal(w.Body.Bytes(), &document); err != nil {
		t.Fatal(err)
	}
	return document
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
	for _, kind := range []string{"parameters", "headers", "schemas"} {
		for name := range components[kind].(map[string]any) {
			if !used["#/components/"+kind+"/"+name] {
				t.Errorf("nothing refers to the %s %s", kind, name)
			}
		}
	}
}

func TestDocumentHasAllOperations(t *testing.T) {
	t.Parallel()
	document := openAPI(t)
	seen := map[string]bool{}
	for _, e := range endpoints() {
		if seen[e.id] {
			t.Errorf("two operations are called %s", e.id)
		}
		seen[e.id] = true
		pointer := fmt.Sprintf("/paths/%s/%s", strings.ReplaceAll(prefix+e.path, "/", "~1"), strings.ToLower(e.method))
		op, ok := at(document, pointer)
		if !ok {
			t.Errorf("%s is not in the document", e.id)
			continue
		}
		for _, want := range []string{"summary", "operationId", "tags", "security", "responses"} {
			if _, ok := at(op, want); !ok {
				t.Errorf("%s has no %s", e.id, want)
			}
		}
		for _, b := range e.bodies {
			checkMedia(t, op, e.id, "requestBody/content/"+strings.ReplaceAll(b.media, "/", "~1"), "example")
		}
		for _, a := range e.answers {
			if a.of != nil {
				checkMedia(t, op, e.id, fmt.Sprintf("responses/%d/content/application~1json", a.status), "example")
			} else if _, ok := at(op, "responses/"+strconv.Itoa(a.status)+"/description"); !ok {
				t.Errorf("%s does not describe %d", e.id, a.status)
			}
		}
		for _, kind := range e.kinds() {
			content := fmt.Sprintf("responses/%d/content/application~1problem+json", kindOf(kind).status)
			checkMedia(t, op, e.id, content, "examples/"+string(kind))
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

// Every error that a client can meet is in the answers of an operation, but those
// of the router and those that no operation of today makes.
func TestDocumentHasAllErrors(t *testing.T) {
	t.Parallel()
	var possible []fault.Kind
	for _, e := range endpoints() {
		possible = append(possible, e.kinds()...)
	}
	elsewhere := []fault.Kind{fault.MethodNotAllowed, fault.InUse}
	for _, k := range errorKinds {
		if slices.Contains(possible, k.Kind) == slices.Contains(elsewhere, k.Kind) {
			t.Errorf("%s: in the document %v", k.Kind, slices.Contains(possible, k.Kind))
		}
	}
}

// The examples of requests are requests that work.
func TestExamplesOfRequestsWork(t *testing.T) {
	t.Parallel()
	f := setup(t)
	f.snapshot.Watchers = nil
	for _, e := range endpoints() {
		path := strings.NewReplacer("/problems/{identifier}", "/problems/12", "{identifier}", sampleAnn.ID.String(), "{keyword}", "version").Replace(e.path)
		for _, b := range e.bodies {
			switch e.id {
			case "createUser": // Ann is there already
				f.send(t, request(e.method, api+path, b.example), 409, fault.AlreadyExists)
			default:
				if w := f.do(request(e.method, api+path+"?dryRun=true", b.example, "Content-Type", b.media)); w.Code >= 300 {
					t.Errorf("%s: status %d: %s", e.id, w.Code, w.Body)
				}
			}
		}
	}
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
	f.send(t, request("PATCH", api+"/users/"+sampleAnn.ID.String(), read("/users/"+sampleAnn.ID.String())), 200, "")
	f.send(t, request("PATCH", api+"/users/"+sampleAnn.ID.String(), read("/users/"+sampleBob.ID.String())), 422, fault.ReadOnlyField)
}
