package httpsuite

import (
	"bytes"
	"encoding/json"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// at returns the value at the JSON Pointer, or nil.
func (a *answer) at(pointer string) any { return at(a.value, pointer) }

func at(value any, pointer string) any {
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

// text returns the string at the pointer.
func (a *answer) text(pointer string) string {
	a.t.Helper()
	s, ok := a.at(pointer).(string)
	if !ok {
		a.t.Fatalf("%v\nhas no string at %s", a, pointer)
	}
	return s
}

// number returns the integer at the pointer.
func (a *answer) number(pointer string) int64 {
	a.t.Helper()
	n, _ := a.at(pointer).(json.Number)
	i, err := strconv.ParseInt(string(n), 10, 64)
	if err != nil {
		a.t.Fatalf("%v\nhas no integer at %s", a, pointer)
	}
	return i
}

// list returns the array at the pointer.
func (a *answer) list(pointer string) []any {
	a.t.Helper()
	l, ok := a.at(pointer).([]any)
	if !ok {
		a.t.Fatalf("%v\nhas no array at %q", a, pointer)
	}
	return l
}

// raw is JSON text, for values in assertions.
type raw string

// MarshalJSON returns the text.
func (r raw) MarshalJSON() ([]byte, error) { return []byte(r), nil }

// has demands this value, as JSON, at the pointer.
func (a *answer) has(pointer string, want any) *answer {
	a.t.Helper()
	if got, want := a.at(pointer), normal(want); !reflect.DeepEqual(got, want) {
		a.t.Fatalf("%v\nhas %s at %q, want %s", a, encode(got), pointer, encode(want))
	}
	return a
}

// lacks demands an object without such a member.
func (a *answer) lacks(pointer string) *answer {
	a.t.Helper()
	cut := strings.LastIndex(pointer, "/")
	object, ok := a.at(pointer[:cut]).(map[string]any)
	if !ok {
		a.t.Fatalf("%v\nhas no object at %q", a, pointer[:cut])
	}
	if _, found := object[pointer[cut+1:]]; found {
		a.t.Fatalf("%v\nhas the member %s", a, pointer)
	}
	return a
}

// members demands an object with exactly these members at the pointer.
func (a *answer) members(pointer string, want ...string) *answer {
	a.t.Helper()
	object, ok := a.at(pointer).(map[string]any)
	if !ok {
		a.t.Fatalf("%v\nhas no object at %q", a, pointer)
	}
	var got []string
	for name := range object {
		got = append(got, name)
	}
	slices.Sort(got)
	want = slices.Sorted(slices.Values(want)) // the caller's stays as it is
	if !slices.Equal(got, want) {
		a.t.Fatalf("%v\nhas at %q the members\n%q, want\n%q", a, pointer, got, want)
	}
	return a
}

// timed demands times in the form of D9 at the pointers.
func (a *answer) timed(pointers ...string) *answer {
	a.t.Helper()
	for _, pointer := range pointers {
		if !timeForm.MatchString(a.text(pointer)) {
			a.t.Fatalf("%v\nhas at %s no time with three decimals in UTC (%s)", a, pointer, see("D9"))
		}
	}
	return a
}

// counts demands an array of n elements at the pointer.
func (a *answer) counts(pointer string, n int) *answer {
	a.t.Helper()
	if got := len(a.list(pointer)); got != n {
		a.t.Fatalf("%v\nhas %d elements at %q, want %d", a, got, pointer, n)
	}
	return a
}

// problems demands exactly these problems in the body's array, in this order.
func (a *answer) problems(want ...problem) *answer {
	a.t.Helper()
	ids := []int64{}
	for _, p := range want {
		ids = append(ids, p.id)
	}
	if got := a.identifiers(""); !slices.Equal(got, ids) {
		a.t.Fatalf("%v\nis of the problems %v, want %v", a, got, ids)
	}
	return a
}

// identifiers are the identifiers of the problems, or of the named ones, in the array at
// the pointer.
func (a *answer) identifiers(pointer string) []int64 {
	a.t.Helper()
	ids := []int64{}
	for i := range a.list(pointer) {
		ids = append(ids, a.number(item(pointer, i, "/identifier")))
	}
	return ids
}

// names are the names of the objects in the array at the pointer.
func (a *answer) names(pointer string) []string {
	a.t.Helper()
	names := []string{}
	for i := range a.list(pointer) {
		names = append(names, a.text(item(pointer, i, "/name")))
	}
	return names
}

// named returns the object of this name in the array at the pointer, or nil.
func (a *answer) named(pointer, name string) any {
	a.t.Helper()
	if i := slices.Index(a.names(pointer), name); i >= 0 {
		return a.list(pointer)[i]
	}
	return nil
}

// part returns the JSON text of the value at the pointer, to be sent back.
func (a *answer) part(pointer string) string { return encode(a.at(pointer)) }

// encode returns value as JSON text.
func encode(value any) string {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		panic(err) // only a defect of the suite can give a value without JSON
	}
	return strings.TrimSpace(b.String())
}

// normal returns value as it would look after a journey through JSON.
func normal(value any) (result any) {
	decoder := json.NewDecoder(strings.NewReader(encode(value)))
	decoder.UseNumber()
	if err := decoder.Decode(&result); err != nil {
		panic(err) // as above
	}
	return result
}
