package problem

import (
	"encoding/json"
	"reflect"
	"strings"

	"github.com/problemtracking/problems/domain/ident"
)

// Text returns the string that the value shows, as [LogText] writes it. ok is
// false when it shows something else.
func (v LogValue) Text() (s string, ok bool) {
	var text *string
	if json.Unmarshal([]byte(v.JSON()), &text) != nil || text == nil {
		return "", false
	}
	return *text, true
}

// Ref returns the identifier of the object that the value shows, as [LogRef]
// writes it: ident.None for null. ok is false when it shows something else.
func (v LogValue) Ref() (id ident.ID, ok bool) {
	if v == "" {
		return ident.None, true
	}
	var ref struct{ Identifier string }
	if json.Unmarshal([]byte(v), &ref) != nil {
		return ident.None, false
	}
	id, err := ident.Parse(ref.Identifier)
	return id, err == nil
}

// Link returns the problem that the value shows, as [LogLink] writes it. ok is
// false when it shows something else.
func (v LogValue) Link() (other ID, ok bool) {
	var link struct{ ProblemIdentifier ID }
	if json.Unmarshal([]byte(v.JSON()), &link) != nil {
		return 0, false
	}
	return link.ProblemIdentifier, link.ProblemIdentifier > 0
}

// Same reports whether both values show the same, whatever the order of their members.
func (v LogValue) Same(other LogValue) bool {
	a, ok := v.decoded()
	b, also := other.decoded()
	return ok && also && reflect.DeepEqual(a, b)
}

func (v LogValue) decoded() (value any, ok bool) {
	d := json.NewDecoder(strings.NewReader(v.JSON()))
	d.UseNumber()
	err := d.Decode(&value)
	return value, err == nil
}
