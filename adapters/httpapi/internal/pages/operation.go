package pages

import (
	"encoding/json"
	"fmt"
	"html/template"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"
)

// operation is the view of an operation.
type operation struct {
	ID, Method, Path, Summary string
	// Scope is the scope that a token needs; empty: the document names none.
	Scope      string
	About      template.HTML
	Parameters []member
	Required   bool // whether there has to be a body
	Bodies     []body
	Answers    []answer
	Failures   []failure
	Call       string // a command
}

// body is a kind of body of a request, of one or more media types.
type body struct {
	Media   []string
	Kind    []word
	About   template.HTML
	Members []member
	// Closed is whether other members are refused.
	Closed bool
	// Example is shown beside the command: the first body is in it.
	Example string
}

// Statuses returns the statuses of the errors.
func (o operation) Statuses() []int {
	var all []int
	for _, f := range o.Failures {
		all = append(all, f.Status)
	}
	return slices.Compact(all)
}

// answer is an answer, but for errors.
type answer struct {
	Status  int
	About   template.HTML
	Kind    []word
	Media   []string
	Headers []string
	// Examples are one for each media type, or none.
	Examples []example
}

// Name returns the name of the status.
func (a answer) Name() string { return http.StatusText(a.Status) }

// example is an example of a body.
type example struct {
	Media, Text string
	// Tall is whether the example is scrolled by itself.
	Tall bool
}

// failure is an error among the answers.
type failure struct {
	Status int
	Slug   string
	Detail string // an example
}

// tall is how many lines of an example are shown at once.
const tall = 30

// operation returns the view of an operation.
func (r Reference) operation(op *huma.Operation) (operation, error) {
	shown := operation{ID: op.OperationID, Method: op.Method, Path: op.Path, Summary: op.Summary, Scope: scopeOf(op)}
	var err error
	if shown.About, err = toHTML(op.Description); err != nil {
		return shown, err
	}
	parameters := r.parameters(op)
	for _, p := range parameters {
		about, err := toHTML(p.Description)
		if err != nil {
			return shown, err
		}
		facts, values := factsOf(p.Schema)
		shown.Parameters = append(shown.Parameters, member{Name: p.Name, In: p.In, Kind: kindOf(p.Schema), Facts: facts, Values: values, Required: p.Required, About: about, Example: literal(p.Example)})
	}
	if op.RequestBody != nil {
		shown.Required = op.RequestBody.Required
		if shown.Bodies, err = r.bodies(op.RequestBody.Content); err != nil {
			return shown, err
		}
	}
	for _, status := range slices.Sorted(maps.Keys(op.Responses)) {
		code, err := strconv.Atoi(status)
		if err != nil {
			return shown, fmt.Errorf("%s: the status %q is no number", op.OperationID, status)
		}
		if code >= http.StatusBadRequest {
			shown.Failures = append(shown.Failures, r.failures(code, op.Responses[status])...)
			continue
		}
		a, err := answerOf(code, op.Responses[status])
		if err != nil {
			return shown, err
		}
		shown.Answers = append(shown.Answers, a)
	}
	shown.Call = command(op, parameters, r.Asked[op.OperationID])
	return shown, nil
}

// scopeOf returns the scope that a token needs.
func scopeOf(op *huma.Operation) string {
	for _, way := range op.Security {
		for _, scopes := range way {
			return strings.Join(scopes, ", ")
		}
	}
	return ""
}

// parameters returns the parameters of an operation in place of references.
func (r Reference) parameters(op *huma.Operation) []*huma.Param {
	var all []*huma.Param
	for _, p := range op.Parameters {
		if p.Ref != "" {
			p = r.Components.Parameters[last(p.Ref)]
		}
		all = append(all, p)
	}
	return all
}

// bodies returns the bodies of a request. Media types with the same body are together.
func (r Reference) bodies(content map[string]*huma.MediaType) ([]body, error) {
	var all []body
	for _, media := range slices.Sorted(maps.Keys(content)) {
		of := content[media]
		next := body{Media: []string{media}, Kind: kindOf(of.Schema), Example: layOut(of.Example)}
		if i := slices.IndexFunc(all, func(b body) bool { return slices.Equal(b.Kind, next.Kind) && b.Example == next.Example }); i >= 0 {
			all[i].Media = append(all[i].Media, media)
			continue
		}
		resolved := r.resolve(of.Schema)
		var err error
		if next.About, err = toHTML(resolved.Description); err != nil {
			return nil, err
		}
		if len(resolved.AnyOf) > 0 { // the first is made for requests
			next.Kind = kindOf(resolved)
			resolved = r.resolve(resolved.AnyOf[0])
		}
		if next.Members, err = membersOf(resolved); err != nil {
			return nil, err
		}
		next.Closed = resolved.AdditionalProperties == false
		all = append(all, next)
	}
	return all, nil
}

// answerOf returns the view of an answer.
func answerOf(status int, response *huma.Response) (answer, error) {
	a := answer{Status: status}
	var err error
	if a.About, err = toHTML(response.Description); err != nil {
		return a, err
	}
	a.Headers = slices.Sorted(maps.Keys(response.Headers))
	for _, media := range slices.Sorted(maps.Keys(response.Content)) {
		of := response.Content[media]
		if a.Kind == nil {
			a.Kind = kindOf(of.Schema)
		}
		a.Media = append(a.Media, media)
		if text := layOut(of.Example); text != "" {
			a.Examples = append(a.Examples, example{media, text, strings.Count(text, "\n") >= tall})
		}
	}
	return a, nil
}

// failures returns the errors with a status. The description of their response is their slugs,
// as errorResponse in httpapi joins them.
func (r Reference) failures(status int, response *huma.Response) []failure {
	var all []failure
	for slug := range strings.SplitSeq(response.Description, ", ") {
		f := failure{Status: status, Slug: slug}
		for _, of := range response.Content {
			f.Detail = r.detail(of.Examples[slug])
		}
		all = append(all, f)
	}
	return all
}

// detail returns the member detail of an example.
func (r Reference) detail(e *huma.Example) string {
	if e != nil && e.Ref != "" {
		e = r.Components.Examples[last(e.Ref)]
	}
	if e == nil {
		return ""
	}
	text, err := json.Marshal(e.Value)
	var problem struct{ Detail string }
	if err != nil || json.Unmarshal(text, &problem) != nil {
		return ""
	}
	return problem.Detail
}
