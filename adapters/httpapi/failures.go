package httpapi

import (
	_ "embed" // the answers
	"encoding/json"
	"fmt"
	"slices"

	"github.com/danielgtaylor/huma/v2"

	"github.com/problemtracking/problems/adapters/httpapi/internal/wire"
	"github.com/problemtracking/problems/adapters/httpframe"
	"github.com/problemtracking/problems/domain/fault"
)

// recordedFailures are the recorded error answers of the service: the examples of the
// OpenAPI document. "go test -run TestFailuresAreRecorded -record" records them anew.
//
//go:embed failures.json
var recordedFailures []byte

// recordedFailure is an error answer of some operations, without a base path.
type recordedFailure struct {
	Kind       fault.Kind `json:"kind"`
	Operations []string   `json:"operations"`
	Answer     wire.Error `json:"answer"`
}

// failures returns the recorded failures, sorted by kind.
func failures() ([]recordedFailure, error) {
	var all []recordedFailure
	if err := json.Unmarshal(recordedFailures, &all); err != nil {
		return nil, fmt.Errorf("httpapi: failures.json cannot be read: %w", err)
	}
	return all, nil
}

// addFailure adds the example of a failure to the document, unless it is there
// already, and returns a reference to it. Without a recording there is none.
func (d *document) addFailure(kind fault.Kind, operation string) *huma.Example {
	of := func(f recordedFailure) bool { return f.Kind == kind && slices.Contains(f.Operations, operation) }
	i := slices.IndexFunc(d.failures, of)
	if i < 0 {
		return nil
	}
	answer := d.failures[i].Answer
	answer.Type = d.base + answer.Type
	answer.Errors = slices.Clone(answer.Errors)
	for j := range answer.Errors {
		answer.Errors[j].Type = d.base + answer.Errors[j].Type
	}
	first := slices.IndexFunc(d.failures, func(f recordedFailure) bool { return f.Kind == kind })
	name := httpframe.FailureOf(kind).Slug
	if i > first {
		name = fmt.Sprintf("%s-%d", name, i-first+1)
	}
	key := exampleKey(name)
	d.Components.Examples[key] = &huma.Example{Summary: answer.Title, Value: answer}
	return &huma.Example{Ref: examplePrefix + key}
}
