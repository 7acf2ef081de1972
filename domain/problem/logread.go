package problem

import (
	"encoding/json"
	"reflect"
	"strings"
	"time"

	"github.com/problemtracking/problems/domain/ident"
)

// Text returns the string in a value of [LogText]. ok is false for any other value.
func (v LogValue) Text() (s string, ok bool) {
	var text *string
	if json.Unmarshal([]byte(v.JSON()), &text) != nil || text == nil {
		return "", false
	}
	return *text, true
}

// Ref returns the identifier in a value of [LogRef]: ident.None for null. ok is false
// for any other value.
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

// Name returns the name in a value of [LogRef]. ok is false for any other value, and for
// null.
func (v LogValue) Name() (name string, ok bool) {
	var ref struct{ Identifier, Name *string }
	if json.Unmarshal([]byte(v.JSON()), &ref) != nil || ref.Identifier == nil || ref.Name == nil {
		return "", false
	}
	return *ref.Name, true
}

// Comment returns the comment in a value of [LogComment] or [LogDeletedComment], as it was
// before. The author and the creation of [LogComment] are zero. ok is false for any other value.
func (v LogValue) Comment() (c Comment, ok bool) {
	var shown struct {
		Identifier             string
		Text                   *string
		HTML                   *string
		EditDate, CreationDate time.Time
		Editor, Author         json.RawMessage
	}
	if json.Unmarshal([]byte(v.JSON()), &shown) != nil || shown.Text == nil {
		return Comment{}, false
	}
	id, err := ident.Parse(shown.Identifier)
	if err != nil {
		return Comment{}, false
	}
	c = Comment{ID: id, Created: shown.CreationDate.UTC(), Text: *shown.Text, Edited: shown.EditDate.UTC()}
	if shown.HTML != nil {
		c.HTML = Text(*shown.HTML)
	}
	for _, who := range []struct {
		value json.RawMessage
		into  *ident.ID
	}{{shown.Editor, &c.Editor}, {shown.Author, &c.Author}} {
		if len(who.value) > 0 && string(who.value) != "null" {
			if *who.into, ok = LogValue(who.value).Ref(); !ok {
				return Comment{}, false
			}
		}
	}
	return c, true
}

// Link returns the problem in a value of [LogLink]. ok is false for any other value.
func (v LogValue) Link() (other ID, ok bool) {
	var link struct{ ProblemIdentifier ID }
	if json.Unmarshal([]byte(v.JSON()), &link) != nil {
		return 0, false
	}
	return link.ProblemIdentifier, link.ProblemIdentifier > 0
}

// Other returns the other problem of an entry about a relationship. ok is false for an entry
// without one.
func (e LogEntry) Other() (other ID, ok bool) {
	if e.Type == RelationshipAdded {
		return e.To.Link()
	}
	return e.From.Link()
}

// Keyword returns the keyword of a name in a value of [LogKeyword], or nil for null: there was
// none. ok is false for any other value.
func (v LogValue) Keyword(name string) (k *Keyword, ok bool) {
	switch v {
	case "":
		return nil, true
	case LogNoValue:
		return &Keyword{Name: name}, true
	}
	value, ok := v.Text()
	if !ok {
		return nil, false
	}
	return &Keyword{name, Text(value)}, true
}

// Places returns the number in a value of [LogPlaces]. ok is false for any other value.
func (v LogValue) Places() (n int, ok bool) {
	var shown struct{ Places int }
	if json.Unmarshal([]byte(v.JSON()), &shown) != nil {
		return 0, false
	}
	return shown.Places, shown.Places > 0
}

// List returns the values in a value of [LogArray]. ok is false for any other value.
func (v LogValue) List() (values []LogValue, ok bool) {
	var list []json.RawMessage
	if json.Unmarshal([]byte(v.JSON()), &list) != nil || list == nil {
		return nil, false
	}
	for _, one := range list {
		values = append(values, LogValue(one))
	}
	return values, true
}

// Same reports whether both values are equal, in any order of their members.
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
