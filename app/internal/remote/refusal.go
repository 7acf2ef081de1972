package remote

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"path"
	"strconv"
	"strings"
	"time"

	"github.com/problemtracking/problems/domain/fault"
)

// Refusal is an error of the API (D18).
type Refusal struct {
	// Status is that of the answer: no 2xx.
	Status int
	// Kind is the kind of the fault; "" when something other than the service answered.
	Kind fault.Kind
	// After is how long to wait before another attempt; 0 when the server does not say.
	After time.Duration
	// Newest is the end of the feed, with the kind fault.CursorGone.
	Newest string

	text string
}

func (r *Refusal) Error() string { return r.text }

// refusal reads an error of the API.
func refusal(response *http.Response) *Refusal {
	r := &Refusal{Status: response.StatusCode, text: "the server answered " + response.Status}
	if seconds, err := strconv.Atoi(response.Header.Get("Retry-After")); err == nil && seconds > 0 {
		r.After = time.Duration(min(seconds, 3600)) * time.Second
	}
	var problem struct {
		Type, Detail, Newest string
		Errors               []struct{ Pointer, Detail string }
		Line, Column         int
	}
	err := json.NewDecoder(io.LimitReader(response.Body, 1<<20)).Decode(&problem)
	if err != nil || problem.Detail == "" {
		return r
	}
	r.Kind = fault.Kind(path.Base(problem.Type))
	r.Newest = problem.Newest
	all := &fault.Error{Detail: problem.Detail}
	for _, e := range problem.Errors {
		all.Items = append(all.Items, fault.Item{At: location(e.Pointer), Detail: e.Detail})
	}
	r.text = Sentence(all)
	if problem.Line > 0 {
		r.text += fmt.Sprintf(" (line %d, column %d)", problem.Line, problem.Column)
	}
	return r
}

// Sentence returns the text of a fault for the person at the terminal: the faulty
// members with their reasons, or else the reason of the whole.
func Sentence(f *fault.Error) string {
	if len(f.Items) == 0 {
		return f.Detail
	}
	var items []string
	for _, item := range f.Items {
		member := item.At.String()
		if member != "" {
			member += ": "
		}
		items = append(items, member+item.Detail)
	}
	return strings.Join(items, "; ")
}

// location returns the place of a JSON Pointer (RFC 6901). A number is an element: no
// member of this API has one for a name.
func location(pointer string) (at fault.Location) {
	for segment := range strings.SplitSeq(strings.TrimPrefix(pointer, "/"), "/") {
		index, err := strconv.Atoi(segment)
		switch {
		case segment == "":
		case err == nil:
			at = at.Element(index)
		default:
			at = at.Member(strings.NewReplacer("~1", "/", "~0", "~").Replace(segment))
		}
	}
	return at
}
