package wire

import (
	"bytes"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/go-json-experiment/json/jsontext"
)

// Selection are chosen members of a problem (D31): by their names, each with the chosen ones
// below it. A nil Selection has all.
type Selection map[string]Selection

// selectable are all members of a problem, by the type of its record, and its claim (D49).
var selectable = sync.OnceValue(func() Selection { return membersOf(reflect.TypeFor[ClaimedProblem]()) })

func membersOf(t reflect.Type) Selection {
	for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct || t == reflect.TypeFor[time.Time]() {
		return nil // as for json.RawMessage
	}
	all := make(Selection)
	for i := range t.NumField() {
		f := t.Field(i)
		if f.Anonymous {
			maps.Copy(all, membersOf(f.Type))
			continue
		}
		all[strings.Split(f.Tag.Get("json"), ",")[0]] = membersOf(f.Type)
	}
	return all
}

// ParseSelection reads dotted names, separated by commas, such as "title,state.name".
func ParseSelection(text string) (Selection, error) {
	chosen := make(Selection)
	for n, name := range strings.Split(text, ",") {
		known, into, at := selectable(), chosen, ""
		for step, rest, more := strings.Cut(name, "."); ; step, rest, more = strings.Cut(rest, ".") {
			below, ok := known[step]
			if !ok {
				return nil, fmt.Errorf("has to be names of members of a problem, such as identifier,title,state.name: name %d is none, choose from %s", n+1, known.names(at))
			}
			if already, ok := into[step]; ok && already == nil {
				break // as a whole
			}
			if !more {
				into[step] = nil
				break
			}
			if into[step] == nil {
				into[step] = make(Selection)
			}
			known, into, at = below, into[step], at+step+"."
		}
	}
	return chosen, nil
}

// names returns the members at a place, or the place itself when it has none.
func (s Selection) names(at string) string {
	if len(s) == 0 {
		return strings.TrimSuffix(at, ".")
	}
	return at + strings.Join(slices.Sorted(maps.Keys(s)), ", "+at)
}

// Has reports whether the selection has a member, or a part of it.
func (s Selection) Has(name string) bool {
	_, ok := s[name]
	return ok || s == nil
}

// narrow leaves the chosen members of a value that begins at a place of the buffer, behind
// a comma.
func (e *Encoder) narrow(at int, chosen Selection) {
	if chosen == nil || e.Stopped {
		return
	}
	if at < len(e.Buf) && e.Buf[at] == ',' {
		at++
	}
	decoder := jsontext.NewDecoder(bytes.NewReader(bytes.Clone(e.Buf[at:])))
	e.Buf = appendChosen(e.Buf[:at], decoder, chosen)
}

// appendChosen appends the chosen members of the next value. The encoder has written it, so
// it can be read.
func appendChosen(b []byte, from *jsontext.Decoder, chosen Selection) []byte {
	kind := from.PeekKind()
	if kind != '{' && kind != '[' || chosen == nil {
		value, _ := from.ReadValue()
		return append(b, value...)
	}
	_, _ = from.ReadToken()
	b = append(b, byte(kind))
	first := true
	comma := func() {
		if !first {
			b = append(b, ',')
		}
		first = false
	}
	for from.PeekKind() != '}' && from.PeekKind() != ']' {
		if kind == '[' {
			comma()
			b = appendChosen(b, from, chosen)
			continue
		}
		token, _ := from.ReadToken()
		name := token.String()
		if !chosen.Has(name) {
			_ = from.SkipValue()
			continue
		}
		comma()
		b = append(append(append(b, '"'), name...), '"', ':')
		b = appendChosen(b, from, chosen[name])
	}
	_, _ = from.ReadToken()
	return append(b, byte(kind)+2) // the bracket at the end
}
