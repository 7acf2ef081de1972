package session

import (
	"bytes"
	"encoding/json"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// At returns the value at the JSON Pointer, or nil.
func (a *Answer) At(pointer string) any { return At(a.Value, pointer) }

// At returns the part of a JSON value at the pointer, or nil. The index "last" is that of
// the last element.
func At(value any, pointer string) any {
	for i, name := range strings.Split(pointer, "/") {
		if i == 0 {
			continue
		}
		name = strings.NewReplacer("~1", "/", "~0", "~").Replace(name)
		switch v := value.(type) {
		case map[string]any:
			value = v[name]
		case []any:
			index, err := strconv.Atoi(name)
			if name == "last" {
				index, err = len(v)-1, nil
			}
			if err != nil || index < 0 || index >= len(v) {
				return nil
			}
			value = v[index]
		default:
			return nil
		}
	}
	return value
}

// Text returns the string at the pointer.
func (a *Answer) Text(pointer string) string {
	a.T.Helper()
	s, ok := a.At(pointer).(string)
	if !ok {
		a.T.Fatalf("%v\nhas no string at %s", a, pointer)
	}
	return s
}

// Number returns the integer at the pointer.
func (a *Answer) Number(pointer string) int64 {
	a.T.Helper()
	n, _ := a.At(pointer).(json.Number)
	i, err := strconv.ParseInt(string(n), 10, 64)
	if err != nil {
		a.T.Fatalf("%v\nhas no integer at %s", a, pointer)
	}
	return i
}

// List returns the array at the pointer.
func (a *Answer) List(pointer string) []any {
	a.T.Helper()
	l, ok := a.At(pointer).([]any)
	if !ok {
		a.T.Fatalf("%v\nhas no array at %q", a, pointer)
	}
	return l
}

// Raw is JSON text, for values in assertions.
type Raw string

// MarshalJSON returns the text.
func (r Raw) MarshalJSON() ([]byte, error) { return []byte(r), nil }

// Has demands this value, as JSON, at the pointer.
func (a *Answer) Has(pointer string, want any) *Answer {
	a.T.Helper()
	if got, want := a.At(pointer), Normal(want); !reflect.DeepEqual(got, want) {
		a.T.Fatalf("%v\nhas %s at %q, want %s", a, Encode(got), pointer, Encode(want))
	}
	return a
}

// Lacks demands an object without such a member.
func (a *Answer) Lacks(pointer string) *Answer {
	a.T.Helper()
	cut := strings.LastIndex(pointer, "/")
	object, ok := a.At(pointer[:cut]).(map[string]any)
	if !ok {
		a.T.Fatalf("%v\nhas no object at %q", a, pointer[:cut])
	}
	if _, found := object[pointer[cut+1:]]; found {
		a.T.Fatalf("%v\nhas the member %s", a, pointer)
	}
	return a
}

// Members demands an object with exactly these members at the pointer.
func (a *Answer) Members(pointer string, want ...string) *Answer {
	a.T.Helper()
	object, ok := a.At(pointer).(map[string]any)
	if !ok {
		a.T.Fatalf("%v\nhas no object at %q", a, pointer)
	}
	var got []string
	for name := range object {
		got = append(got, name)
	}
	slices.Sort(got)
	want = slices.Sorted(slices.Values(want)) // the caller's stays as it is
	if !slices.Equal(got, want) {
		a.T.Fatalf("%v\nhas at %q the members\n%q, want\n%q", a, pointer, got, want)
	}
	return a
}

// Timed demands times in the form of D9 at the pointers.
func (a *Answer) Timed(pointers ...string) *Answer {
	a.T.Helper()
	for _, pointer := range pointers {
		if !TimeForm.MatchString(a.Text(pointer)) {
			a.T.Fatalf("%v\nhas at %s no time with three decimals in UTC (%s)", a, pointer, See("D9"))
		}
	}
	return a
}

// Counts demands an array of n elements at the pointer.
func (a *Answer) Counts(pointer string, n int) *Answer {
	a.T.Helper()
	if got := len(a.List(pointer)); got != n {
		a.T.Fatalf("%v\nhas %d elements at %q, want %d", a, got, pointer, n)
	}
	return a
}

// Problems demands exactly these problems in the body's array, in this order.
func (a *Answer) Problems(want ...Problem) *Answer {
	a.T.Helper()
	ids := []int64{}
	for _, p := range want {
		ids = append(ids, p.ID)
	}
	if got := a.Identifiers(""); !slices.Equal(got, ids) {
		a.T.Fatalf("%v\nis of the problems %v, want %v", a, got, ids)
	}
	return a
}

// Identifiers are the identifiers of the problems, or of the named ones, in the array at
// the pointer.
func (a *Answer) Identifiers(pointer string) []int64 {
	a.T.Helper()
	ids := []int64{}
	for i := range a.List(pointer) {
		ids = append(ids, a.Number(item(pointer, i, "/identifier")))
	}
	return ids
}

// Names are the names of the objects in the array at the pointer.
func (a *Answer) Names(pointer string) []string {
	a.T.Helper()
	names := []string{}
	for i := range a.List(pointer) {
		names = append(names, a.Text(item(pointer, i, "/name")))
	}
	return names
}

// Named returns the object of this name in the array at the pointer, or nil.
func (a *Answer) Named(pointer, name string) any {
	a.T.Helper()
	if i := slices.Index(a.Names(pointer), name); i >= 0 {
		return a.List(pointer)[i]
	}
	return nil
}

// Part returns the JSON text of the value at the pointer, to be sent back.
func (a *Answer) Part(pointer string) string { return Encode(a.At(pointer)) }

// Encode returns value as JSON text.
func Encode(value any) string {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		panic(err) // only a defect of the suite can give a value without JSON
	}
	return strings.TrimSpace(b.String())
}

// Normal returns value as it would look after a journey through JSON.
func Normal(value any) (result any) {
	decoder := json.NewDecoder(strings.NewReader(Encode(value)))
	decoder.UseNumber()
	if err := decoder.Decode(&result); err != nil {
		panic(err) // as above
	}
	return result
}
